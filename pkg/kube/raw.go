// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
)

// GetPath asks the API server for a path, such as "/version" or one below a node's proxy, and returns the answer. A query may follow a
// question mark.
func (c *Client) GetPath(ctx context.Context, path string) ([]byte, error) {
	if c.config == nil {
		return nil, errors.New("this client asks for no paths")
	}
	client, _, err := c.endless()
	if err != nil {
		return nil, fmt.Errorf("preparing a request: %w", err)
	}
	body, err := client.Get().RequestURI(path).MaxRetries(0).Do(quiet(ctx)).Raw()
	if err != nil {
		return body, fmt.Errorf("asking for %s: %w", path, err)
	}
	return body, nil
}
