// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/templates"
)

// execute runs a template of templates/ for a version of Gardener.
func execute(file, name string, version gardener.Version, data any) ([]byte, error) {
	root := template.New(file)
	root.Funcs(functions(root, version))
	if _, err := root.ParseFS(templates.FS, file); err != nil {
		return nil, fmt.Errorf("parsing template %s: %w", file, err)
	}
	var out bytes.Buffer
	if err := root.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("rendering %s: %w", name, err)
	}
	return out.Bytes(), nil
}

func functions(root *template.Template, version gardener.Version) template.FuncMap {
	features := gardener.Features()
	return template.FuncMap{
		"has": func(name string) (bool, error) {
			feature, known := features[name]
			if !known {
				return false, fmt.Errorf("unknown feature %q", name)
			}
			return version.Has(feature), nil
		},
		"include": func(name string, data any) (string, error) {
			var out bytes.Buffer
			err := root.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"dict":       dict,
		"indent":     indent,
		"join":       strings.Join,
		"nodeLabels": nodeLabels,
		"prefixes":   prefixes,
		"quote":      strconv.Quote,
		"toYAML": func(value any) (string, error) {
			data, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(data), "\n"), err
		},
		"trim": strings.TrimSpace,
	}
}

// indent indents every line that is not empty.
func indent(spaces int, text string) string {
	padding := strings.Repeat(" ", spaces)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = padding + line
		}
	}
	return strings.Join(lines, "\n")
}

// prefixes returns one range of every family, in the order of the families.
func prefixes(plan *netplan.Plan, which string) []string {
	var result []string
	for _, family := range plan.Families {
		prefix := family.Pods
		if which == "services" {
			prefix = family.Services
		}
		result = append(result, prefix.String())
	}
	return result
}

// nodeLabels returns the labels of a node: its zone, its own, and the environment's, which is the mark of ownership that kind
// can give a node.
func nodeLabels(environment string, node v1alpha1.Node) map[string]string {
	labels := map[string]string{v1alpha1.ZoneLabel: node.Zone, EnvironmentLabel: environment}
	maps.Copy(labels, node.Labels)
	return labels
}

// zones returns the zones of a cluster's nodes, sorted.
func zones(cluster v1alpha1.Cluster) []string {
	found := map[string]bool{}
	for _, node := range cluster.Nodes {
		found[node.Zone] = true
	}
	return slices.Sorted(maps.Keys(found))
}
