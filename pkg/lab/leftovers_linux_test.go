// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestNothingIsLeft kills the program that holds a laboratory, and waits until every process of it is gone; with them go the
// namespaces, which have no other name.
func TestNothingIsLeft(t *testing.T) {
	before := hostLinks(t)
	command := exec.Command(self(t)[0], "inside", "hold")
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said := &strings.Builder{}
	command.Stderr = said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	if line != "built\n" {
		_ = command.Wait()
		if strings.Contains(said.String(), "can't hold the laboratory") && os.Getenv(requiredVariable) == "" {
			t.Skip(said.String())
		}
		t.Fatalf("the laboratory was not built: %q, %s", line, said)
	}
	inside := descendants(t, command.Process.Pid)
	if len(inside) < 5 {
		t.Fatalf("only %d processes: the laboratory has more", len(inside))
	}
	if links := hostLinks(t); links != before {
		t.Errorf("interfaces of the host changed from %q to %q", before, links)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stdout) // ends when the last process that holds it does
	_ = command.Wait()
	deadline := time.Now().Add(30 * time.Second)
	for _, pid := range inside {
		for alive(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d outlives the program that was killed", pid)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if links := hostLinks(t); links != before {
		t.Errorf("interfaces of the host changed from %q to %q", before, links)
	}
}

func hostLinks(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir("/sys/class/net")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "veth") && !strings.HasPrefix(entry.Name(), "br-") { // the engine's, of other tests
			names = append(names, entry.Name())
		}
	}
	return strings.Join(names, " ")
}

// descendants are the processes below a process.
func descendants(t *testing.T, pid int) []int {
	t.Helper()
	var all []int
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		for field := range strings.FieldsSeq(string(content)) {
			var child int
			if _, err := fmt.Sscan(field, &child); err != nil {
				t.Fatal(err)
			}
			all = append(append(all, child), descendants(t, child)...)
		}
	}
	return all
}

// alive says whether a process runs; one that is dead and not yet waited for does not.
func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(status), ") Z ")
}

// TestWithoutRoot runs the laboratory as a user without rights, with a TUN device that users may open, as distributions have it.
func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the other tests run without root already")
	}
	for _, program := range []string{"unshare", "setpriv", "mount"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("to become another user: %v", err)
		}
	}
	dir, err := os.MkdirTemp("", "kindling-lab") //nolint:usetesting // others than its owner can't enter a folder of the test's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, device := filepath.Join(dir, "lab"), filepath.Join(dir, "tun")
	copyProgram(t, self(t)[0], program)
	for _, err := range []error{os.Chmod(dir, 0o755), unix.Mknod(device, unix.S_IFCHR, int(unix.Mkdev(10, 200))), os.Chmod(device, 0o666)} {
		if err != nil {
			t.Skipf("a TUN device for users can't be made here: %v", err)
		}
	}
	const nobody = 65534
	command := exec.Command("unshare", "--mount", "--", "sh", "-c",
		`mount --bind "$1" /dev/net/tun && exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$2" inside unprivileged`, "sh", device, program)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := command.CombinedOutput()
	if err != nil && strings.Contains(string(output), "can't hold the laboratory") {
		t.Skipf("user %d may not make namespaces here: %s", nobody, output)
	}
	if err != nil {
		t.Errorf("without root: %v\n%s", err, output)
	}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o755); err != nil {
		t.Fatal(err)
	}
}
