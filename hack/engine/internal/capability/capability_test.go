// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package capability

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBounding(t *testing.T) {
	tests := []struct {
		name   string
		status string
		want   Set
		failed bool
	}{
		{name: "reads the bounding line among others", status: "Name:\tx\nCapEff:\t0000000000000000\nCapBnd:\t000001fffeffffff\n", want: 0x1fffeffffff},
		{name: "refuses a status without the line", status: "Name:\tx\n", failed: true},
		{name: "refuses a mask that is not hexadecimal", status: "CapBnd:\tall\n", failed: true},
		{name: "refuses an empty mask", status: "CapBnd:\t\n", failed: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseBounding(strings.NewReader(test.status))
			if (err != nil) != test.failed {
				t.Fatalf("error %v, expected one: %t", err, test.failed)
			}
			if got != test.want {
				t.Errorf("got %#x, want %#x", got, test.want)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	tests := []struct {
		name string
		set  Set
		last int
		want []string
	}{
		{name: "names nothing when all are held", set: 0x1ffffffffff, last: 40},
		{name: "names the one that is lacking", set: 0x1fffeffffff, last: 40, want: []string{"CAP_SYS_RESOURCE"}},
		{name: "looks no further than the kernel knows", set: 0x3, last: 1},
		{name: "numbers one that has no name yet", set: 0x1ffffffffff, last: 41, want: []string{"capability 41"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.set.Missing(test.last)); diff != "" {
				t.Errorf("missing capabilities differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHas(t *testing.T) {
	const withoutResource Set = 0x1fffeffffff
	tests := []struct {
		name       string
		capability string
		want       bool
	}{
		{name: "holds one whose bit is set", capability: "CAP_SYS_ADMIN", want: true},
		{name: "lacks one whose bit is not set", capability: "CAP_SYS_RESOURCE"},
		{name: "leaves an unknown one to the engine", capability: "CAP_OF_TOMORROW", want: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := withoutResource.Has(test.capability); got != test.want {
				t.Errorf("Has(%s) = %t, want %t", test.capability, got, test.want)
			}
		})
	}
}

func TestParseLast(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		want   int
		failed bool
	}{
		{name: "reads a number and its line end", text: "40\n", want: 40},
		{name: "refuses what a mask cannot hold", text: "64", failed: true},
		{name: "refuses a negative number", text: "-1", failed: true},
		{name: "refuses words", text: "many", failed: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseLast(test.text)
			if (err != nil) != test.failed || got != test.want {
				t.Errorf("got %d and error %v, want %d and an error: %t", got, err, test.want, test.failed)
			}
		})
	}
}
