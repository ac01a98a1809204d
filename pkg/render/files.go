// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/netplan"
)

// File is a rendered file.
type File struct {
	Name    string
	Content []byte
}

// Files renders everything of an environment. With several clusters the files of all but the first carry the cluster's or
// seed's name.
func Files(env *v1alpha1.Environment, plan *netplan.Plan, opts Options) ([]File, error) {
	files := Mirrors(env, plan)
	add := func(name string, content []byte, err error) error {
		if err == nil {
			files = append(files, File{name, content})
		}
		return err
	}
	if HasResolvConf(env, plan) {
		files = append(files, File{ResolvConfFile, dns.ResolvConf(DNSAddresses(plan))})
	}
	for i, cluster := range env.Spec.Clusters {
		content, err := KindConfig(env, plan, cluster, opts)
		if err := add("kind-"+cluster.Name+".yaml", content, err); err != nil {
			return nil, err
		}
		if plan.NetworkPlugin == v1alpha1.NetworkPluginCalico {
			content, err = CalicoPools(env, plan, cluster, opts)
			if err := add(named("calico-pools", i, cluster.Name), content, err); err != nil {
				return nil, err
			}
		}
		if HasNodeCapacity(plan, cluster) {
			content, err = NodeCapacity(plan)
			if err := add(named("node-capacity", i, cluster.Name), content, err); err != nil {
				return nil, err
			}
		}
		if *env.Spec.MetricsServer.Enabled {
			content, err = MetricsServer(env, plan)
			if err := add(named("metrics-server", i, cluster.Name), content, err); err != nil {
				return nil, err
			}
		}
		content, err = Seed(plan, cluster, opts)
		if err := add(named("seed", i, cluster.Seed), content, err); err != nil {
			return nil, err
		}
	}
	if len(plan.Shoots) == 0 {
		return files, nil
	}
	content, err := Shoots(plan)
	return files, add("shoot.yaml", content, err)
}

func named(base string, index int, name string) string {
	if index == 0 {
		return base + ".yaml"
	}
	return base + "-" + name + ".yaml"
}
