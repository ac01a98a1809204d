// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package testutil

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hang is far beyond what one mutant takes: milliseconds.
const hang = time.Minute

// Mutants gives do files that differ from the originals as broken, hand-made and hostile ones do, the same in every run, and fails when one
// panics, never ends, or takes more memory than limit, in bytes. In short mode it is a tenth of them. What do returns is whether the file was
// taken: both must happen.
func Mutants(t *testing.T, count int, limit uint64, originals [][]byte, do func(data []byte) bool) {
	t.Helper()
	if testing.Short() {
		count /= 10
	}
	taken := 0
	for seed := range count {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		data := mutate(random, originals)
		if oneMutant(t, seed, limit, data, do) {
			taken++
		}
	}
	t.Logf("%d of %d were taken", taken, count)
	if taken == 0 || taken == count {
		t.Errorf("%d of %d were taken: the others say nothing", taken, count)
	}
}

func oneMutant(t *testing.T, seed int, limit uint64, data []byte, do func([]byte) bool) (taken bool) {
	t.Helper()
	watch := time.AfterFunc(hang, func() { panic(fmt.Sprintf("mutant %d does not end:\n%s", seed, data)) })
	defer watch.Stop()
	defer func() {
		if problem := recover(); problem != nil {
			t.Errorf("mutant %d: panic: %v\n%s", seed, problem, shortened(data))
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	taken = do(data)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > limit {
		t.Errorf("mutant %d took %d bytes, at most %d are wanted:\n%s", seed, took, limit, shortened(data))
	}
	return taken
}

func shortened(data []byte) []byte { return data[:min(len(data), 2000)] }

// mutate changes one of the originals one to four times.
func mutate(random *rand.Rand, originals [][]byte) []byte {
	lines := bytes.SplitAfter(originals[random.IntN(len(originals))], []byte("\n"))
	for range 1 + random.IntN(4) {
		lines = mutateLines(random, lines, originals)
	}
	return bytes.Join(lines, nil)
}

func mutateLines(random *rand.Rand, lines, originals [][]byte) [][]byte {
	if len(lines) == 0 {
		return [][]byte{[]byte("a: b\n")}
	}
	at := random.IntN(len(lines))
	line := string(lines[at])
	replace := func(texts ...string) [][]byte {
		var all [][]byte
		for _, text := range texts {
			all = append(all, []byte(text))
		}
		return append(append(append([][]byte{}, lines[:at]...), all...), lines[at+1:]...)
	}
	switch random.IntN(12) {
	case 0: // a byte is another one
		if line == "" {
			return lines
		}
		changed := []byte(line)
		changed[random.IntN(len(changed))] = byte(random.IntN(256))
		return replace(string(changed))
	case 1: // a line is missing
		return replace()
	case 2: // is there twice
		return replace(line, line)
	case 3: // is elsewhere
		other := random.IntN(len(lines))
		moved := append([][]byte{}, lines...)
		moved[at], moved[other] = moved[other], moved[at]
		return moved
	case 4: // belongs to something else
		return replace(strings.Repeat(" ", random.IntN(8)) + strings.TrimLeft(line, " "))
	case 5: // has another value
		return replace(withValue(line, hostileValues()[random.IntN(len(hostileValues()))]))
	case 6: // has the value of another line
		return replace(withValue(line, valueOf(string(lines[random.IntN(len(lines))]))))
	case 7: // the rest is missing
		return append([][]byte{}, lines[:at+1]...)
	case 8: // a line of another file
		other := bytes.SplitAfter(originals[random.IntN(len(originals))], []byte("\n"))
		return replace(line, string(other[random.IntN(len(other))]))
	case 9: // another document
		return replace("---\n", line)
	case 10: // an anchor, and what it names
		return replace(withValue(line, "&a "+valueOf(line)), withValue(line, "*a"))
	default: // white space that is none
		return replace(strings.ReplaceAll(line, " ", "\t"))
	}
}

func valueOf(line string) string {
	_, value, _ := strings.Cut(line, ": ")
	return strings.TrimRight(value, "\n")
}

func withValue(line, value string) string {
	key, _, found := strings.Cut(line, ":")
	if !found {
		return line
	}
	return key + ": " + value + "\n"
}

// hostileValues are what parsers, paths and commands stumble over.
func hostileValues() []string {
	return []string{
		"", "null", "~", "true", "-1", "0", "99999999999999999999999", "1e309", ".inf", "0x7fffffffffffffff", "[]", "{}", "[[[[[[[[]]]]]]]]",
		strings.Repeat("[", 2000), strings.Repeat("{a: ", 500), strings.Repeat("a", 100_000), `"\u0000"`, `"a\nb"`, `"$(touch /tmp/x)"`, "'`id`'",
		"--privileged", "../../../etc/passwd", "/dev/zero", "0.0.0.0/0", "::/0", "10.0.0.0/33", "10.1.0.0/16", "fd00:10:1::/48", "10.1.2.3", "::ffff:10.0.0.0/104",
		"{a: 1, a: 2}", "!!binary aGk=", "!!python/object:os.system {}", "2001-01-01", "\xff\xfe", "&a [*a]", "|", ">-", "'", "\"",
	}
}
