// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/gardener/kindling/internal/bounded"
	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/calico"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/inspect"
	"github.com/gardener/kindling/pkg/userconfig"
)

// readers of files that people bring, each as its commands read it.
func readers() map[string]func(path string) error {
	return map[string]func(path string) error{
		"environment": func(path string) error {
			_, err := v1alpha1.LoadFile(path, nil, nil)
			return err
		},
		"environment over a profile": func(path string) error {
			_, err := v1alpha1.LoadFile(path, nil, []byte("apiVersion: kindling.gardener.cloud/v1alpha1\nkind: Environment\nmetadata: {name: a}\n"))
			return err
		},
		"values": func(path string) error {
			_, err := checkout.ReadValues(path)
			return err
		},
		"manifest": func(path string) error {
			data, err := calico.Fetcher{}.Fetch(context.Background(), calico.Source{Path: path})
			if err != nil {
				return err
			}
			_, err = calico.Parse(data)
			return err
		},
		"files to validate": func(path string) error {
			data, err := bounded.ReadFile(path, inspect.MaxBytes)
			if err != nil {
				return err
			}
			_, err = inspect.Read([]inspect.File{{Name: path, Content: data}})
			return err
		},
		"kubeconfig": func(path string) error {
			_, err := userconfig.Load(path)
			return err
		},
	}
}

// TestBombs gives each reader files that grow, never end, or are nested without end: an error, soon, and in little memory.
func TestBombs(t *testing.T) {
	files := testutil.YAMLBombs()
	maps.Copy(files, testutil.DeepFiles())
	for name, content := range files {
		path := filepath.Join(t.TempDir(), "file.yaml")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		refusedByAll(t, name, path)
	}
	path := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100<<20); err != nil {
		t.Fatal(err)
	}
	refusedByAll(t, "100 MiB", path)
}

// mostMemory is less than any bomb would take, and more than parsing a file of a megabyte does.
const mostMemory = 500 << 20

func refusedByAll(t *testing.T, name, path string) {
	t.Helper()
	for reader, read := range readers() {
		t.Run(name+"/"+reader, func(t *testing.T) {
			testutil.AtMost(t, mostMemory, func() {
				if err := read(path); err == nil {
					t.Error("it was taken")
				} else if len(err.Error()) > 4000 {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
			})
		})
	}
}
