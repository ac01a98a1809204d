// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/pkg/kindcluster"
)

// eachNode does something on all nodes side by side and returns the results in the order of the nodes.
func eachNode[T any](ctx context.Context, nodes []kindcluster.Node, do func(context.Context, kindcluster.Node) (T, error)) ([]T, error) {
	results := make([]T, len(nodes))
	group, ctx := errgroup.WithContext(ctx)
	for i, node := range nodes {
		group.Go(func() (err error) {
			results[i], err = do(ctx, node)
			return err
		})
	}
	return results, group.Wait()
}
