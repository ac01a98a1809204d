// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostresolver_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAHostsFileThatIsAMountIsWrittenInPlace(t *testing.T) {
	t.Parallel()
	host := machine(t)
	inside := filepath.Join(host.Root, "inside")
	if err := os.WriteFile(inside, []byte(before+"192.0.2.1 theirs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := syscall.Mount(inside, hostsFile(host), "", syscall.MS_BIND, "")
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("no right to mount")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(hostsFile(host), 0); err != nil {
			t.Error(err)
		}
	})
	if err := host.Set(t.Context(), settings()); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, inside), before+"192.0.2.1 theirs\n127.0.0.1 registry.local.gardener.cloud # kindling\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := host.Unset(t.Context(), settings()); err != nil || content(t, inside) != before+"192.0.2.1 theirs\n" {
		t.Errorf("%q is left: %v", content(t, inside), err)
	}
}
