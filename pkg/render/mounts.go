// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"

	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// Folders of the backups of etcd: below dev in a checkout of Gardener, or beside rendered files; and below what environments share.
const (
	backupBuckets       = "local-backupbuckets"
	sharedBackupBuckets = "backupbuckets"
)

// structuredAuthorization: the API server of the kind cluster has an AuthorizationConfiguration (gardener/gardener#10984).
const structuredAuthorization gardener.Feature = 111

// mount is a folder or file of the engine's host in all nodes of a cluster.
type mount struct {
	kindv1alpha4.Mount
	wanted bool
}

// mounts of all nodes, before those of the environment file.
func (w wiring) mounts(opts Options) []kindv1alpha4.Mount {
	checkout := w.env.Spec.Gardener.Dir
	var mounts []kindv1alpha4.Mount
	for _, m := range []mount{
		{kindv1alpha4.Mount{HostPath: BackupBucketsDir(w.env, opts), ContainerPath: "/etc/gardener/local-backupbuckets"}, w.has(v1alpha1.PartBackupBucket)},
		{
			kindv1alpha4.Mount{HostPath: filepath.Join(checkout, "example/gardener-local/controlplane"), ContainerPath: controlPlaneDir, Readonly: true},
			w.hasWebhookFlags(),
		},
		{
			kindv1alpha4.Mount{HostPath: filepath.Join(checkout, "example/gardener-local/kube-apiserver"), ContainerPath: authorizationDir, Readonly: true},
			w.hasAuthorizationConfig(),
		},
		{
			kindv1alpha4.Mount{HostPath: filepath.Join(opts.dir(), MirrorsDir), ContainerPath: nodeMirrorsDir, Readonly: true},
			*w.env.Spec.Registry.Enabled,
		},
		// Readable and writable: kind writes the file when a node starts, with what is in it already.
		{kindv1alpha4.Mount{HostPath: filepath.Join(opts.dir(), ResolvConfFile), ContainerPath: "/etc/resolv.conf"}, HasResolvConf(w.env, w.plan) && !opts.EngineRemote},
		// Load balancers are containers that Gardener makes by the engine's socket; they publish ports on the loopback addresses.
		{kindv1alpha4.Mount{HostPath: opts.socket(), ContainerPath: "/var/run/docker.sock"}, hasEngineSocket(w.env, w.plan)},
	} {
		if m.wanted {
			mounts = append(mounts, m.Mount)
		}
	}
	return mounts
}

func hasEngineSocket(env *v1alpha1.Environment, plan *netplan.Plan) bool {
	return plan.Gardener.Has(gardener.LoadBalancerContainers) && !env.Spec.ClustersOnly
}

// DependsOnEngineHost says whether what nodes mount depends on where the engine's host is: its socket, and files that another machine has not.
func DependsOnEngineHost(env *v1alpha1.Environment, plan *netplan.Plan) bool {
	return HasResolvConf(env, plan) || hasEngineSocket(env, plan)
}

// BackupBucketsDir is the folder with the backups of etcd. All seeds of a garden have the same one, as a control plane that moves to another seed
// is restored there from what it wrote before.
func BackupBucketsDir(env *v1alpha1.Environment, opts Options) string {
	switch {
	case env.Spec.Gardener.Dir != "":
		return filepath.Join(env.Spec.Gardener.Dir, "dev", backupBuckets)
	case opts.SharedDir != "":
		return filepath.Join(opts.SharedDir, sharedBackupBuckets, env.Spec.Gardener.Cluster)
	}
	return filepath.Join(opts.dir(), backupBuckets)
}

// dir is the folder of the environment's files in a kind configuration: where it is not known, kind counts from where it runs.
func (o Options) dir() string {
	if o.Dir == "" {
		return "."
	}
	return o.Dir
}

func (o Options) socket() string {
	if o.EngineSocket == "" {
		return "/var/run/docker.sock"
	}
	return o.EngineSocket
}
