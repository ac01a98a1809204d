// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package runtimeshim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindTarget(t *testing.T) {
	tests := []struct {
		name  string
		args  []string
		want  target
		found bool
	}{
		{
			name:  "takes the bundle of create behind options with values",
			args:  []string{"--root", "/run/create", "--log-format", "json", "create", "--bundle", "/b", "--pid-file", "/p", "id"},
			want:  target{path: "/b/config.json"},
			found: true,
		},
		{
			name:  "takes a bundle that is attached to its option",
			args:  []string{"--systemd-cgroup", "run", "--bundle=/b", "id"},
			want:  target{path: "/b/config.json"},
			found: true,
		},
		{
			name:  "takes the working folder when run names no bundle",
			args:  []string{"run", "id"},
			want:  target{path: "config.json"},
			found: true,
		},
		{
			name:  "takes the process file of exec",
			args:  []string{"--root=/r", "exec", "--process", "/p.json", "--detach", "id"},
			want:  target{path: "/p.json", process: true},
			found: true,
		},
		{
			name:  "takes the short option",
			args:  []string{"exec", "-p", "/p.json", "id"},
			want:  target{path: "/p.json", process: true},
			found: true,
		},
		{name: "leaves an exec with its own command line alone", args: []string{"exec", "id", "ls", "--", "-p", "x"}},
		{name: "leaves other commands alone", args: []string{"--root", "/r", "delete", "--force", "id"}},
		{name: "leaves a bare option alone", args: []string{"--version"}},
		{name: "leaves an empty command line alone"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, found := findTarget(test.args)
			if found != test.found {
				t.Fatalf("found %t, want %t", found, test.found)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(target{})); found && diff != "" {
				t.Errorf("target differs (-want +got):\n%s", diff)
			}
		})
	}
}
