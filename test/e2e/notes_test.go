// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"io"
	"strings"
)

// skipNotes passes on the lines that are JSON: notes about the environment come before the events.
func skipNotes(reader io.Reader) io.Reader {
	passed, writer := io.Pipe()
	go func() {
		scanner := bufio.NewScanner(reader)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			if line := scanner.Text(); strings.HasPrefix(line, "{") {
				_, _ = io.WriteString(writer, line+"\n")
			}
		}
		_ = writer.CloseWithError(io.EOF)
	}()
	return passed
}
