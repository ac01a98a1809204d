// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/doctor"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/render"
)

// ownContainers tells the nodes of this environment, and what environments share, from all else.
func (e *Environment) ownContainers(containers []engine.Container) (own, others []engine.Container) {
	for _, container := range containers {
		_, labelled := container.Labels[render.EnvironmentLabel]
		isNode := slices.ContainsFunc(e.clusters, func(c *cluster) bool { return container.Labels[kindClusterLabel] == c.spec.Name })
		if labelled || isNode {
			own = append(own, container)
		} else {
			others = append(others, container)
		}
	}
	return own, others
}

// withoutPublished leaves out the ports that containers have.
func withoutPublished(ports []hostPort, containers []engine.Container) []hostPort {
	return slices.DeleteFunc(ports, func(port hostPort) bool {
		return slices.ContainsFunc(containers, func(container engine.Container) bool { return publishes(container, port.AddrPort, port.protocol) })
	})
}

// livingRecords reads the records of all environments that kindling knows of, by their paths: those in its folder, and those of folders that use
// something shared.
func (e *Environment) livingRecords(all map[string]share) (map[string]recordContent, error) {
	paths, err := filepath.Glob(filepath.Join(e.StateDir, "*", recordFile))
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		for _, dir := range one.Users {
			paths = union(paths, filepath.Join(dir, recordFile))
		}
	}
	records := map[string]recordContent{}
	for _, path := range union(paths, e.record.path) {
		content, err := (&record{path: path}).read()
		if err != nil {
			return nil, err
		}
		if exists(path) {
			records[path] = content
		}
	}
	return records, nil
}

// leftoverFacts finds records whose clusters are gone, and containers and networks with kindling's label that no living environment uses.
func (e *Environment) leftoverFacts(ctx context.Context, containers []engine.Container) ([]doctor.Leftover, error) {
	all, err := readShared(e.sharedPath(sharedFile))
	if err != nil {
		return nil, err
	}
	records, err := e.livingRecords(all)
	if err != nil {
		return nil, err
	}
	left := deadRecords(records, containers)
	left = append(left, deadContainers(all, containers)...)
	left = append(left, deadShares(all)...)
	network, err := e.deadNetwork(ctx, records, containers)
	return append(left, network...), err
}

// deadRecords are those of which no cluster has a container. One whose folder is locked is being worked on.
func deadRecords(records map[string]recordContent, containers []engine.Container) []doctor.Leftover {
	var left []doctor.Leftover
	for _, path := range slices.Sorted(maps.Keys(records)) {
		clusters := slices.Sorted(maps.Keys(records[path].Clusters))
		alive := slices.ContainsFunc(containers, func(c engine.Container) bool { return slices.Contains(clusters, c.Labels[kindClusterLabel]) })
		if !alive && len(clusters) > 0 && !exists(filepath.Join(filepath.Dir(path), lockFile)) {
			left = append(left, doctor.Leftover{Kind: doctor.LeftRecord, Name: path, Why: "is of clusters that are gone: " + strings.Join(clusters, ", ")})
		}
	}
	return left
}

// deadShares are addresses, rules, entries of a resolver and folders that were added for environments of which none is up. Containers are found
// by themselves.
func deadShares(all map[string]share) []doctor.Leftover {
	var left []doctor.Leftover
	for _, name := range slices.Sorted(maps.Keys(all)) {
		one := all[name]
		if name == sharedRegistry || name == stepDNS || len(one.Made) == 0 || len(one.Users) == 0 || slices.ContainsFunc(one.Users, isUp) {
			continue
		}
		left = append(left, doctor.Leftover{
			Kind: doctor.LeftShare, Name: name, Folder: one.Users[0],
			Why: "is left (" + strings.Join(one.Made, ", ") + "): no environment that needs it is up",
		})
	}
	return left
}

// deadContainers are those with kindling's label which no environment uses that is up. It is certain for those that this user's environments have
// on record as made; others may be another user's.
func deadContainers(all map[string]share, containers []engine.Container) []doctor.Leftover {
	madeBy := map[string]bool{} // by name: whether one who uses it is up
	for _, one := range all {
		for _, name := range one.Made {
			madeBy[name] = madeBy[name] || slices.ContainsFunc(one.Users, isUp)
		}
	}
	var left []doctor.Leftover
	for _, container := range containers {
		environment, labelled := container.Labels[render.EnvironmentLabel]
		used, recorded := madeBy[container.Name]
		switch {
		case !labelled || used:
		case recorded:
			left = append(left, doctor.Leftover{
				Kind: doctor.LeftContainer, Name: container.Name, Dead: true,
				Why: "was made for environment " + environment + ", and no environment that is up uses it",
			})
		default:
			left = append(left, doctor.Leftover{
				Kind: doctor.LeftContainer, Name: container.Name,
				Why: "was made for environment " + environment + ", which is not on record here: it may be another user's, or of another $XDG_STATE_HOME",
			})
		}
	}
	return left
}

// deadNetwork is the container network when kindling made it, nothing is attached to it, and no environment is on record.
func (e *Environment) deadNetwork(ctx context.Context, records map[string]recordContent, containers []engine.Container) ([]doctor.Leftover, error) {
	if len(records) > 0 {
		return nil, nil
	}
	networks, err := e.Engine.Networks(ctx)
	var left []doctor.Leftover
	for _, network := range networks {
		environment, labelled := network.Labels[render.EnvironmentLabel]
		if !labelled || slices.ContainsFunc(containers, func(c engine.Container) bool { _, on := c.Addresses[network.Name]; return on }) {
			continue
		}
		left = append(left, doctor.Leftover{
			Kind: doctor.LeftNetwork, Name: network.Name, Dead: true,
			Why: "was made for environment " + environment + ", and nothing is attached to it",
		})
	}
	return left, err
}

// DoctorFix does what a finding says can be done, unless that has changed since.
func (e *Environment) DoctorFix(ctx context.Context, fix doctor.Fix) (string, error) {
	switch fix.Kind {
	case doctor.RemoveFile:
		return "removed " + fix.Target, os.Remove(fix.Target)
	case doctor.RaiseLimit:
		if _, err := e.onHost(ctx, "", "sysctl", "--write", fix.Target); err != nil {
			return "", fmt.Errorf("raising a limit of the engine's host: %w: raise it there with sysctl -w %s", err, fix.Target)
		}
		return "set " + fix.Target + " until the next boot of the engine's host", nil
	case doctor.RemoveNetwork:
		text, err := e.undoNetwork(ctx)
		return "network " + fix.Target + ": " + text, err
	case doctor.RemoveContainer:
		return e.removeDead(ctx, fix.Target)
	}
	return "", fmt.Errorf("%s of %s is not known", fix.Kind, fix.Target)
}

// removeDead looks again while nobody else changes what environments share.
func (e *Environment) removeDead(ctx context.Context, name string) (string, error) {
	unlock, err := e.lockShared(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	containers, err := e.Engine.Containers(ctx, nil)
	if err != nil {
		return "", err
	}
	all, err := readShared(e.sharedPath(sharedFile))
	if err != nil {
		return "", err
	}
	for _, left := range deadContainers(all, containers) {
		if left.Name == name && left.Dead {
			return "removed container " + name, e.Engine.RemoveContainers(ctx, name)
		}
	}
	return "left container " + name + ": it is used again, or gone", nil
}
