// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/gardener/kindling/pkg/registry"
)

// lookupTimeout is the time for the names of a CI system's caches: all of them are asked for at the same time.
const lookupTimeout = 2 * time.Second

func lookupHost(ctx context.Context, name string) ([]string, error) {
	return net.DefaultResolver.LookupHost(ctx, name)
}

// useClusterCaches lets caches get their images from those of the cluster that a CI job runs in, where their names resolve, and returns
// in words which do. A cache that the user gave another upstream keeps it.
func useClusterCaches(ctx context.Context, servers []registry.Server, lookup func(context.Context, string) ([]string, error)) []string {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	resolves := make([]bool, len(servers))
	var group sync.WaitGroup
	for i, server := range servers {
		if !server.IsCache() || !server.HasDefaultRemote() {
			continue
		}
		group.Go(func() {
			name, _ := registry.ClusterCache(server.Host)
			addresses, err := lookup(ctx, name+".")
			resolves[i] = err == nil && len(addresses) > 0
		})
	}
	group.Wait()
	var words []string
	for i := range servers {
		if resolves[i] {
			_, servers[i].RemoteURL = registry.ClusterCache(servers[i].Host)
			words = append(words, "CI: "+servers[i].Host+" comes from "+servers[i].RemoteURL)
		}
	}
	return words
}
