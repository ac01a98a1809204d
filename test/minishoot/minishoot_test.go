// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
)

func fixture(t *testing.T, ha bool) *Fixture {
	t.Helper()
	f := &Fixture{
		opts:    Options{HA: ha, NodeAddress: netip.MustParseAddr("172.18.0.2"), Networks: DefaultNetworks()},
		images:  images{"registry.k8s.io/pause:1", "registry.k8s.io/etcd:1", "registry.k8s.io/kube-apiserver:v1.37.2", "registry.k8s.io/kube-controller-manager:v1", "registry.k8s.io/kube-proxy:v1"},
		gateway: netip.MustParseAddr("10.2.11.184"),
	}
	var err error
	if f.identity, err = newIdentity(f.names()); err != nil {
		t.Fatal(err)
	}
	return f
}

// seedOf returns the objects in the seed, by name and without Secrets, which differ each time.
func seedOf(t *testing.T, f *Fixture, faults Faults) map[string]*unstructured.Unstructured {
	t.Helper()
	objects, err := f.seedObjects(f.values(faults))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]*unstructured.Unstructured{}
	for _, object := range objects {
		if object.GetKind() != "Secret" {
			named[kube.Name(object)] = object
		}
	}
	return named
}

// TestFaultsChange holds each fault to the objects that it changes, in the seed, and to no others.
func TestFaultsChange(t *testing.T) {
	t.Parallel()
	const own = TechnicalID + "/"
	for name, c := range map[string]struct {
		faults    Faults
		nonHA, ha []string
	}{
		"nodes empty": {
			faults: Faults{NodesEmpty: true},
			nonHA:  []string{"Cluster " + TechnicalID, "Deployment " + own + "vpn-seed-server", "Shoot garden-local/local"},
			ha:     []string{"Cluster " + TechnicalID, "Deployment " + own + "kube-apiserver", "Shoot garden-local/local", "StatefulSet " + own + "vpn-seed-server"},
		},
		"another machine, outside the machines' range": {
			faults: Faults{MachineInSeedPool: true},
			nonHA:  []string{"Machine " + own + machineName, "Pod " + own + "in-seed-pool-" + machineName, "Pod " + own + machineName},
			ha:     []string{"Machine " + own + machineName, "Pod " + own + "in-seed-pool-" + machineName, "Pod " + own + machineName},
		},
		"a policy": {
			faults: Faults{PermissivePolicy: true}, nonHA: []string{"NetworkPolicy " + own + "allow-machine-pods"}, ha: []string{"NetworkPolicy " + own + "allow-machine-pods"},
		},
		"the old bypass": {
			faults: Faults{MachinesService: true},
			nonHA:  []string{"Deployment " + own + "kube-apiserver", "Service " + own + "machines"},
			ha:     []string{"Deployment " + own + "kube-apiserver", "Service " + own + "machines"},
		},
		"no server": {
			faults: Faults{SeedEndDead: true}, nonHA: []string{"Deployment " + own + "vpn-seed-server"}, ha: []string{"StatefulSet " + own + "vpn-seed-server"},
		},
		"no client in the shoot, and nothing in the seed": {faults: Faults{ShootEndDead: true}},
		"no route for services": {
			faults: Faults{ServicesUnrouted: true}, nonHA: []string{"Deployment " + own + "vpn-seed-server"},
			ha: []string{"Deployment " + own + "kube-apiserver", "StatefulSet " + own + "vpn-seed-server"},
		},
	} {
		for ha, want := range map[bool][]string{false: c.nonHA, true: c.ha} {
			f := fixture(t, ha)
			before, after := seedOf(t, f, Faults{}), seedOf(t, f, c.faults)
			var changed []string
			for object := range before {
				if !cmp.Equal(before[object], after[object]) {
					changed = append(changed, object)
				}
			}
			for object := range after {
				if before[object] == nil {
					changed = append(changed, object)
				}
			}
			slices.Sort(changed)
			if difference := cmp.Diff(want, changed); difference != "" {
				t.Errorf("%s, high availability %t: (-want +have)\n%s", name, ha, difference)
			}
		}
	}
}

func TestShootEndScales(t *testing.T) {
	t.Parallel()
	for ha, want := range map[bool]int64{false: 1, true: 2} {
		f := fixture(t, ha)
		for faults, want := range map[Faults]int64{{}: want, {ShootEndDead: true}: 0} {
			objects, err := shootObjects(f.values(faults))
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(objects, func(object *unstructured.Unstructured) bool {
				return strings.HasSuffix(kube.Name(object), " kube-system/vpn-shoot")
			})
			if i < 0 {
				t.Fatal("there is no vpn-shoot")
			}
			if have, _, _ := unstructured.NestedFieldNoCopy(objects[i].Object, "spec", "replicas"); fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("high availability %t, %+v: %v replicas, want %d", ha, faults, have, want)
			}
		}
	}
}

func TestMachineRange(t *testing.T) {
	t.Parallel()
	data, err := withMachineRange([]byte(`{"cniVersion":"0.3.1","name":"kindling","plugins":[{"type":"ptp","ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24"}]]}},{"type":"portmap"}]}`),
		netip.MustParsePrefix("10.0.0.0/24"))
	if err != nil {
		t.Fatal(err)
	}
	var have, want any
	if err := json.Unmarshal(data, &have); err != nil {
		t.Fatal(err)
	}
	const text = `{"cniVersion":"0.3.1","name":"kindling","plugins":[{"type":"ptp","ipam":{"type":"minishoot-ipam",
		"ranges":[[{"subnet":"10.1.0.0/24"}]],"machineRanges":[[{"subnet":"10.0.0.0/24"}]]}},{"type":"portmap"}]}`
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if difference := cmp.Diff(want, have); difference != "" {
		t.Errorf("(-want +have)\n%s", difference)
	}
	for _, unfit := range []string{"", "{}", `{"plugins":[]}`, `{"plugins":[{"type":"ptp"}]}`} {
		if _, err := withMachineRange([]byte(unfit), netip.MustParsePrefix("10.0.0.0/24")); err == nil {
			t.Errorf("%q is taken", unfit)
		}
	}
}
