// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package recipe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/hack/nodeimage/internal/cache"
	"github.com/gardener/kindling/hack/nodeimage/internal/release"
)

func TestStepsComeAfterWhatTheyNeed(t *testing.T) {
	inModule(t)
	for _, compress := range []bool{false, true} {
		steps, err := Steps(release.Current(), "packages", compress)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, step := range steps {
			for _, need := range step.Needs {
				if !seen[need] {
					t.Errorf("%s needs %s, which does not come before it", step.Name, need)
				}
			}
			seen[step.Name] = true
		}
		if seen[NodeArchive] != compress {
			t.Errorf("compressed archive is a step: %t, want %t", seen[NodeArchive], compress)
		}
	}
}

func TestAnotherTagChangesTheLastStepOnly(t *testing.T) {
	inModule(t)
	one, other := release.Current(), release.Current()
	other.Tag = "localhost/kindling/node:other"
	var inputs [2]map[string][]string
	for i, r := range []release.Release{one, other} {
		steps, err := Steps(r, "packages", false)
		if err != nil {
			t.Fatal(err)
		}
		inputs[i] = map[string][]string{}
		for _, step := range steps {
			if step.Name != NodeImage {
				inputs[i][step.Name] = step.Inputs
			}
		}
	}
	if diff := cmp.Diff(inputs[0], inputs[1]); diff != "" {
		t.Errorf("inputs differ:\n%s", diff)
	}
}

func TestStepsSayWhereToRun(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Steps(release.Current(), "packages", false); err == nil {
		t.Error("accepted a folder without the pause program")
	}
}

func TestMissingImages(t *testing.T) {
	list := []release.Image{{Name: "r/a:1"}, {Name: "r/b:1"}}
	tests := []struct {
		name   string
		wanted string
		want   []string
	}{
		{name: "is content when all are there", wanted: "r/a:1\nr/b:1\n"},
		{name: "names one with another tag", wanted: "r/a:2\nr/b:1\n", want: []string{"r/a:2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, missingImages(test.wanted, list)); diff != "" {
				t.Errorf("missing images differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNodeProgramsHaveAPlace(t *testing.T) {
	var got []string
	for _, entry := range nodePrograms(release.Current(), cache.Artefacts{}) {
		got = append(got, entry.Path)
	}
	want := []string{
		"usr/bin/kubeadm", "usr/bin/kubelet", "usr/bin/kubectl",
		"usr/local/bin/containerd", "usr/local/bin/ctr", "usr/local/bin/containerd-shim-runc-v2", "usr/local/bin/crictl",
		"opt/cni/bin/loopback", "opt/cni/bin/ptp", "opt/cni/bin/bridge", "opt/cni/bin/portmap", "opt/cni/bin/host-local",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("programs differ (-want +got):\n%s", diff)
	}
}

// inModule changes to the module's root, two folders up.
func inModule(t *testing.T) {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(filepath.Dir(here)))
}
