// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package capability reads which Linux capabilities a process may still gain.
package capability

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// maxBit is the highest bit a 64-bit capability mask can hold.
const maxBit = 63

// Set is a set of capabilities, one bit each, numbered as the kernel does.
type Set uint64

// ParseBounding reads the bounding set from a text in the form of
// /proc/<pid>/status: a line "CapBnd:" with 64 bits in hexadecimal.
func ParseBounding(status io.Reader) (Set, error) {
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		value, found := strings.CutPrefix(lines.Text(), "CapBnd:")
		if !found {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return 0, fmt.Errorf("line CapBnd is not a hexadecimal mask: %w", err)
		}
		return Set(bits), nil
	}
	if err := lines.Err(); err != nil {
		return 0, fmt.Errorf("cannot read process status: %w", err)
	}
	return 0, errors.New("process status has no line CapBnd: is /proc mounted from Linux?")
}

// Bounding returns the bounding set of this process.
func Bounding() (Set, error) {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("cannot read the own capabilities: %w", err)
	}
	defer file.Close()
	return ParseBounding(file)
}

// Last returns the number of the highest capability that the kernel knows.
func Last() (int, error) {
	const source = "/proc/sys/kernel/cap_last_cap"
	text, err := os.ReadFile(source)
	if err != nil {
		return 0, fmt.Errorf("cannot read the kernel's last capability: %w", err)
	}
	return ParseLast(string(text))
}

// ParseLast reads the decimal number in a text in the form of
// /proc/sys/kernel/cap_last_cap.
func ParseLast(text string) (int, error) {
	last, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || last < 0 || last > maxBit {
		return 0, fmt.Errorf("last capability %q is not a number from 0 to %d", strings.TrimSpace(text), maxBit)
	}
	return last, nil
}

// Has says whether the set holds the capability with that name, written as in
// OCI files ("CAP_SYS_ADMIN"). A name this package does not know counts as
// held, so that a newer engine on a newer kernel keeps its own judgement.
func (s Set) Has(name string) bool {
	for bit, known := range names() {
		if known == name {
			return s&(1<<bit) != 0
		}
	}
	return true
}

// Missing names the capabilities from bit 0 to bit last that the set lacks.
func (s Set) Missing(last int) []string {
	var missing []string
	for bit := 0; bit <= last; bit++ {
		if s&(1<<bit) == 0 {
			missing = append(missing, nameOf(bit))
		}
	}
	return missing
}

func nameOf(bit int) string {
	known := names()
	if bit < len(known) {
		return known[bit]
	}
	return fmt.Sprintf("capability %d", bit)
}
