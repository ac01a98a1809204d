// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/netplan"
)

func newKindDownCommand(streams IOStreams) *cobra.Command {
	options := &kindUpOptions{}
	down := &downOptions{}
	var keepBackups bool
	command := &cobra.Command{
		Use:   "kind-down",
		Short: "Stand in for hack/kind-down.sh and dev-setup/kind.sh down of a checkout of Gardener",
		Long: `Take down what kind-up made for a cluster: the cluster, its kubeconfigs with all their copies, and what the last environment on this
host shares: container network, registry, DNS. Backups that another cluster uses stay, whatever the flag says.`,
		Example: "  kindling kind-down --cluster-name gardener-local",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			opened, err := options.openCheckout()
			if err != nil {
				return err
			}
			env, err := standIn(opened, options.clusterName, keepBackups)
			if err != nil {
				return err
			}
			plan, err := netplan.New(env)
			if err != nil {
				return err
			}
			down.keepBackups = keepBackups
			down.engine, down.dir = options.engine, options.dir
			return down.takeDown(command.Context(), streams, env, plan)
		},
	}
	flags := command.Flags()
	options.addScriptFlags(flags)
	flags.BoolVar(&keepBackups, "keep-backupbuckets-dir", false, "leave the folder for backups of etcd")
	down.addRunFlags(flags)
	down.output = outputFlag(flags)
	return command
}

// standIn returns an environment with the names of the one that kind-up made: down goes by names and by what is on record.
func standIn(opened checkout.Checkout, name string, keepBackups bool) (*v1alpha1.Environment, error) {
	cluster := v1alpha1.Cluster{Name: name}
	if keepBackups {
		cluster.Parts = []v1alpha1.Part{v1alpha1.PartSeed}
	}
	source, err := yaml.Marshal(&v1alpha1.Environment{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind, Metadata: v1alpha1.Metadata{Name: name},
		Spec: v1alpha1.EnvironmentSpec{
			Gardener: v1alpha1.Gardener{Version: opened.Version.String(), Dir: opened.Dir}, Clusters: []v1alpha1.Cluster{cluster},
		},
	})
	if err != nil {
		return nil, err
	}
	return v1alpha1.Load(source, "of cluster "+name)
}
