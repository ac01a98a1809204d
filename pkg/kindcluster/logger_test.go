// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kind/pkg/log"
)

func TestEventsFromWhatKindSays(t *testing.T) {
	for name, test := range map[string]struct {
		say  func(log.Logger)
		want []Event
	}{
		"a step that starts": {func(l log.Logger) { l.V(0).Infof(" • %s  ...\n", "Preparing nodes 📦 📦 ") }, []Event{{"Preparing nodes", StepStarted}}},
		"a step that is done": {
			func(l log.Logger) { l.V(0).Infof(" ✓ %s\n", "Ensuring node image (node:v1) 🖼️") }, []Event{{"Ensuring node image (node:v1)", StepDone}},
		},
		"a step that failed":               {func(l log.Logger) { l.V(0).Info(" ✗ Joining worker nodes 🚜\n") }, []Event{{"Joining worker nodes", StepFailed}}},
		"a warning":                        {func(l log.Logger) { l.Warnf("cgroup %s is deprecated\n", "v1") }, []Event{{"cgroup v1 is deprecated", StepWarning}}},
		"an error":                         {func(l log.Logger) { l.Error("no") }, []Event{{"no", StepFailed}}},
		"what is no step":                  {func(l log.Logger) { l.V(0).Info("Creating cluster \"local\" ...") }, nil},
		"what is for developers of kind's": {func(l log.Logger) { l.V(1).Info(" • Image present") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []Event
			test.say(newLogger(t.Context(), func(e Event) { got = append(got, e) }))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSaysNothingWhenNobodyWaitsAnyMore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	newLogger(ctx, func(e Event) { t.Errorf("said %v", e) }).Warn("late")
}

func TestNobodyNeedsToListen(t *testing.T) { newLogger(t.Context(), nil).Warn("unheard") }
