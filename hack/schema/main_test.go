// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/internal/testutil"
)

func TestSchemaIsCurrent(t *testing.T) {
	root := testutil.Root(t)
	t.Chdir(root)
	schema, page, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for file, fresh := range map[string][]byte{path: schema, referencePath: page} {
		if diff := cmp.Diff(string(testutil.ReadFile(t, filepath.Join(root, file))), string(fresh)); diff != "" {
			t.Errorf("run make generate:\n%s", diff)
		}
	}
}

func compile(t *testing.T) *validator.Schema {
	t.Helper()
	data := testutil.ReadFile(t, filepath.Join(testutil.Root(t), path))
	document, err := validator.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func instance(t *testing.T, data []byte) any {
	t.Helper()
	converted, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(converted, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestExamplesFitTheSchema(t *testing.T) {
	schema := compile(t)
	paths, err := filepath.Glob(filepath.Join(testutil.Root(t), "example", "*", "environment.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		if err := schema.Validate(instance(t, testutil.ReadFile(t, path))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	schema := compile(t)
	const head = "apiVersion: kindling.gardener.cloud/v1alpha1\nkind: Environment\nmetadata: {name: a}\n"
	if err := schema.Validate(instance(t, []byte(head))); err != nil {
		t.Fatalf("the shortest file is refused: %v", err)
	}
	for name, spec := range map[string]string{
		"an unknown field":       "spec: {foo: bar}",
		"a wrong type":           "spec: {clusters: {name: a}}",
		"a word that is none":    "spec: {layout: split}",
		"a node without a role":  "spec: {clusters: [{name: a, nodes: [{}]}]}",
		"a cluster without name": "spec: {clusters: [{}]}",
	} {
		if schema.Validate(instance(t, []byte(head+spec))) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
}
