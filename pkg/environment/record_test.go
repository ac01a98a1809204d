// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/profiles"
	"github.com/gardener/kindling/pkg/steps"
)

// local returns the environment of the profile local with a folder of its own.
func local(t *testing.T) *Environment {
	t.Helper()
	spec, err := profiles.Load("local")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := netplan.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := DefaultDir("local")
	if err != nil {
		t.Fatal(err)
	}
	return New(spec, plan, Options{Dir: dir})
}

func TestStepsStandInOrder(t *testing.T) {
	for _, profile := range profiles.List() {
		spec, err := profiles.Load(profile.Name)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := netplan.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, plugin := range []v1alpha1.NetworkPlugin{v1alpha1.NetworkPluginCalico, v1alpha1.NetworkPluginPlain} {
			spec.Spec.NetworkPlugin = plugin
			list, err := New(spec, plan, Options{}).Steps()
			if err == nil {
				err = list.Validate()
			}
			if err != nil {
				t.Errorf("%s with %s: %v", profile.Name, plugin, err)
			}
		}
	}
}

func TestLockIsOnesOwn(t *testing.T) {
	e := local(t)
	unlock, err := e.Lock()
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Lock()
	locked, ok := errors.AsType[*LockedError](err)
	if !ok || !strings.Contains(locked.Holder, "process ") {
		t.Fatalf("error %v", err)
	}
	unlock()
	if _, err := os.Stat(filepath.Dir(e.Dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the empty folder is left: %v", err)
	}
	unlock, err = e.Lock()
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestFilesOfOthersAreLeft(t *testing.T) {
	e := local(t)
	if err := e.makeDir(); err != nil {
		t.Fatal(err)
	}
	theirs := e.path("seed.yaml")
	if err := os.WriteFile(theirs, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.writeFile("seed.yaml", []byte("ours"), 0o600); !is[*ForeignError](err) {
		t.Errorf("overwriting: %v", err)
	}
	if err := e.writeFile("shoot.yaml", []byte("ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	stale, err := e.staleFiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.removeFiles(stale); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(e.Dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "seed.yaml" {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestADamagedRecordIsAnError(t *testing.T) {
	e := local(t)
	if err := e.makeDir(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.path(recordFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.record.cluster("a"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
}

const kubeconfig = `apiVersion: v1
kind: Config
current-context: kind-a
clusters: [{name: kind-a, cluster: {server: "https://127.0.0.1:1", certificate-authority-data: Zm9v}}]
contexts: [{name: kind-a, context: {cluster: kind-a, user: kind-a}}]
users: [{name: kind-a, user: {token: secret}}]
`

const users = `apiVersion: v1
kind: Config
current-context: mine
clusters: [{name: mine, cluster: {server: "https://example.com", certificate-authority: ca.crt}}]
contexts: [{name: mine, context: {cluster: mine, user: mine}}]
users: [{name: mine, user: {token: other}}]
`

func TestMergeAndUnmergeLeaveTheUsersEntries(t *testing.T) {
	e := local(t)
	e.MergeInto = filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(e.MergeInto, []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	name := e.clusters[0].kubeconfigName
	if err := e.writeFile(name, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.merge(t.Context(), "a", []byte(kubeconfig)); err != nil {
		t.Fatal(err)
	}
	if merged, err := e.isMerged([]byte(kubeconfig)); err != nil || !merged {
		t.Errorf("merged: %t, %v", merged, err)
	}
	content := read(t, e.MergeInto)
	if !strings.Contains(content, "current-context: kind-a") || !strings.Contains(content, "https://example.com") {
		t.Errorf("after merging:\n%s", content)
	}
	if err := e.unmerge(t.Context(), "a", e.path(name)); err != nil {
		t.Fatal(err)
	}
	content = read(t, e.MergeInto)
	if strings.Contains(content, "kind-a") || !strings.Contains(content, "https://example.com") || !strings.Contains(content, "token: other") || !strings.Contains(content, "certificate-authority: ca.crt") {
		t.Errorf("after unmerging:\n%s", content)
	}
}

func TestUnmergeLeavesAnotherClusterOfTheSameName(t *testing.T) {
	e := local(t)
	e.MergeInto = filepath.Join(t.TempDir(), "config")
	name := e.clusters[0].kubeconfigName
	if err := e.writeFile(name, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.merge(t.Context(), "a", []byte(kubeconfig)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.MergeInto, []byte(strings.Replace(kubeconfig, "Zm9v", "YmFy", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.unmerge(t.Context(), "a", e.path(name)); err != nil {
		t.Fatal(err)
	}
	if content := read(t, e.MergeInto); !strings.Contains(content, "kind-a") {
		t.Errorf("somebody else's cluster was removed:\n%s", content)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCompareConfigsNamesFields(t *testing.T) {
	have := &kindv1alpha4.Cluster{
		Name: "a", Networking: kindv1alpha4.Networking{PodSubnet: "10.0.0.0/15"},
		Nodes: []kindv1alpha4.Node{{Role: "control-plane", Labels: map[string]string{"zone": "0"}}},
	}
	want := have.DeepCopy()
	if differences, err := compareConfigs(have, want); err != nil || len(differences) > 0 {
		t.Errorf("%v, %v", differences, err)
	}
	want.Networking.PodSubnet = "10.0.0.0/14"
	want.Nodes[0].Labels = map[string]string{"zone": "1"}
	want.FeatureGates = map[string]bool{"A": true}
	differences, err := compareConfigs(have, want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]steps.Difference{
		{Field: "featureGates", Have: "not set", Want: `{"A":true}`, Recreate: true},
		{Field: "networking.podSubnet", Have: `"10.0.0.0/15"`, Want: `"10.0.0.0/14"`, Recreate: true},
		{Field: "nodes[0].labels.zone", Have: `"0"`, Want: `"1"`, Recreate: true},
	}, differences); diff != "" {
		t.Error(diff)
	}
	want = have.DeepCopy()
	want.Nodes = append(want.Nodes, kindv1alpha4.Node{Role: "worker"})
	if differences, err := compareConfigs(have, want); err != nil || len(differences) != 1 || differences[0].Field != "nodes" {
		t.Errorf("%v, %v", differences, err)
	}
}

// TestAFullDiskLeavesTheOldFile writes to a disk of two pages.
func TestAFullDiskLeavesTheOldFile(t *testing.T) {
	e := local(t)
	if err := e.makeDir(); err != nil {
		t.Fatal(err)
	}
	if err := mountTmpfs(e.Dir, "size=16k"); err != nil {
		t.Skipf("skipped: no small disk can be mounted here (needs root on Linux): %v", err)
	}
	t.Cleanup(func() { _ = unmount(e.Dir) })
	if err := e.writeFile("kubeconfig", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := e.writeFile("kubeconfig", make([]byte, 1<<20), 0o600)
	if err == nil || !strings.Contains(err.Error(), "no space left on device") || !strings.Contains(err.Error(), "kubeconfig") {
		t.Errorf("error %v", err)
	}
	if content := read(t, e.path("kubeconfig")); content != "old" {
		t.Errorf("the file is %q now", content)
	}
	entries, err := os.ReadDir(e.Dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
