// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/gardener/kindling/pkg/steps"
)

// The container network is one for all environments. Whoever makes or removes it has the lock alone; whoever makes a cluster shares it
// until the nodes are in the network, which keeps it from being removed.
const networkLockFile = "network.lock"

func (e *Environment) lockNetwork(ctx context.Context, shared bool, report func(string)) (unlock func(), err error) {
	unlock, err = awaitFileLock(ctx, filepath.Join(e.CacheDir, networkLockFile), shared, func() {
		report("waiting for another kindling that makes or removes the container network")
	})
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("locking the container network: %w: set XDG_CACHE_HOME to a folder that can be written", err)
	}
	return unlock, deadline(ctx, err, "another kindling makes or removes the container network")
}

// holdNetwork keeps the network from being removed until letGo is called. One that was removed since its step is made again.
func (e *Environment) holdNetwork(ctx context.Context, report func(string)) (letGo func(), err error) {
	for {
		letGo, err := e.lockNetwork(ctx, true, report)
		if err != nil {
			return nil, err
		}
		found, err := e.observeNetwork(ctx)
		if err == nil && found.State == steps.AsWanted {
			return letGo, nil
		}
		letGo()
		if err == nil && found.State != steps.Missing {
			err = &steps.RecreateError{Step: stepNetwork, Differences: found.Differences}
		}
		if err == nil {
			_, err = e.applyNetwork(ctx, report)
		}
		if err != nil {
			return nil, err
		}
	}
}
