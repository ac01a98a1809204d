// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/registry"
	"github.com/gardener/kindling/pkg/registry/container"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// sharedRegistry is the name under which environments share registry and caches.
const sharedRegistry = "registry"

// registries is the registry with its caches, as this environment wants them. Environments share what runs under the same names.
type registries struct {
	env     *Environment
	servers []registry.Server
	wanted  container.Environment
	// overrides says in words which caches get their images from caches of a CI system.
	overrides []string
}

// registryDir holds the images, on the engine's host.
func (e *Environment) registryDir() string {
	if e.spec.Spec.Registry.Dir != "" {
		return e.spec.Spec.Registry.Dir
	}
	return filepath.Join(e.CacheDir, "registry")
}

// registries resolves what depends on where kindling runs.
func (e *Environment) registries(ctx context.Context) registries {
	r := registries{env: e, wanted: container.Environment{
		Labels: map[string]string{render.EnvironmentLabel: e.name()}, Spec: e.spec.Spec.Registry, Dir: e.registryDir(),
	}}
	if e.registryWanted() {
		r.servers = registry.Servers(e.spec.Spec.Registry, e.plan.Gardener)
	}
	if e.CI {
		r.overrides = useClusterCaches(ctx, r.servers, lookupHost)
	}
	return r
}

func (e *Environment) registryWanted() bool { return *e.spec.Spec.Registry.Enabled }

// withRegistry adds registry and caches to the needs of a step by which nodes begin to pull images.
func (e *Environment) withRegistry(needs ...string) []string {
	if e.registryWanted() {
		needs = append(needs, stepRegistry)
	}
	return needs
}

// registryLeft says whether there is something of an earlier file, where the present one has no registry.
func (e *Environment) registryLeft() (bool, error) {
	if e.registryWanted() {
		return false, nil
	}
	return e.usesShared(sharedRegistry)
}

func (e *Environment) registry() steps.Step {
	return steps.Step{
		Name:  stepRegistry,
		Title: "Registry and caches",
		Needs: []string{stepNetwork},
		Observe: func(ctx context.Context) (steps.Observation, error) {
			return e.registries(ctx).observe(ctx)
		},
		Apply: e.withShared(sharedRegistry, func(ctx context.Context, report func(string)) (string, error) {
			return e.registries(ctx).apply(ctx, report)
		}),
		Undo: func(ctx context.Context) (string, error) { return e.undoRegistry(ctx) },
	}
}

// found is what there is of a server.
type found struct {
	server    registry.Server
	container *engine.Container
	// problem says what is not as wanted; empty when all is.
	have, want string
	// remake says that the container has to be made anew.
	remake bool
}

func (f found) asWanted() bool { return f.have == "" }

// look asks the engine once, and then all running servers at the same time. Containers of another one are an error.
func (r registries) look(ctx context.Context) (servers []found, unwanted []string, err error) {
	made, err := r.env.madeShared(sharedRegistry)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, server := range r.servers {
		names = append(names, server.Name)
	}
	containers, err := r.env.Engine.ContainersNamed(ctx, union(names, made...)...)
	if err != nil {
		return nil, nil, err
	}
	byName := map[string]*engine.Container{}
	for i := range containers {
		byName[containers[i].Name] = &containers[i]
	}
	servers = make([]found, len(r.servers))
	for i, server := range r.servers {
		if servers[i], err = r.compare(server, byName[server.Name]); err != nil {
			return nil, nil, err
		}
		delete(byName, server.Name)
	}
	for _, left := range containers {
		if byName[left.Name] != nil && isOurs(left) {
			unwanted = append(unwanted, left.Name)
		}
	}
	r.askHealth(ctx, servers)
	return servers, unwanted, ctx.Err()
}

func isOurs(c engine.Container) bool {
	_, labelled := c.Labels[render.EnvironmentLabel]
	_, hasSettings := c.Labels[container.SettingsLabel]
	return labelled && hasSettings
}

// compare holds a container to what it should be; how it works is asked later.
func (r registries) compare(server registry.Server, c *engine.Container) (found, error) {
	f := found{server: server, container: c}
	want := r.wanted.Settings(server)
	switch {
	case c == nil:
		f.have, f.want, f.remake = "missing", running, true
	case !isOurs(*c):
		return f, &ForeignError{
			What: "a container called " + server.Name, Have: "image " + c.Image + ", " + c.State, Want: want,
			Remedy: "remove it with: " + r.env.Engine.Name() + " rm --force " + server.Name + "\nor leave registry and caches out with spec.registry.enabled: false",
		}
	case c.Labels[container.SettingsLabel] != want:
		f.have, f.want, f.remake = c.Labels[container.SettingsLabel], want, true
	case c.State == "created": // perhaps without its configuration
		f.have, f.want, f.remake = "half-made", running, true
	case c.State != running:
		f.have, f.want = c.State, running
	case c.Addresses[netplan.ContainerNetwork] == nil && r.env.Engine.Name() != engine.Nerdctl:
		f.have, f.want, f.remake = "not in the container network", "in it", true
	}
	return f, nil
}

func (r registries) observe(ctx context.Context) (steps.Observation, error) {
	servers, unwanted, err := r.look(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	observation := steps.Observation{State: steps.AsWanted, Text: r.text()}
	missing := 0
	for _, f := range servers {
		if f.asWanted() {
			continue
		}
		if f.container == nil {
			missing++
		}
		observation.Differences = append(observation.Differences, steps.Difference{Field: f.server.Name, Have: f.have, Want: f.want})
	}
	for _, name := range unwanted {
		observation.Differences = append(observation.Differences, steps.Difference{Field: name, Have: "there", Want: "missing"})
	}
	uses, err := r.env.usesShared(sharedRegistry)
	switch {
	case err != nil:
		return steps.Observation{}, err
	case len(r.servers) == 0:
		observation.State, observation.Text = steps.Differs, "of an earlier file"
	case missing == len(servers):
		return steps.Observation{State: steps.Missing}, nil
	case len(observation.Differences) > 0:
		observation.State, observation.Text = steps.Differs, fmt.Sprintf("%d of %d are not as wanted", len(observation.Differences), len(servers))
	case !uses:
		observation.State, observation.Text = steps.Differs, notUsed
	}
	return observation, nil
}

// text says what there is, and from where else images come than the file says.
func (r registries) text() string {
	text := fmt.Sprintf("localhost:%d and %d caches", r.env.spec.Spec.Registry.Port, len(r.servers)-1)
	if len(r.overrides) > 0 {
		text += "; " + strings.Join(r.overrides, ", ")
	}
	return text
}

// undoRegistry removes the containers with the last environment that uses them. What they keep stays for the next one.
func (e *Environment) undoRegistry(ctx context.Context) (string, error) {
	removed := 0
	others, err := e.releaseShared(ctx, sharedRegistry, func(made []string) error {
		containers, err := e.Engine.ContainersNamed(ctx, made...)
		if err != nil {
			return err
		}
		containers = slices.DeleteFunc(containers, func(c engine.Container) bool { return !isOurs(c) })
		removed = len(containers)
		return e.Engine.RemoveContainers(ctx, names(containers)...)
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("removing registry and caches: %w", err)
	case len(others) > 0:
		return "left: used by " + strings.Join(others, ", "), nil
	case removed == 0:
		return "not there", nil
	}
	return fmt.Sprintf("%d removed; %s stays", removed, e.registryDir()), nil
}

func names(containers []engine.Container) []string {
	all := make([]string, len(containers))
	for i, c := range containers {
		all[i] = c.Name
	}
	return all
}
