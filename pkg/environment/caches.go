// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gardener/kindling/pkg/registry"
)

// Cache is what is known of a registry: of the one that is pushed to, or of a cache.
type Cache struct {
	// Host in the names of the images.
	Host      string `json:"host"`
	Container string `json:"container"`
	// State is running, or says what is not as wanted.
	State string `json:"state"`
	// Upstream is where a cache gets images from.
	Upstream string `json:"upstream,omitempty"`
	// Folder on the engine's host, and the bytes in it.
	Folder string `json:"folder"`
	Bytes  int64  `json:"bytes"`
	// Counters since Since; none of the registry that is pushed to, and of a cache that does not run.
	Counters *registry.Counters `json:"counters,omitempty"`
	Since    time.Time          `json:"since,omitzero"`
}

// NoRegistryError says that an environment has neither registry nor caches.
type NoRegistryError struct{ Environment string }

// Error implements error.
func (e *NoRegistryError) Error() string {
	return fmt.Sprintf("environment %s has neither registry nor caches: spec.registry.enabled is false", e.Environment)
}

// Caches returns the registry and its caches, with what they keep and did.
func (e *Environment) Caches(ctx context.Context) ([]Cache, error) {
	if !e.registryWanted() {
		return nil, &NoRegistryError{e.name()}
	}
	r := e.registries(ctx)
	servers, _, err := r.look(ctx)
	if err != nil {
		return nil, err
	}
	sizes, err := e.cacheSizes(ctx)
	if err != nil {
		return nil, err
	}
	caches := make([]Cache, len(servers))
	var group sync.WaitGroup
	for i, f := range servers {
		caches[i] = Cache{
			Host: f.server.Host, Container: f.server.Name, State: running, Upstream: f.server.RemoteURL,
			Folder: filepath.Join(r.wanted.Dir, f.server.Folder), Bytes: sizes[f.server.Folder],
		}
		switch {
		case f.container != nil && f.remake && f.container.State == running:
			caches[i].State = "made from other settings"
		case !f.asWanted():
			caches[i].State = f.have
		}
		if f.container == nil || f.container.State != running || !f.server.IsCache() {
			continue
		}
		caches[i].Since = f.container.Started
		group.Go(func() {
			// A cache that tells no counters is shown without: its state says what is wrong.
			data, err := e.askRegistry(ctx, *f.container, registry.DebugPort, registry.CountersPath)
			if err != nil {
				return
			}
			if counters, err := registry.ParseCounters(data); err == nil {
				caches[i].Counters = &counters
			}
		})
	}
	group.Wait()
	return caches, ctx.Err()
}

// cacheSizes returns the bytes in each folder. What registries write is root's, and may be in a VM.
func (e *Environment) cacheSizes(ctx context.Context) (map[string]int64, error) {
	if !exists(e.registryDir()) && !e.Engine.Remote(ctx) {
		return nil, nil // an engine would make it
	}
	output, err := e.withData(ctx, "du", "--bytes", "--max-depth=1", mountedData)
	if err != nil {
		return nil, fmt.Errorf("looking how much is in %s: %w", e.registryDir(), err)
	}
	return parseSizes(string(output)), nil
}

// parseSizes reads what du writes: bytes and path, separated by a tab.
func parseSizes(output string) map[string]int64 {
	sizes := map[string]int64{}
	for line := range strings.Lines(output) {
		size, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if bytes, err := strconv.ParseInt(size, 10, 64); err == nil {
			sizes[path.Base(name)] = bytes
		}
	}
	return sizes
}

// PruneCaches removes what registries keep: of the named ones, or of all caches where none is named. It returns what they kept. With dryRun
// nothing is removed.
func (e *Environment) PruneCaches(ctx context.Context, words []string, dryRun bool, report func(string)) ([]Cache, error) {
	caches, err := e.Caches(ctx)
	if err != nil {
		return nil, err
	}
	servers := e.registries(ctx).servers
	if len(words) == 0 {
		servers = servers[1:]
	} else if servers, err = registry.Select(servers, words); err != nil {
		return nil, err
	}
	var selected []Cache
	var running []string
	args := []string{"--recursive", "--force", "--one-file-system"}
	for _, server := range servers {
		for _, cache := range caches {
			if cache.Container != server.Name {
				continue
			}
			selected = append(selected, cache)
			if cache.isThere() {
				running = append(running, server.Name)
			}
		}
		// These are all that a registry writes: whatever else is in a folder that a user named stays.
		for _, name := range []string{"docker", "scheduler-state.json"} {
			args = append(args, path.Join(mountedData, server.Folder, name))
		}
	}
	if dryRun || len(selected) == 0 {
		return selected, nil
	}
	return selected, e.prune(ctx, running, args, report)
}

// isThere says whether a container of the cache runs; one that is not healthy does.
func (c Cache) isThere() bool {
	return c.State == running || c.State == "made from other settings" || strings.HasPrefix(c.State, notHealthy)
}

// prune stops what writes the folders, and starts it again whatever comes: a registry keeps in mind what it has.
func (e *Environment) prune(ctx context.Context, running, args []string, report func(string)) (err error) {
	if _, statErr := os.Stat(e.registryDir()); statErr != nil && !e.Engine.Remote(ctx) {
		return nil
	}
	if len(running) > 0 {
		report("stopping " + strings.Join(running, ", "))
	}
	defer func() {
		startCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
		defer cancel()
		err = errors.Join(err, e.Engine.StartContainers(startCtx, running...))
	}()
	if err := e.Engine.StopContainers(ctx, running...); err != nil {
		return err
	}
	report("removing")
	if _, err := e.withData(ctx, "rm", args...); err != nil {
		return fmt.Errorf("removing images in %s: %w", e.registryDir(), err)
	}
	return nil
}
