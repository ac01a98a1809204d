// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package runtimeshim

import (
	"encoding/json"
	"fmt"
	"slices"
)

// RewriteSpec returns an OCI config.json without the capabilities for which
// keep says no. Fields it does not know stay as they are.
func RewriteSpec(spec []byte, keep func(name string) bool) ([]byte, error) {
	return rewriteField(spec, "process", func(process []byte) ([]byte, error) {
		return RewriteProcess(process, keep)
	})
}

// RewriteProcess does the same for an OCI process file: the "process" part of
// a config.json, which runc exec takes as a file of its own.
func RewriteProcess(process []byte, keep func(name string) bool) ([]byte, error) {
	return rewriteField(process, "capabilities", func(capabilities []byte) ([]byte, error) {
		return rewriteCapabilities(capabilities, keep)
	})
}

// rewriteCapabilities filters each of the sets: bounding, effective,
// inheritable, permitted, ambient.
func rewriteCapabilities(capabilities []byte, keep func(name string) bool) ([]byte, error) {
	var sets map[string][]string
	if err := json.Unmarshal(capabilities, &sets); err != nil {
		return nil, fmt.Errorf("sets of capability names expected: %w", err)
	}
	drop := func(name string) bool { return !keep(name) }
	for kind, list := range sets {
		sets[kind] = slices.DeleteFunc(list, drop)
	}
	return json.Marshal(sets)
}

// rewriteField replaces one field of a JSON object. An object without the
// field, or with null there, comes back unchanged.
func rewriteField(object []byte, name string, rewrite func([]byte) ([]byte, error)) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, fmt.Errorf("a JSON object with field %q expected: %w", name, err)
	}
	value, found := fields[name]
	if !found || string(value) == "null" {
		return object, nil
	}
	changed, err := rewrite(value)
	if err != nil {
		return nil, fmt.Errorf("field %q: %w", name, err)
	}
	fields[name] = changed
	return json.Marshal(fields)
}
