// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"
)

// reference writes the fields of a schema as a Markdown page, a table for each type, in the order in which types are met.
func reference(schema *jsonschema.Schema) []byte {
	var out strings.Builder
	out.WriteString("# Environment file\n\nWritten from the types by `make generate`. Every field but apiVersion, kind and metadata.name has a default.\n" +
		"Types of kind are explained in kind's own documentation of its configuration.\n")
	queue, seen := []string{"Environment"}, map[string]bool{"Environment": true}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		current := schema
		if name != "Environment" {
			current = schema.Definitions[name]
		}
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n| field | type | meaning |\n|---|---|---|\n", name, oneLine(current.Description))
		for pair := current.Properties.Oldest(); pair != nil; pair = pair.Next() {
			inner := definition(pair.Value)
			if inner != "" && !seen[inner] && schema.Definitions[inner] != nil {
				seen[inner] = true
				queue = append(queue, inner)
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", pair.Key, typeName(pair.Value), oneLine(pair.Value.Description))
		}
	}
	return []byte(out.String())
}

// definition returns the name of the type that a field, or each item of a list, has.
func definition(schema *jsonschema.Schema) string {
	if schema.Items != nil {
		return definition(schema.Items)
	}
	return strings.TrimPrefix(schema.Ref, "#/$defs/")
}

func typeName(schema *jsonschema.Schema) string {
	switch {
	case schema.Items != nil:
		return "list of " + typeName(schema.Items)
	case schema.Ref != "":
		name := definition(schema)
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	case len(schema.Enum) > 0:
		words := make([]string, len(schema.Enum))
		for i, word := range schema.Enum {
			words[i] = fmt.Sprint(word)
		}
		return strings.Join(words, ", ")
	case schema.Const != nil:
		return "string"
	case schema.Type == "object":
		return "map"
	default:
		return schema.Type
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
