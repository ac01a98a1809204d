// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// await returns when work ends or the context does. The library takes no context: what it has begun goes on in the background until
// the process ends, and the result of that is dropped.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// awaitError is await for work that has no result.
func awaitError(ctx context.Context, work func() error) error {
	_, err := await(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// withScratch gives kind a kubeconfig to write to and to lock that is nobody's: the user's is not touched, and clusters that are
// made at the same time don't wait for one lock, which kind takes without trying again.
func withScratch(ctx context.Context, work func(kubeconfig string) error) error {
	dir, err := os.MkdirTemp("", "kindling-")
	if err != nil {
		return fmt.Errorf("making a temporary folder for kind: %w", err)
	}
	remove := func() { _ = os.RemoveAll(dir) }
	defer remove()
	return awaitError(ctx, func() error {
		defer remove() // once more: work that nobody waits for any more may make it again
		return work(filepath.Join(dir, "kubeconfig"))
	})
}
