// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package environment holds the steps of an environment in one readable list, and what each of them does.
package environment

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/calico"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/privileged"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// Options are what an environment needs from outside.
type Options struct {
	Engine *engine.Engine
	Kind   kindcluster.Provider
	// Dir is the folder of the environment's own files: kubeconfigs, seed.yaml, shoot.yaml, record. See DefaultDir.
	Dir string
	// DirIsGiven says that the user chose Dir, so that it stays when it is empty.
	DirIsGiven bool
	// StateDir holds the record of what environments share. See DefaultStateDir.
	StateDir string
	// CacheDir holds downloaded manifests, for all environments.
	CacheDir string
	// HTTPClient downloads manifests.
	HTTPClient *http.Client
	// CgroupV1 says that the engine's host has cgroup v1.
	CgroupV1 bool
	// Info is what the engine told of its host.
	Info engine.Info
	// Privileged does what takes the rights of root on this machine. Nil where nothing of the kind is done.
	Privileged *privileged.Runner
	// Machine is this machine's loopback interface; nil for the real one.
	Machine Machine
	// HostRoot is the root folder of this machine's resolver configuration; empty for /.
	HostRoot string
	// Kubeconfigs are copies by the name of the cluster, beside those in Dir.
	Kubeconfigs map[string][]checkout.Kubeconfig
	// CI says that caches of the cluster which kindling runs in are used, where there are any.
	CI bool
	// KeepBackups leaves folders for backups of etcd that are on record and that the file does not name.
	KeepBackups bool
	// MergeInto is the user's kubeconfig that gets the clusters' entries; empty for none.
	MergeInto string
	// SeedForm of seed.yaml; empty chooses by the version of Gardener.
	SeedForm render.SeedForm
}

// Environment is an environment that can be brought up, looked at, and taken down.
type Environment struct {
	Options
	spec     *v1alpha1.Environment
	plan     *netplan.Plan
	record   *record
	clusters []*cluster
	// beforeNodes are the names of the steps that clusters are made after.
	beforeNodes []string

	// merging keeps clusters from changing the user's kubeconfig at the same time.
	merging sync.Mutex

	whereOnce sync.Once
	where     enginehost.Where
	whereErr  error

	factsMutex sync.Mutex
	knownFacts *enginehost.Facts

	noticesMutex sync.Mutex
	notices      []string

	manifestOnce sync.Once
	manifestData []byte
	manifestErr  error
}

// New returns the environment of a checked plan. It touches nothing.
func New(spec *v1alpha1.Environment, plan *netplan.Plan, opts Options) *Environment {
	e := &Environment{Options: opts, spec: spec, plan: plan, record: &record{path: opts.path(recordFile)}}
	for i, c := range spec.Spec.Clusters {
		e.clusters = append(e.clusters, &cluster{env: e, spec: c, kubeconfigName: kubeconfigName(i, c.Name)})
	}
	return e
}

// Steps returns everything that the environment consists of, in the order in which people read it, and what an earlier file left.
func (e *Environment) Steps() (steps.List, error) {
	orphans, err := e.orphans()
	if err != nil {
		return nil, err
	}
	list := steps.List{e.nodeImages()}
	e.beforeNodes = []string{stepNetwork}
	if e.calicoWanted() {
		list = append(list, e.calicoManifest())
	}
	if !e.spec.Spec.ClustersOnly {
		list = append(list, e.engineHost())
	}
	if e.wantsLoopback() {
		list = append(list, e.loopbackAddresses())
		e.beforeNodes = append(e.beforeNodes, stepLoopback)
	}
	list = append(list, e.containerNetwork())
	if e.wantsMasquerade() {
		list = append(list, e.masquerading())
	}
	list = e.withDNS(list)
	if e.wantsBackupBuckets() {
		list = append(list, e.folders())
		e.beforeNodes = append(e.beforeNodes, stepFolders)
	}
	if e.registryWanted() {
		list = append(list, e.mirrors())
		e.beforeNodes = append(e.beforeNodes, stepMirrors)
	}
	left, err := e.registryLeft()
	if err != nil {
		return nil, err
	}
	if left || e.registryWanted() {
		list = append(list, e.registry())
	}
	if list, err = e.withLeft(list); err != nil {
		return nil, err
	}
	for _, orphan := range orphans {
		list = append(list, orphan.orphanStep())
		e.beforeNodes = append(e.beforeNodes, orphan.step("cluster"))
	}
	var ready []string
	for _, c := range e.clusters {
		own, before := c.list()
		list, ready = append(list, own...), append(ready, before...)
	}
	return append(list, e.files(ready)), nil
}

// list returns the steps of a cluster, and the names of those that it is ready with.
func (c *cluster) list() (list steps.List, ready []string) {
	spec := c.env.spec.Spec
	list = steps.List{c.create(), c.kubeconfigStep(), c.settings(), c.capacity()}
	ready = c.steps("settings", "capacity")
	if c.env.plan.Gardener.Has(gardener.ServingCertificates) {
		list = append(list, c.certificates())
		ready = append(ready, c.step("certificates"))
	}
	var metrics []string
	if *spec.MetricsServer.Enabled {
		list = append(list, c.metricsServer())
		metrics = c.steps("metrics-server")
	}
	if c.wantsGardenPorts() {
		list = append(list, c.gardenPorts())
		ready = append(ready, c.step("garden-ports"))
	}
	if *spec.DNS.Enabled {
		list = append(list, c.names())
		ready = append(ready, c.step("names"))
	}
	if c.env.calicoWanted() {
		list = append(list, c.images(), c.calicoCRDs(), c.calicoPools(), c.admission(), c.calico(), c.ready("calico", "images"), c.addresses())
		ready = append(ready, c.step("addresses"))
	} else {
		list = append(list, c.plain(), c.ready("plain"))
		ready = append(ready, c.step("ready"))
	}
	if c.wantsAuthorizer() {
		list = append(list, c.authorizer(slices.Concat(ready, metrics)))
		ready = append(ready, c.step("authorizer"))
	}
	if *spec.DNS.Enabled {
		list = append(list, c.lookupStep())
	}
	return list, ready
}

// Notices says what the environment does not cover. How pools are encapsulated is known once a step has asked a node.
func (e *Environment) Notices() []string {
	opts := e.renderOptions(e.spec.Spec.Calico.Encapsulation)
	if known := e.clusters[0].knownEncapsulation(); known != "" {
		opts.Encapsulation = known
	}
	e.noticesMutex.Lock()
	defer e.noticesMutex.Unlock()
	return append(render.Notices(e.spec, e.plan, opts), e.notices...)
}

// renderOptions are what files depend on beside the environment.
func (e *Environment) renderOptions(encapsulation v1alpha1.Encapsulation) render.Options {
	return render.Options{
		Encapsulation: encapsulation, CgroupV1: e.CgroupV1, SeedForm: e.SeedForm, Dir: e.Dir, SharedDir: e.StateDir,
		EngineRemote: e.remote(), EngineSocket: e.where.Socket,
	}
}

func (e *Environment) calicoWanted() bool {
	return e.spec.Spec.NetworkPlugin == v1alpha1.NetworkPluginCalico
}

// name of the environment.
func (e *Environment) name() string { return e.spec.Metadata.Name }

// calicoSource returns where the manifest comes from.
func (e *Environment) calicoSource() (calico.Source, error) {
	settings := e.spec.Spec.Calico
	if settings.Manifest != (v1alpha1.Manifest{}) {
		return calico.Source{
			Version: settings.Version, URL: settings.Manifest.URL, Path: settings.Manifest.Path, SHA256: settings.Manifest.SHA256,
		}, nil
	}
	source, known := calico.Pinned(settings.Version)
	if !known {
		return calico.Source{}, fmt.Errorf("no checksum is known for the manifest of Calico %s (known are %v): "+
			"give spec.calico.manifest with path, or with url and sha256", settings.Version, calico.PinnedVersions())
	}
	return source, nil
}

// manifest returns a fresh copy of the parsed manifest.
func (e *Environment) manifest(ctx context.Context) (*calico.Manifest, error) {
	e.manifestOnce.Do(func() {
		source, err := e.calicoSource()
		if err != nil {
			e.manifestErr = err
			return
		}
		e.manifestData, e.manifestErr = calico.Fetcher{CacheDir: e.CacheDir, Client: e.HTTPClient}.Fetch(ctx, source)
	})
	if e.manifestErr != nil {
		return nil, e.manifestErr
	}
	return calico.Parse(e.manifestData)
}

// Kubeconfig returns the path of the first cluster's kubeconfig.
func (e *Environment) Kubeconfig() string { return e.clusters[0].kubeconfigPath() }
