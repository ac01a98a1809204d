// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command makehelp prints the targets of Makefiles with the texts behind ##, grouped by the headings behind ##@.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
)

func main() {
	for _, path := range os.Args[1:] {
		file, err := os.Open(path)
		if err == nil {
			err = help(file, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "makehelp:", err)
			os.Exit(1)
		}
	}
}

func help(makefile io.Reader, out io.Writer) error {
	target := regexp.MustCompile(`^([a-z0-9 -]+):[^=]*?## (.*)$`)
	heading := regexp.MustCompile(`^##@ (.*)$`)
	scanner := bufio.NewScanner(makefile)
	for scanner.Scan() {
		line := scanner.Text()
		var err error
		if match := heading.FindStringSubmatch(line); match != nil {
			_, err = fmt.Fprintf(out, "\n%s\n", match[1])
		} else if match := target.FindStringSubmatch(line); match != nil {
			_, err = fmt.Fprintf(out, "  %-48s %s\n", match[1], match[2])
		}
		if err != nil {
			return err
		}
	}
	return scanner.Err()
}
