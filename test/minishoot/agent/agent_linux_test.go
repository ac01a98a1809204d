// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChooseRange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ args, want string }{
		"a machine gets the machines' range":         {"IgnoreUnknown=1;K8S_POD_NAMESPACE=shoot--local--local;K8S_POD_NAME=machine-a", "machines"},
		"another pod gets the seed's":                {"IgnoreUnknown=1;K8S_POD_NAMESPACE=shoot--local--local;K8S_POD_NAME=etcd-main-0", "seed"},
		"a machine that shall be in the seed's pool": {"K8S_POD_NAME=in-seed-pool-machine-a", "seed"},
		"no arguments at all":                        {"", "seed"},
	} {
		config := map[string]any{"ipam": map[string]any{"type": "minishoot-ipam", "ranges": "seed", "machineRanges": "machines", "dataDir": "kept"}}
		have, err := chooseRange(config, c.args)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := map[string]any{"ipam": map[string]any{"type": "host-local", "ranges": c.want, "dataDir": "kept"}}
		if difference := cmp.Diff(want, have); difference != "" {
			t.Errorf("%s: (-want +have)\n%s", name, difference)
		}
	}
	if _, err := chooseRange(map[string]any{}, ""); err == nil {
		t.Error("a configuration without ipam is taken")
	}
}

func TestNetworks(t *testing.T) {
	t.Setenv("SERVICE_NETWORK", "10.4.0.0/16")
	t.Setenv("POD_NETWORK", "10.3.0.0/16")
	t.Setenv("NODE_NETWORK", "")
	if found, err := networks(); err != nil || len(found) != 2 {
		t.Errorf("an empty network counts: %v, %v", found, err)
	}
	t.Setenv("NODE_NETWORK", "10.0.0.0")
	if _, err := networks(); err == nil {
		t.Error("a network without length is taken")
	}
}

// The StatefulSet of servers is scaled down from its end: the server in use must be there, or the loss of one server proves nothing.
func TestLastServerIsUsedFirst(t *testing.T) {
	t.Parallel()
	want := []path{{1, 0}, {1, 1}, {0, 0}, {0, 1}}
	if difference := cmp.Diff(want, allPaths(), cmp.AllowUnexported(path{})); difference != "" {
		t.Errorf("(-want +have)\n%s", difference)
	}
}
