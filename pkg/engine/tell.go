// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"io"
)

// Stream runs a program in a running container, without a shell, and writes what it tells as it comes.
func (e *Engine) Stream(ctx context.Context, w io.Writer, container string, program ...string) error {
	return e.runner.Run(ctx, Command{Args: append([]string{"exec", container}, program...), Stdout: w})
}

// Inspect writes all that the engine knows of containers, in the engine's own form.
func (e *Engine) Inspect(ctx context.Context, w io.Writer, containers ...string) error {
	return e.runner.Run(ctx, Command{Args: append([]string{"inspect", "--type", "container"}, containers...), Stdout: w})
}
