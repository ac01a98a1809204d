// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// unmountBelow removes what a killed engine left mounted below a folder.
func unmountBelow(folder string) error {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return fmt.Errorf("cannot list mounts: %w", err)
	}
	defer file.Close()
	points, err := mountPoints(file, folder)
	if err != nil {
		return err
	}
	var failures []error
	for _, point := range points {
		if err := unmount(point); err != nil && !errors.Is(err, syscall.EINVAL) {
			failures = append(failures, fmt.Errorf("cannot unmount %s, do it by hand and repeat: %w", point, err))
		}
	}
	return errors.Join(failures...)
}

// mountPoints reads a text in the form of /proc/<pid>/mountinfo and returns
// the points below the folder, the last mounted first.
func mountPoints(mountinfo io.Reader, folder string) ([]string, error) {
	const pointField = 4
	var points []string
	lines := bufio.NewScanner(mountinfo)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) <= pointField {
			continue
		}
		point, err := unescape(fields[pointField])
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(point, folder+"/") {
			points = append(points, point)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read mounts: %w", err)
	}
	slices.Reverse(points)
	return points, nil
}

// unescape undoes the octal escapes (\040 for a space) of mountinfo.
func unescape(field string) (string, error) {
	var plain strings.Builder
	for {
		before, after, found := strings.Cut(field, `\`)
		plain.WriteString(before)
		if !found {
			return plain.String(), nil
		}
		if len(after) < 3 {
			return "", fmt.Errorf("mount point ends inside an escape: %q", field)
		}
		code, err := strconv.ParseUint(after[:3], 8, 8)
		if err != nil {
			return "", fmt.Errorf("mount point has a damaged escape: %w", err)
		}
		plain.WriteByte(byte(code))
		field = after[3:]
	}
}
