// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
)

// Container returns the container of a name, whoever made it; a *NotFoundError when there is none.
func (e *Engine) Container(ctx context.Context, name string) (Container, error) {
	output, err := e.output(ctx, "inspect", "--type", "container", name)
	if outputContains(err, "no such") {
		return Container{}, &NotFoundError{"container", name}
	}
	if err != nil {
		return Container{}, err
	}
	containers, err := parseContainers(output)
	if err != nil {
		return Container{}, err
	}
	for _, container := range containers {
		if container.Name == name {
			return container, nil
		}
	}
	return Container{}, &NotFoundError{"container", name}
}
