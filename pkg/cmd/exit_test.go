// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/cmd"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/profiles"
)

func TestExitCodes(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"no error":                  {nil, 0},
		"any error":                 {errors.New("no"), 1},
		"a wrong command line":      {&cmd.UsageError{Err: errors.New("no")}, 2},
		"a wrong file":              {&v1alpha1.FileError{File: "a", Err: errors.New("no")}, 2},
		"an unknown profile":        {&profiles.UnknownError{Name: "a"}, 2},
		"a shoot too many":          {&netplan.ExhaustedError{}, 2},
		"a broken rule":             {&cmd.RulesError{}, 2},
		"no engine":                 {&engine.UnavailableError{Engine: "docker"}, 4},
		"time is up in a wait":      {fmt.Errorf("ready: %w", &kube.TimeoutError{}), 5},
		"time is up elsewhere":      {fmt.Errorf("kind: %w", context.DeadlineExceeded), 5},
		"interrupted":               {fmt.Errorf("kind: %w", context.Canceled), 130},
		"interrupted among others":  {errors.Join(errors.New("no"), context.Canceled), 130},
		"time is up and a failure":  {errors.Join(errors.New("no"), &kube.TimeoutError{}), 5},
		"a wrong file, interrupted": {errors.Join(&v1alpha1.FileError{File: "a", Err: errors.New("no")}, context.Canceled), 130},
	} {
		if have := cmd.ExitCode(test.err); have != test.want {
			t.Errorf("%s: exit code %d, want %d", name, have, test.want)
		}
	}
}
