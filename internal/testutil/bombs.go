// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package testutil

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// YAMLBombs are small mappings that become large, or never end, when their aliases are replaced.
func YAMLBombs() map[string][]byte {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 lol\n")
	for i := 1; i < 12; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i, i, strings.Join([]string{alias, alias, alias, alias, alias, alias, alias, alias, alias, alias}, ", "))
	}
	return map[string][]byte{
		"aliases that multiply":            []byte(laughs.String()),
		"a long text that is repeated":     []byte("a: &a " + strings.Repeat("x", 200_000) + "\nb: [*a" + strings.Repeat(", *a", 10_000) + "]\n"),
		"a list that has itself in itself": []byte("a: &a [*a]\n"),
	}
}

// DeepFiles are nested deeper than any file of people.
func DeepFiles() map[string][]byte {
	return map[string][]byte{
		"lists in lists":               []byte("a: " + strings.Repeat("[", 500_000)),
		"mappings in mappings":         []byte("a: " + strings.Repeat("{a: ", 200_000)),
		"lists in lists, line by line": []byte(strings.Repeat("- ", 200_000) + "a\n"),
	}
}

// AtMost holds that something allocates no more than so many bytes in all. Tests that run beside it count, too.
func AtMost(t *testing.T, limit uint64, do func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > limit {
		t.Errorf("it took %d bytes, at most %d are wanted", took, limit)
	}
}
