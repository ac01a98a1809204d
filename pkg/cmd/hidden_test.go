// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"errors"
	"testing"

	"github.com/gardener/kindling/pkg/loopback"
	"github.com/gardener/kindling/pkg/privileged"
)

func TestAHiddenCommandThatFailsHasAnExitCodeThatSudoHasNot(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"any error": errors.New("no"), "one with a code of its own": &loopback.NoIPv6Error{}} {
		if code := ExitCode(hidden(err)); code != privileged.FailedExit {
			t.Errorf("%s: exit code %d, want %d", name, code, privileged.FailedExit)
		}
	}
	if code := ExitCode(hidden(nil)); code != ExitDone {
		t.Errorf("exit code %d, want %d", code, ExitDone)
	}
}
