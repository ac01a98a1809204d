// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package strict decodes one YAML document into a type and accepts nothing that the type does not have: unknown and duplicate
// fields, wrong types and further documents are errors with line and path, all of them at once.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// MaxBytes is the largest file that is decoded. Environment files are a few kilobytes.
const MaxBytes = 1 << 20

// Problem is one thing wrong with a document.
type Problem struct {
	// Line counts from 1; 0 when the parser gave none.
	Line int
	// Path of the field such as spec.clusters[0].name; empty for the document as a whole.
	Path string
	Text string
}

// String formats the problem as "line 3: spec.foo: unknown field".
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", p.Line)
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Error holds everything wrong with a document.
type Error struct{ Problems []Problem }

// Error implements error, one problem a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, problem := range e.Problems {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// Decode decodes data into the pointer into. The error is an *Error.
func Decode(data []byte, into any) error {
	root, err := document(data)
	if err != nil {
		return err
	}
	w := walker{}
	w.walk(root, typeOf(into), "")
	if len(w.problems) > 0 {
		return &Error{w.problems}
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		return problem(0, strings.TrimPrefix(err.Error(), "error unmarshaling JSON: "))
	}
	return nil
}

// document parses the only document of a file.
func document(data []byte) (*yamlv3.Node, error) {
	if len(data) > MaxBytes {
		return nil, problem(0, fmt.Sprintf("the file has %d bytes: at most %d are read", len(data), MaxBytes))
	}
	decoder := yamlv3.NewDecoder(bytes.NewReader(data))
	var first, second yamlv3.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, problem(0, "the file is empty")
	case err != nil:
		return nil, problem(0, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, problem(0, strings.TrimPrefix(err.Error(), "yaml: "))
	default:
		return nil, problem(second.Line, "a second document: a file holds one")
	}
	root := first.Content[0]
	if root.Kind == yamlv3.ScalarNode && root.Tag == "!!null" {
		return nil, problem(0, "the file is empty")
	}
	return root, nil
}

// problem is about the document as a whole.
func problem(line int, text string) *Error {
	return &Error{[]Problem{{Line: line, Text: text}}}
}
