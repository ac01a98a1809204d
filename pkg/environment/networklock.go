// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gardener/kindling/pkg/steps"
)

// The container network is one for all environments. Whoever makes or removes it has the lock alone; whoever makes a cluster shares it
// until the nodes are in the network, which keeps it from being removed.
const (
	networkLockFile  = "network.lock"
	networkLockPause = 100 * time.Millisecond
)

func (e *Environment) lockNetwork(ctx context.Context, shared bool, report func(string)) (unlock func(), err error) {
	if err := os.MkdirAll(e.CacheDir, 0o700); err != nil {
		return nil, fmt.Errorf("locking the container network: %w: set XDG_CACHE_HOME to a folder that can be written", err)
	}
	ticker := time.NewTicker(networkLockPause)
	defer ticker.Stop()
	for waited := false; ; waited = true {
		lock, err := tryFileLock(filepath.Join(e.CacheDir, networkLockFile), shared)
		if err != nil {
			return nil, fmt.Errorf("locking the container network: %w", err)
		}
		if lock != nil {
			return sync.OnceFunc(lock.unlock), nil
		}
		if !waited {
			report("waiting for another kindling that makes or removes the container network")
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, deadline(ctx, ctx.Err(), "another kindling makes or removes the container network")
		}
	}
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
