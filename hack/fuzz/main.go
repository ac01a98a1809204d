// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command fuzz runs every fuzz test of the module for a while: go test does one at a time.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	duration := flag.Duration("time", 5*time.Second, "time for each fuzz test")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *duration); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, duration time.Duration) error {
	name := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	return filepath.WalkDir("pkg", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range name.FindAllStringSubmatch(string(source), -1) {
			command := exec.CommandContext(ctx, "go", "test", "./"+filepath.Dir(path), "-run", "^$", "-fuzz", "^"+match[1]+"$", "-fuzztime", duration.String())
			command.Stdout, command.Stderr = os.Stdout, os.Stderr
			if err := command.Run(); err != nil {
				return fmt.Errorf("%s in %s: %w", match[1], path, err)
			}
		}
		return nil
	})
}
