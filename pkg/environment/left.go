// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/steps"
)

// withLeft adds what is on record as used by the environment while the file of today, or its version of Gardener, names it no more: down
// goes by the record. Up leaves it: clusters that are there may use it yet.
func (e *Environment) withLeft(list steps.List) (steps.List, error) {
	used, err := e.sharesUsed()
	if err != nil {
		return nil, err
	}
	for _, one := range []steps.Step{
		{Name: stepLoopback, Title: "Loopback addresses", Undo: e.undoLoopback},
		{Name: stepMasquerade, Title: "Masquerading of IPv6", Needs: []string{stepNetwork}, Undo: e.undoMasquerade},
		{Name: stepDNS, Title: "DNS server of " + dns.Zone, Needs: []string{stepNetwork}, Undo: e.undoDNS},
		{Name: stepResolver, Title: "Resolver of this machine", Undo: e.undoResolver},
	} {
		if slices.Contains(used, one.Name) && !has(list, one.Name) {
			list = append(list, e.leftStep(one))
		}
	}
	if dirs := e.foldersLeft(used, list); len(dirs) > 0 && !e.KeepBackups {
		list = append(list, e.leftStep(steps.Step{
			Name: stepFoldersLeft, Title: "Folder for backups of etcd", Undo: func(ctx context.Context) (string, error) { return e.undoFolders(ctx, dirs) },
		}))
	}
	return list, nil
}

// leftStep is for down alone. Clusters go before what they may use.
func (e *Environment) leftStep(step steps.Step) steps.Step {
	step.Observe = func(context.Context) (steps.Observation, error) {
		return steps.Observation{State: steps.Skipped, Text: "left from before: down takes it back"}, nil
	}
	e.beforeNodes = append(e.beforeNodes, step.Name)
	return step
}

// sharesUsed are the names of what is on record as used by the environment.
func (e *Environment) sharesUsed() ([]string, error) {
	all, err := readShared(e.sharedPath(sharedFile))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return !slices.Contains(all[name].Users, e.Dir) }), nil
}

// foldersLeft are folders on record, which are shared by their paths, without the one that a step of the list is for.
func (e *Environment) foldersLeft(used []string, list steps.List) []string {
	return slices.DeleteFunc(slices.Clone(used), func(name string) bool {
		return !filepath.IsAbs(name) || has(list, stepFolders) && name == e.backupBucketsDir()
	})
}

func has(list steps.List, name string) bool {
	return slices.ContainsFunc(list, func(step steps.Step) bool { return step.Name == name })
}
