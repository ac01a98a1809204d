// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package printer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/steps"
)

func TestTableLeavesOutEmptyColumns(t *testing.T) {
	var out bytes.Buffer
	if err := printer.Table(&out, []string{"A", "B", "C"}, [][]string{{"1", "", "3"}, {"long", "", ""}}); err != nil {
		t.Fatal(err)
	}
	if want := "A   C\n1   3\nlong\n"; trimmed(out.String()) != want {
		t.Errorf("%q, want %q", trimmed(out.String()), want)
	}
}

// trimmed takes white space off the ends of lines.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestEncode(t *testing.T) {
	for format, want := range map[printer.Format]string{printer.FormatJSON: "{\n  \"a\": 1\n}\n", printer.FormatYAML: "a: 1\n"} {
		var out bytes.Buffer
		if err := printer.Encode(&out, format, map[string]int{"a": 1}); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", format, out.String(), err)
		}
	}
}

func events() []steps.Event {
	return []steps.Event{
		{Kind: steps.Started, Step: "a", Title: "Cluster a"},
		{Kind: steps.Progress, Step: "a", Title: "Cluster a", Text: "Preparing nodes"},
		{Kind: steps.Done, Step: "b", Title: "Network", Action: steps.ActionUnchanged},
		{Kind: steps.Done, Step: "a", Title: "Cluster a", Text: "3 nodes", Action: steps.ActionApplied, Duration: 1500 * time.Millisecond},
		{Kind: steps.Failed, Step: "c", Title: "Calico", Duration: time.Second, Err: errors.New("no")},
	}
}

func TestPlainProgress(t *testing.T) {
	var out bytes.Buffer
	progress := printer.NewProgress(printer.ProgressAuto, &out, false)
	for _, event := range events() {
		progress.Emit(event)
	}
	progress.Close()
	want := " • Cluster a ...\n   a: Preparing nodes\n ✓ Cluster a (1.5s): 3 nodes\n ✗ Calico (1.0s)\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestJSONProgress(t *testing.T) {
	var out bytes.Buffer
	progress := printer.NewProgress(printer.ProgressJSON, &out, true)
	for _, event := range events() {
		progress.Emit(event)
	}
	progress.Close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(events()) {
		t.Fatalf("%d lines", len(lines))
	}
	var last map[string]any
	if err := json.Unmarshal([]byte(lines[4]), &last); err != nil || last["event"] != "failed" || last["error"] != "no" || last["seconds"] != 1.0 {
		t.Errorf("%v, %v", last, err)
	}
}

func TestSpinnerLeavesTheLinesOfStepsThatEnded(t *testing.T) {
	var out bytes.Buffer
	progress := printer.NewProgress(printer.ProgressAuto, &out, true)
	for _, event := range events() {
		progress.Emit(event)
	}
	progress.Close()
	if text := out.String(); !strings.Contains(text, " ✓ Cluster a (1.5s): 3 nodes\n") || !strings.HasSuffix(text, "\r\x1b[K") {
		t.Errorf("%q", text)
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 5 << 30: "5.0 GiB", 3 << 50: "3072.0 TiB"} {
		if have := printer.Bytes(n); have != want {
			t.Errorf("%d is %q, want %q", n, have, want)
		}
	}
}
