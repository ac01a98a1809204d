// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package expansion holds YAML files to the size that they have when their aliases are replaced by what they stand for.
package expansion

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	yamlv3 "go.yaml.in/yaml/v3"
)

// Error says that a YAML file grows beyond what is decoded, once its aliases are replaced by what they stand for.
type Error struct {
	// Limit in bytes.
	Limit int64
}

// Error implements error. Whoever reads says what the file is.
func (e *Error) Error() string {
	return fmt.Sprintf("its anchors and aliases make more than %d bytes of it: write the values out, or take the file from where it can be trusted", e.Limit)
}

// nodeBytes is what a key or value takes beside its text, at least.
const nodeBytes = 4

// anchor finds what may be one. A file without needs no second look, and few have any.
var anchor = regexp.MustCompile(`(^|[\s,\[{:?-])&\S`)

// Check holds the documents of a YAML file to a size with all aliases replaced. Decoders bound only their number: one long text
// that a thousand aliases repeat passes them, and fills the memory as JSON. What is no YAML is left for the decoder to say. The error is a
// *Error.
func Check(data []byte, limit int64) error {
	if !anchor.Match(data) {
		return nil
	}
	left := limit
	for decoder := yamlv3.NewDecoder(bytes.NewReader(data)); ; {
		var document yamlv3.Node
		if err := decoder.Decode(&document); err != nil {
			return nil //nolint:nilerr // the end, or the decoder's to say
		}
		m := measure{limit: left, known: map[*yamlv3.Node]int64{}}
		size, err := m.size(&document)
		if left -= size; err != nil || left < 0 {
			return &Error{limit}
		}
	}
}

// measure adds up nodes, each once.
type measure struct {
	limit int64
	known map[*yamlv3.Node]int64
}

// unfinished is the size of a node while its children are added up: an alias to it is in itself, and has no end.
const unfinished = -1

var errEndless = errors.New("endless")

func (m measure) size(node *yamlv3.Node) (int64, error) {
	if size, ok := m.known[node]; ok {
		if size == unfinished {
			return 0, errEndless
		}
		return size, nil
	}
	m.known[node] = unfinished
	size := int64(len(node.Value)) + nodeBytes
	children := node.Content
	if node.Alias != nil {
		children = []*yamlv3.Node{node.Alias}
	}
	for _, child := range children {
		one, err := m.size(child)
		if size += one; err != nil || size > m.limit {
			return 0, errEndless
		}
	}
	m.known[node] = size
	return size, nil
}
