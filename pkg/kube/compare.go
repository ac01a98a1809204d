// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ObjectDifference is what is different about one object.
type ObjectDifference struct {
	Object string
	// Missing objects are not in the cluster, or their kind is not served.
	Missing     bool
	Differences []Difference
}

// compareInParallel is how many objects are read at the same time.
const compareInParallel = 16

// Compare reads objects from the cluster and compares them with what is wanted; see Differences and Unwanted. It returns an entry for each
// object, in their order.
func (c *Client) Compare(ctx context.Context, objects []*unstructured.Unstructured) ([]ObjectDifference, error) {
	compared := make([]ObjectDifference, len(objects))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(compareInParallel)
	for i, want := range objects {
		group.Go(func() error {
			live, err := c.Get(ctx, want)
			if err != nil {
				return err
			}
			compared[i] = ObjectDifference{Object: Name(want), Missing: live == nil}
			if live == nil {
				return nil
			}
			unwanted, err := Unwanted(want, live)
			compared[i].Differences = append(Differences(want, live), unwanted...)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return compared, nil
}
