// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/hack/nodeimage/internal/release"
)

func TestStandalone(t *testing.T) {
	tests := []struct {
		name     string
		goMod    string
		siblings string
		want     string
		failed   bool
	}{
		{
			name:     "gives a neighbour without a version that of the siblings",
			goMod:    "module m\n\ngo 1.26.0\n\nrequire example.org/a v0.0.0\n\nreplace example.org/a => ./staging/a\n",
			siblings: "v0.37.2",
			want:     "module m\n\ngo 1.26.0\n\nrequire example.org/a v0.0.0\n\nreplace example.org/a => example.org/a v0.37.2\n",
		},
		{
			name:  "takes a neighbour at the version it already names",
			goMod: "module m\n\ngo 1.26.0\n\nrequire example.org/a/v3 v3.7.3\n\nreplace example.org/a/v3 => ../a\n",
			want:  "module m\n\ngo 1.26.0\n\nrequire example.org/a/v3 v3.7.3\n",
		},
		{
			name:  "keeps a replacement by another module",
			goMod: "module m\n\ngo 1.26.0\n\nreplace example.org/a => example.org/b v1.0.0\n",
			want:  "module m\n\ngo 1.26.0\n\nreplace example.org/a => example.org/b v1.0.0\n",
		},
		{
			name:  "drops the wish for a toolchain",
			goMod: "module m\n\ngo 1.26.0\n\ntoolchain go1.26.10\n",
			want:  "module m\n\ngo 1.26.0\n",
		},
		{
			name:   "refuses a neighbour that has no version anywhere",
			goMod:  "module m\n\nrequire example.org/a v0.0.0\n\nreplace example.org/a => ./a\n",
			failed: true,
		},
		{name: "refuses what is not a go.mod", goMod: "{}", failed: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Standalone([]byte(test.goMod), test.siblings)
			if (err != nil) != test.failed {
				t.Fatalf("error %v, expected one: %t", err, test.failed)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("go.mod differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuildArgs(t *testing.T) {
	module := release.Module{Stamps: map[string]string{"p.b": "2", "p.a": "1"}, BuildTags: []string{"x", "y"}}
	got := buildArgs(module, release.Program{Package: "./cmd/z", Name: "z"}, "/out/z", "-mod=mod")
	want := []string{
		"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X p.a=1 -X p.b=2", "-o", "/out/z",
		"-tags=x,y", "-mod=mod", "./cmd/z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arguments differ (-want +got):\n%s", diff)
	}
}
