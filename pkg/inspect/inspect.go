// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package inspect recognises files of Gardener, kind and Calico and reads the address ranges in them, so that the rules can be
// held against files that people bring.
package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/internal/expansion"
	"github.com/gardener/kindling/pkg/netplan"
)

// Document is one document of a file, recognised or not.
type Document struct {
	// Where is the file, with the number of the document when it has several.
	Where string `json:"where"`
	// Is says what it is, such as "Shoot garden-local/local".
	Is string `json:"is"`
}

// Result is what files hold.
type Result struct {
	Documents []Document
	Subject   *netplan.Subject
	// Findings are about ranges that can't be read.
	Findings []netplan.Finding
}

// UnrecognisedError says that a file holds nothing that has addresses.
type UnrecognisedError struct {
	File string
	Have []string
}

// Error implements error.
func (e *UnrecognisedError) Error() string {
	var known []string
	for _, kind := range kinds() {
		known = append(known, kind.name)
	}
	return fmt.Sprintf("%s holds nothing with addresses (it has %s): known are %s", e.File, strings.Join(e.Have, ", "), strings.Join(known, ", "))
}

// File is a file to read.
type File struct {
	Name    string
	Content []byte
}

// Read recognises the documents of all files and collects their ranges. Pods and services that a shoot leaves open are filled
// from a seed of its family.
func Read(files []File) (*Result, error) {
	c := &collector{subject: &netplan.Subject{}}
	result := &Result{Subject: c.subject}
	for _, file := range files {
		documents, err := readFile(file, c)
		if err != nil {
			return nil, err
		}
		result.Documents = append(result.Documents, documents...)
	}
	if !slices.ContainsFunc(result.Documents, func(d Document) bool { return d.Is != "empty" }) {
		return nil, errors.New("there is nothing in the files to look at: all are empty")
	}
	c.finish()
	result.Findings = c.findings
	return result, nil
}

func readFile(file File, c *collector) ([]Document, error) {
	objects, err := split(file)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		// Values files of profiles that change nothing are empty.
		return []Document{{file.Name, "empty"}}, nil
	}
	var documents []Document
	var others []string
	for i, object := range objects {
		where := file.Name
		if len(objects) > 1 {
			where = fmt.Sprintf("%s[%d]", file.Name, i)
		}
		kind, known := recognise(object)
		if !known {
			others = append(others, describe(object))
			continue
		}
		is, err := kind.read(object, where, c)
		if err != nil {
			return nil, fmt.Errorf("%s: not readable as %s: %w", where, kind.name, err)
		}
		documents = append(documents, Document{where, is})
	}
	if len(documents) == 0 {
		return nil, &UnrecognisedError{file.Name, others}
	}
	return documents, nil
}

// MaxBytes is the largest file that is read, and the largest that its aliases may make of it: Calico's manifest has 350 kB.
const MaxBytes = 32 << 20

// split decodes every document of a file that is not empty.
func split(file File) ([]map[string]any, error) {
	if err := expansion.Check(file.Content, MaxBytes); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	reader := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(file.Content)))
	defer func() { _ = reader.Close() }()
	var objects []map[string]any
	buffer := make([]byte, len(file.Content)+1)
	for {
		n, err := reader.Read(buffer)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		var object map[string]any
		if err := yaml.UnmarshalStrict(buffer[:n], &object); err != nil {
			return nil, fmt.Errorf("%s: no valid YAML mapping: %w", file.Name, err)
		}
		if len(object) > 0 {
			objects = append(objects, object)
		}
	}
	return objects, nil
}

func describe(object map[string]any) string {
	kind, _ := object["kind"].(string)
	version, _ := object["apiVersion"].(string)
	if kind == "" {
		return "a mapping without kind"
	}
	return version + " " + kind
}
