// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/addressmap"
	"github.com/gardener/kindling/pkg/doctor"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/steps"
)

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`

func TestHostileNamesAreEscapedAndNothingIsLoaded(t *testing.T) {
	t.Parallel()
	version, err := gardener.Parse(gardener.DefaultVersion)
	if err != nil {
		t.Fatal(err)
	}
	status := Status{
		Environment: hostile, Plan: &netplan.Plan{Environment: hostile, Gardener: version},
		Steps: []steps.Result{
			{Step: hostile, Observation: steps.Observation{State: hostile, Text: hostile, Differences: []steps.Difference{{Field: hostile, Have: hostile, Want: hostile}}}, Error: hostile},
		},
		Checks: []doctor.Result{{Check: hostile, Status: hostile, Findings: []doctor.Finding{{Text: hostile, Remedy: hostile}}}, {Check: hostile, Found: hostile}},
		Clusters: []*addressmap.Map{
			{Cluster: hostile, Unknown: hostile},
			{Cluster: hostile, Nodes: []addressmap.Node{{Name: hostile}}, Pools: []addressmap.Pool{{Name: hostile, Nodes: []addressmap.Usage{{Node: hostile}}}}, Drift: []addressmap.Drift{{Object: hostile, Text: hostile}}},
		},
	}
	var out bytes.Buffer
	if err := HTML(&out, status); err != nil {
		t.Fatal(err)
	}
	if count := strings.Count(out.String(), "alert(1)"); count < 21 {
		t.Errorf("names are there %d times, want all", count)
	}
	for _, forbidden := range []string{"<script", "<img", "src=\"", "<link", "@import", "url("} {
		if strings.Contains(out.String(), forbidden) {
			t.Errorf("the page has %s", forbidden)
		}
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	of := func(states ...steps.State) Status {
		var status Status
		for _, state := range states {
			status.Steps = append(status.Steps, steps.Result{Observation: steps.Observation{State: state}})
		}
		return status
	}
	for want, status := range map[string]Status{
		"all 2 steps are as wanted":      of(steps.AsWanted, steps.Skipped),
		"2 of 3 steps are not as wanted": of(steps.AsWanted, steps.Unknown, steps.Differs),
	} {
		if have := status.Title(); have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}
