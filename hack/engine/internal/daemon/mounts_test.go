// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sampleMounts = `22 1 254:0 / / rw - ext4 /dev/vda rw
30 22 0:40 / /var/lib/engine/data/overlay2/a/merged rw - overlay overlay rw
31 22 0:41 / /var/lib/engine-of-others/x rw - tmpfs tmpfs rw
32 30 0:42 / /var/lib/engine/data/overlay2/a/merged/my\040data rw - tmpfs tmpfs rw
`

func TestMountPoints(t *testing.T) {
	tests := []struct {
		name   string
		folder string
		want   []string
	}{
		{
			name:   "lists those below the folder, the last first",
			folder: "/var/lib/engine",
			want: []string{
				"/var/lib/engine/data/overlay2/a/merged/my data",
				"/var/lib/engine/data/overlay2/a/merged",
			},
		},
		{name: "lists nothing for a folder without mounts", folder: "/var/lib/eng"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := mountPoints(strings.NewReader(sampleMounts), test.folder)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mount points differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnescapeRefuses(t *testing.T) {
	tests := []struct{ name, field string }{
		{name: "refuses an escape that ends early", field: `/a\04`},
		{name: "refuses an escape that is not octal", field: `/a\x40`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, err := unescape(test.field); err == nil {
				t.Errorf("accepted, result %q", got)
			}
		})
	}
}

func FuzzUnescape(f *testing.F) {
	f.Add(`/my\040data`)
	f.Add(`\134`)
	f.Fuzz(func(t *testing.T, field string) {
		got, err := unescape(field)
		if err == nil && len(got) > len(field) {
			t.Errorf("%q became longer: %q", field, got)
		}
	})
}
