// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command schema writes the JSON Schema of environment files and their reference, from the types and their comments.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/invopop/jsonschema"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

const (
	path          = "docs/environment.schema.json"
	referencePath = "docs/environment.md"
	api           = "pkg/api/v1alpha1"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	schema, page, err := generate()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, path), schema, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, referencePath), page, 0o644)
}

// generate returns the schema and the reference. It runs in the folder of go.mod: comments are found by the path of their package.
func generate() (schemaJSON, page []byte, err error) {
	reflector := &jsonschema.Reflector{ExpandedStruct: true}
	if err := reflector.AddGoComments("github.com/gardener/kindling", api, jsonschema.WithFullComment()); err != nil {
		return nil, nil, fmt.Errorf("reading the comments of the types: %w", err)
	}
	schema := reflector.Reflect(&v1alpha1.Environment{})
	schema.ID = "https://github.com/gardener/kindling/docs/environment.schema.json"
	schema.Title = "Environment of kindling"
	constants(schema)
	data, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, nil, fmt.Errorf("encoding the schema: %w", err)
	}
	return append(data, '\n'), reference(schema), nil
}

// constants adds what the types can't say: the words that a field takes.
func constants(schema *jsonschema.Schema) {
	words := map[string][]any{
		"Layout":           {v1alpha1.LayoutSplit, v1alpha1.LayoutOutside, v1alpha1.LayoutLegacy},
		"IPFamily":         {v1alpha1.IPv4, v1alpha1.IPv6},
		"NetworkPlugin":    {v1alpha1.NetworkPluginCalico, v1alpha1.NetworkPluginPlain},
		"Encapsulation":    {v1alpha1.EncapsulationAuto, v1alpha1.EncapsulationIPIP, v1alpha1.EncapsulationVXLAN, v1alpha1.EncapsulationVXLANCrossSubnet},
		"PoolOwner":        {v1alpha1.OwnerKindling, v1alpha1.OwnerProviderLocal},
		"Part":             {v1alpha1.PartControlPlane, v1alpha1.PartGarden, v1alpha1.PartSeed, v1alpha1.PartAPIServerRelay, v1alpha1.PartBackupBucket},
		"FailureTolerance": {v1alpha1.FailureToleranceNone, v1alpha1.FailureToleranceNode, v1alpha1.FailureToleranceZone},
	}
	for _, definition := range schema.Definitions {
		if definition.Properties == nil {
			continue
		}
		for pair := definition.Properties.Oldest(); pair != nil; pair = pair.Next() {
			addWords(pair.Key, pair.Value, words)
		}
	}
	schema.Properties.Set("apiVersion", &jsonschema.Schema{Const: v1alpha1.APIVersion, Description: v1alpha1.APIVersion})
	schema.Properties.Set("kind", &jsonschema.Schema{Const: v1alpha1.Kind, Description: v1alpha1.Kind})
}

// fieldTypes names the type of the fields that take words: the reflector writes plain strings for them.
func fieldTypes() map[string]string {
	return map[string]string{
		"layout": "Layout", "ipFamilies": "IPFamily", "ipFamily": "IPFamily", "networkPlugin": "NetworkPlugin",
		"encapsulation": "Encapsulation", "owner": "PoolOwner", "failureTolerance": "FailureTolerance",
		"parts": "Part",
	}
}

func addWords(field string, schema *jsonschema.Schema, words map[string][]any) {
	name, takesWords := fieldTypes()[field]
	switch {
	case !takesWords:
	case schema.Items != nil:
		schema.Items.Enum = words[name]
	default:
		schema.Enum = words[name]
	}
}
