// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLeftovers(t *testing.T) {
	const ours = "/s/exec/containerd/containerd.sock"
	containerd := entry{process: process{PID: 10}, parent: 1, name: "containerd", args: []string{"containerd", "--config", "/s/exec/containerd/containerd.toml"}}
	shim := entry{process: process{PID: 20}, parent: 10, name: "containerd-shim-runc-v2", args: []string{"shim", "-address", ours}}
	container := entry{process: process{PID: 21}, parent: 20, name: "systemd", args: []string{"/sbin/init"}}
	foreign := entry{process: process{PID: 30}, parent: 1, name: "containerd-shim-runc-v2", args: []string{"shim", "-address", "/run/containerd/containerd.sock"}}
	foreignContainer := entry{process: process{PID: 31}, parent: 30, name: "sleep", args: []string{"sleep"}}
	reader := entry{process: process{PID: 40}, parent: 1, name: "tail", args: []string{"tail", ours}}
	tests := []struct {
		name  string
		table []entry
		want  []process
	}{
		{
			name:  "ends containerd and shims before the containers they would restart",
			table: []entry{container, containerd, shim},
			want:  []process{{PID: 10}, {PID: 20}, {PID: 21}},
		},
		{name: "leaves another engine and its containers alone", table: []entry{foreign, foreignContainer}},
		{name: "leaves a program alone that only reads our files", table: []entry{reader}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, leftovers(test.table, "/s/exec")); diff != "" {
				t.Errorf("leftovers differ (-want +got):\n%s", diff)
			}
		})
	}
}
