// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package page writes what status found as one page of HTML, which loads nothing from elsewhere and runs no script.
package page

import (
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/gardener/kindling/pkg/addressmap"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/doctor"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/netplan/picture"
	"github.com/gardener/kindling/pkg/steps"
)

//go:embed status.html.tmpl
var statusTemplate string

// Status is what status found.
type Status struct {
	Environment string `json:"environment"`
	// Plan is drawn.
	Plan     *netplan.Plan     `json:"-"`
	Steps    []steps.Result    `json:"steps"`
	Clusters []*addressmap.Map `json:"clusters"`
	// Checks are those of kindling doctor.
	Checks []doctor.Result `json:"-"`
}

// Map is the picture of the plan. Its texts are escaped by the template that it is made with.
func (s Status) Map() (template.HTML, error) {
	findings := netplan.Check(s.Plan.Subject(v1alpha1.EncapsulationAuto), netplan.ModeStrict)
	var svg strings.Builder
	err := picture.SVG(&svg, s.Plan, findings)
	return template.HTML(svg.String()), err //nolint:gosec // see above
}

// Title says whether all is as wanted.
func (s Status) Title() string {
	differing := 0
	for _, result := range s.Steps {
		if !result.IsAsWanted() {
			differing++
		}
	}
	if differing == 0 {
		return fmt.Sprintf("all %d steps are as wanted", len(s.Steps))
	}
	return fmt.Sprintf("%d of %d steps are not as wanted", differing, len(s.Steps))
}

// HTML writes the page.
func HTML(w io.Writer, status Status) error {
	functions := template.FuncMap{"class": func(state steps.State) string { return strings.ReplaceAll(string(state), " ", "-") }}
	parsed, err := template.New("status").Funcs(functions).Parse(statusTemplate)
	if err != nil {
		return fmt.Errorf("reading the template of the page: %w", err)
	}
	if err := parsed.Execute(w, status); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
