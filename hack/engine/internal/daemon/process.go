// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// pollInterval is how often a wait looks again. The kernel and the engine tell
// no one, so there is nothing to be woken by.
const pollInterval = 100 * time.Millisecond

// process is a process that cannot be mistaken for a later one with the same
// number.
type process struct {
	PID int `json:"pid"`
	// StartTime is in clock ticks since boot, field 22 of /proc/<pid>/stat.
	StartTime uint64 `json:"startTime"`
}

func findProcess(pid int) (process, error) {
	found, err := readStat(pid)
	return process{PID: pid, StartTime: found.startTime}, err
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, fmt.Errorf("cannot find process %d: %w", pid, err)
	}
	found, err := parseStat(string(text))
	if err != nil {
		return stat{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return found, nil
}

func (p process) alive() bool {
	now, err := findProcess(p.PID)
	return err == nil && now == p
}

// end asks the process to finish and waits until it is gone. When ctx is done
// first, the process is killed.
func (p process) end(ctx context.Context) error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := poll(ctx, func() bool { return !p.alive() })
	if err == nil {
		return nil
	}
	late := fmt.Errorf("process %d was killed, it did not end in time: %w", p.PID, err)
	return errors.Join(late, p.signal(syscall.SIGKILL))
}

// kill ends the process at once and waits until it is gone.
func (p process) kill(ctx context.Context) error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	if err := poll(ctx, func() bool { return !p.alive() }); err != nil {
		return fmt.Errorf("process %d was killed and does not end: %w", p.PID, err)
	}
	return nil
}

// signal does nothing to a process that is gone.
func (p process) signal(number syscall.Signal) error {
	if !p.alive() {
		return nil
	}
	if err := syscall.Kill(p.PID, number); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("cannot send %s to process %d: %w", number, p.PID, err)
	}
	return nil
}

// poll calls done until it says yes or ctx is done.
func poll(ctx context.Context, done func() bool) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
	return nil
}

// program is the file name of what the process executes, or nothing.
func (p process) program() string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
	if err != nil {
		return ""
	}
	return filepath.Base(path)
}
