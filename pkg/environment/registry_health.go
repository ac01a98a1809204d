// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/registry"
)

// notHealthy begins what is said of a server that runs and does not work.
const notHealthy = "not healthy"

const (
	// healthTimeout is the time for one answer of a registry.
	healthTimeout = 2 * time.Second
	// answerLimit is more than a registry tells of itself, in bytes.
	answerLimit = 1 << 20
)

// askHealth asks all servers that are as wanted so far at the same time.
func (r registries) askHealth(ctx context.Context, servers []found) {
	var group sync.WaitGroup
	for i := range servers {
		if f := &servers[i]; f.asWanted() {
			group.Go(func() {
				if err := r.healthy(ctx, *f.container, f.server); err != nil {
					f.have, f.want = notHealthy+": "+err.Error(), "healthy"
				}
			})
		}
	}
	group.Wait()
}

// healthy asks a server as its users do. Caches have no port for users on the engine's host: they are asked at the one for that.
func (r registries) healthy(ctx context.Context, c engine.Container, server registry.Server) error {
	if _, err := r.env.askRegistry(ctx, c, registry.DebugPort, registry.HealthPath); err != nil {
		return err
	}
	if server.IsCache() {
		return nil
	}
	_, err := r.env.askRegistry(ctx, c, uint16(server.Port), "/v2/") //nolint:gosec // a port
	return err
}

// askRegistry gets what a container tells at a port. The loopback addresses of a remote engine's host can't be reached from here: there a
// program of the container asks.
func (e *Environment) askRegistry(ctx context.Context, c engine.Container, port uint16, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	body, err := getPublished(ctx, c, port, path)
	if err != nil && e.Engine.Remote(ctx) {
		return e.Engine.Exec(ctx, c.Name, "wget", "-q", "-O", "-", fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
	}
	return body, err
}

func getPublished(ctx context.Context, c engine.Container, port uint16, path string) ([]byte, error) {
	address, published := publishedAt(c, port)
	if !published {
		return nil, fmt.Errorf("its port %d is not published", port)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address.String()+path, nil)
	if err != nil {
		return nil, err
	}
	// A proxy that the environment names does not reach this machine's loopback address.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %.200s", request.URL, response.Status, body)
	}
	return body, err
}

// publishedAt prefers IPv4: it is there wherever something is published.
func publishedAt(c engine.Container, port uint16) (address netip.AddrPort, published bool) {
	for _, candidate := range c.Ports {
		if candidate.Container == port && (!published || candidate.Host.Addr().Is4()) {
			address, published = candidate.Host, true
		}
	}
	return address, published
}

// awaitHealth waits until all containers are healthy, and says of those that are not what they wrote last.
func (r registries) awaitHealth(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ticker := time.NewTicker(healthPause)
	defer ticker.Stop()
	var waiting []found
	for {
		servers, _, err := r.look(ctx)
		switch {
		case err == nil: // a look that time ended says nothing of the servers
			waiting = slices.DeleteFunc(servers, found.asWanted)
			if len(waiting) == 0 {
				return nil
			}
		case ctx.Err() == nil:
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return r.unhealthy(ctx, waiting)
		}
	}
}

// healthPause is the time between two looks at registries that start.
const healthPause = 200 * time.Millisecond

// startTimeout is the time for registries to answer after they were started.
const startTimeout = time.Minute

// logLines are the last lines of a registry that is not healthy.
const logLines = 5

func (r registries) unhealthy(ctx context.Context, waiting []found) error {
	cause := ctx.Err()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthTimeout)
	defer cancel()
	var errs []error
	for _, f := range waiting {
		log, err := r.env.Engine.Logs(ctx, f.server.Name, logLines)
		if err != nil {
			log = err.Error()
		}
		errs = append(errs, fmt.Errorf("container %s is %s, wanted %s; it wrote last:\n%s", f.server.Name, f.have, f.want, log))
	}
	return errors.Join(append([]error{fmt.Errorf("waiting for registry and caches: %w", cause)}, errs...)...)
}
