// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/gardener"
)

type vectorNetworks struct{ Nodes, Pods, Services string }

type vectorAnswer struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

type vector struct {
	Rules           string         `json:"rules"`
	Shoot           vectorNetworks `json:"shoot"`
	Seed            vectorNetworks `json:"seed"`
	ShootVersusSeed []vectorAnswer `json:"shootVersusSeed"`
	ShootInternal   []vectorAnswer `json:"shootInternal"`
}

// TestGardenerAnswers holds AskGardener to what the code of two versions of Gardener really answers: the same fields.
func TestGardenerAnswers(t *testing.T) {
	t.Run("sample", func(t *testing.T) { checkAnswers(t, "testdata/gardener-sample.json", 40) })
	t.Run("all", func(t *testing.T) { checkAnswers(t, testutil.Shared(t, "vectors/gardener-disjointness.json"), 618) })
}

func checkAnswers(t *testing.T, path string, atLeast int) {
	var vectors []vector
	if err := json.Unmarshal(testutil.ReadFile(t, path), &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < atLeast {
		t.Fatalf("%d vectors, want at least %d", len(vectors), atLeast)
	}
	for i, v := range vectors {
		shoot := ShootRanges{Nodes: ranges(v.Shoot.Nodes), Pods: ranges(v.Shoot.Pods), Services: ranges(v.Shoot.Services)}
		seed := SeedRanges{Nodes: ranges(v.Seed.Nodes), Pods: ranges(v.Seed.Pods), Services: ranges(v.Seed.Services)}
		answers := AskGardener(gardener.MustParse(v.Rules), shoot, seed)
		if diff := cmp.Diff(answerFields(v.ShootVersusSeed), errorFields(answers.ShootVersusSeed)); diff != "" {
			t.Errorf("case %d, %s, shoot %v, seed %v:\n%s", i, v.Rules, v.Shoot, v.Seed, diff)
		}
		if diff := cmp.Diff(answerFields(v.ShootInternal), errorFields(answers.ShootInternal)); diff != "" {
			t.Errorf("case %d, %s, shoot %v alone:\n%s", i, v.Rules, v.Shoot, diff)
		}
	}
}

func ranges(cidr string) Range {
	if cidr == "" {
		return Range{}
	}
	return Range{Prefix: netip.MustParsePrefix(cidr)}
}

func answerFields(answers []vectorAnswer) []string {
	set := map[string]bool{}
	for _, answer := range answers {
		set[answer.Field] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func errorFields(errs field.ErrorList) []string {
	set := map[string]bool{}
	for _, err := range errs {
		set[err.Field] = true
	}
	return slices.Sorted(maps.Keys(set))
}
