// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package loopback_test

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/gardener/kindling/pkg/loopback"
)

// inside is set in the process that runs a test in a network namespace of its own: "root" with all rights there, "user" with none.
const inside = "KINDLING_TEST_IN_NAMESPACE"

// inNamespace runs a test in a new process with a network namespace, which ends with it. A program started in a user namespace that knows
// nobody has no rights in it.
func inNamespace(t *testing.T, as string, body func(*testing.T)) {
	t.Helper()
	if os.Getenv(inside) != "" {
		body(t)
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=60s")
	command.Env = append(os.Environ(), inside+"="+as)
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if as != "root" || os.Geteuid() != 0 {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		id := 0
		if as != "root" {
			id = 1000
		}
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: id, HostID: os.Getuid(), Size: 1}}
		command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: id, HostID: os.Getgid(), Size: 1}}
	}
	output, err := command.CombinedOutput()
	_, ran := errors.AsType[*exec.ExitError](err)
	switch {
	case err != nil && !ran:
		t.Skipf("the kernel forbids a network namespace: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, output)
	case strings.Contains(string(output), "--- SKIP: "+t.Name()+" "):
		t.Skipf("in the namespace:\n%s", output)
	}
}

// up sets the loopback interface up, which it is not in a new namespace.
func up(t *testing.T) {
	t.Helper()
	link, err := netlink.LinkByName(loopback.Device)
	if err == nil {
		err = netlink.LinkSetUp(link)
	}
	if errors.Is(err, unix.EPERM) {
		t.Skipf("the kernel lets nobody change devices here: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
}

func some() []netip.Addr {
	return []netip.Addr{netip.MustParseAddr("172.18.255.53"), netip.MustParseAddr("172.18.255.224"), netip.MustParseAddr("fd00:ff::53"), netip.MustParseAddr("::10")}
}

func TestAddressesAreAddedOnceAndRemoved(t *testing.T) {
	inNamespace(t, "root", func(t *testing.T) {
		up(t)
		missing := func() string {
			t.Helper()
			lacking, err := loopback.Missing(t.Context(), append(some(), netip.MustParseAddr("127.0.0.10")))
			if err != nil {
				t.Fatal(err)
			}
			return loopback.Join(lacking, " ")
		}
		if got := missing(); got != loopback.Join(some(), " ") {
			t.Fatalf("missing at first: %s", got)
		}
		for range 2 {
			if err := loopback.Add(t.Context(), some()); err != nil {
				if _, ok := errors.AsType[*loopback.NoIPv6Error](err); ok {
					t.Skip(err)
				}
				t.Fatal(err)
			}
			if got := missing(); got != "" {
				t.Fatalf("missing after they were added: %s", got)
			}
		}
		for range 2 {
			if err := loopback.Remove(t.Context(), some()); err != nil {
				t.Fatal(err)
			}
		}
		if got := missing(); got != loopback.Join(some(), " ") {
			t.Errorf("missing after they were removed: %s", got)
		}
		if err := loopback.Add(t.Context(), []netip.Addr{netip.MustParseAddr("8.8.8.8")}); err == nil {
			t.Error("a public address was added")
		}
	})
}

func TestAnAddressOfAnotherInterfaceIsTaken(t *testing.T) {
	inNamespace(t, "root", func(t *testing.T) {
		up(t)
		attributes := netlink.NewLinkAttrs()
		attributes.Name = "other"
		link := &netlink.Bridge{LinkAttrs: attributes}
		if err := netlink.LinkAdd(link); err != nil {
			t.Skipf("the kernel makes no bridge here: %v", err)
		}
		address, err := netlink.ParseAddr("172.18.255.53/24")
		if err == nil {
			err = netlink.AddrAdd(link, address)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = loopback.Missing(t.Context(), some())
		if taken, ok := errors.AsType[*loopback.TakenError](err); !ok || taken.Interface != "other" {
			t.Errorf("error %v, want that the interface other has it", err)
		}
	})
}

func TestWithoutTheRightsOfRootItSaysSo(t *testing.T) {
	inNamespace(t, "user", func(t *testing.T) {
		if err := loopback.Add(t.Context(), some()); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("error %v, want that the rights are missing", err)
		}
	})
}
