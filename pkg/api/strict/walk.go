// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	yamlv3 "go.yaml.in/yaml/v3"
)

// walker compares a YAML tree with a Go type, so that every problem has a line and a path.
type walker struct{ problems []Problem }

func typeOf(pointer any) reflect.Type { return reflect.TypeOf(pointer).Elem() }

func (w *walker) add(node *yamlv3.Node, path, format string, args ...any) {
	w.problems = append(w.problems, Problem{Line: node.Line, Path: path, Text: fmt.Sprintf(format, args...)})
}

func (w *walker) walk(node *yamlv3.Node, t reflect.Type, path string) {
	if node.Kind == yamlv3.AliasNode || node.Anchor != "" {
		// Aliases can grow a small file beyond any bound, and no environment needs them.
		w.add(node, path, "anchors and aliases are not supported: write the value out")
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if node.Kind == yamlv3.ScalarNode && node.Tag == "!!null" {
		return // as if the field were left out
	}
	switch t.Kind() {
	case reflect.Struct:
		w.walkStruct(node, t, path)
	case reflect.Map:
		w.walkMap(node, t, path)
	case reflect.Slice:
		w.walkSlice(node, t, path)
	default:
		w.walkScalar(node, t, path)
	}
}

func (w *walker) walkStruct(node *yamlv3.Node, t reflect.Type, path string) {
	fields := fieldsOf(t)
	w.eachKey(node, path, func(key, value *yamlv3.Node, path string) {
		fieldType, known := fields[key.Value]
		if !known {
			w.add(key, path, "unknown field%s", suggestion(key.Value, fields))
			return
		}
		w.walk(value, fieldType, path)
	})
}

func (w *walker) walkMap(node *yamlv3.Node, t reflect.Type, path string) {
	w.eachKey(node, path, func(_, value *yamlv3.Node, path string) { w.walk(value, t.Elem(), path) })
}

// eachKey calls visit for each key of a mapping, and reports keys given twice.
func (w *walker) eachKey(node *yamlv3.Node, path string, visit func(key, value *yamlv3.Node, path string)) {
	if node.Kind != yamlv3.MappingNode {
		w.add(node, path, "want a mapping, have %s", describe(node))
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		child := key.Value
		if strings.ContainsFunc(child, unicode.IsControl) {
			child = strconv.Quote(child) // a terminal would do what it says
		}
		if path != "" {
			child = path + "." + child
		}
		if line, twice := lines[key.Value]; twice {
			w.add(key, child, "given twice, first in line %d", line)
			continue
		}
		lines[key.Value] = key.Line
		visit(key, value, child)
	}
}

func (w *walker) walkSlice(node *yamlv3.Node, t reflect.Type, path string) {
	if node.Kind != yamlv3.SequenceNode {
		w.add(node, path, "want a list, have %s", describe(node))
		return
	}
	for i, item := range node.Content {
		w.walk(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
	}
}

func (w *walker) walkScalar(node *yamlv3.Node, t reflect.Type, path string) {
	tags, want := []string{"!!str"}, "a string (in quotes where it looks like something else)"
	switch t.Kind() {
	case reflect.Bool:
		tags, want = []string{"!!bool"}, "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		tags, want = []string{"!!int"}, "a whole number"
	case reflect.Interface:
		return
	}
	if node.Kind != yamlv3.ScalarNode || !slices.Contains(tags, node.Tag) {
		w.add(node, path, "want %s, have %s", want, describe(node))
	}
}

// fieldsOf returns the JSON fields of a struct, those of inlined structs included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && (name == "" || strings.Contains(options, "inline")) {
			maps.Copy(fields, fieldsOf(field.Type))
			continue
		}
		if name != "" && name != "-" {
			fields[name] = field.Type
		}
	}
	return fields
}

// suggestion names the field that differs from the unknown one in case only, or lists the known ones.
func suggestion(unknown string, fields map[string]reflect.Type) string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		if strings.EqualFold(name, unknown) {
			return fmt.Sprintf(": write %s", name)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return ": known are " + strings.Join(names, ", ")
}

func describe(node *yamlv3.Node) string {
	switch node.Kind {
	case yamlv3.MappingNode:
		return "a mapping"
	case yamlv3.SequenceNode:
		return "a list"
	}
	switch node.Tag {
	case "!!str":
		return fmt.Sprintf("the string %q", node.Value)
	case "!!bool", "!!int", "!!float":
		return node.Value
	}
	return fmt.Sprintf("%s %q", node.Tag, node.Value)
}
