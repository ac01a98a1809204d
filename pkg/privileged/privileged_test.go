// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package privileged_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/pkg/privileged"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"sudo": sudo}) }

// sudo is a stand-in that keeps what it is called with, and refuses when it is told to.
func sudo() {
	if err := os.WriteFile(os.Getenv("SUDO_CALL"), []byte(strings.Join(os.Args[1:], " ")), 0o600); err != nil {
		os.Exit(3)
	}
	if reason := os.Getenv("SUDO_REFUSES"); reason != "" {
		_, _ = os.Stderr.WriteString("sudo: " + reason + "\n")
		os.Exit(1)
	}
	if reason := os.Getenv("COMMAND_FAILS"); reason != "" {
		_, _ = os.Stderr.WriteString(reason + "\n")
		os.Exit(privileged.FailedExit)
	}
}

func TestWithoutATerminalSudoMustNotAsk(t *testing.T) {
	call := filepath.Join(t.TempDir(), "call")
	t.Setenv("SUDO_CALL", call)
	err := privileged.Runner{Program: "/usr/bin/kindling"}.Run(t.Context(), "Something", "Or not.", "loopback-addresses", "add", "172.18.255.53")
	got, readErr := os.ReadFile(call)
	if want := "--non-interactive /usr/bin/kindling loopback-addresses add 172.18.255.53"; err != nil || readErr != nil || string(got) != want {
		t.Errorf("called with %q, want %q: %v %v", got, want, err, readErr)
	}
}

func TestARefusalNamesTheCommandAndTheWayWithout(t *testing.T) {
	t.Setenv("SUDO_CALL", filepath.Join(t.TempDir(), "call"))
	t.Setenv("SUDO_REFUSES", "a password is required")
	err := privileged.Runner{Program: "/usr/bin/kindling"}.Run(t.Context(), "Putting an address there", "Or leave it out.", "loopback-addresses", "add", "172.18.255.53")
	if _, ok := errors.AsType[*privileged.NeededError](err); !ok {
		t.Fatalf("error %v, want a NeededError", err)
	}
	for _, want := range []string{"Putting an address there", "a password is required", "sudo /usr/bin/kindling loopback-addresses add 172.18.255.53", "Or leave it out."} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error:\n%s", want, err)
		}
	}
}

func TestAFailureWithTheRightsIsNoLackOfThem(t *testing.T) {
	t.Setenv("SUDO_CALL", filepath.Join(t.TempDir(), "call"))
	t.Setenv("COMMAND_FAILS", "kindling: restarting systemd-resolved: it is masked")
	err := privileged.Runner{Program: "/usr/bin/kindling"}.Run(t.Context(), "Telling the resolver", "Or leave it alone.", "host-resolver", "set")
	if _, ok := errors.AsType[*privileged.NeededError](err); ok || err == nil {
		t.Fatalf("error %v, want the command's own", err)
	}
	if want := "Telling the resolver failed, with the rights of root: kindling: restarting systemd-resolved: it is masked\nOr leave it alone."; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestATerminalIsKeptFreeWhileSudoMayAsk(t *testing.T) {
	call := filepath.Join(t.TempDir(), "call")
	t.Setenv("SUDO_CALL", call)
	terminal, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	var order []string
	err = privileged.Runner{Program: "kindling", Terminal: terminal, Asking: func() func() {
		order = append(order, "asks")
		return func() { order = append(order, "done") }
	}}.Run(t.Context(), "Something", "", "a")
	got, readErr := os.ReadFile(call)
	if err != nil || readErr != nil || strings.Join(order, " ") != "asks done" || strings.Contains(string(got), "non-interactive") || !strings.HasPrefix(string(got), "--prompt=") {
		t.Errorf("%v, called with %q: %v %v", order, got, err, readErr)
	}
}

func TestWithoutSudoItSaysWhatToRun(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := privileged.Runner{Program: "kindling"}.Run(t.Context(), "Something", "", "a")
	if needed, ok := errors.AsType[*privileged.NeededError](err); !ok || !strings.Contains(needed.Error(), "there is no sudo") {
		t.Errorf("error %v, want that there is no sudo", err)
	}
}
