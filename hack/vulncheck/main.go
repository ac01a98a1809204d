// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command vulncheck runs govulncheck for all modules of the project. Where the vulnerability database can't be reached it says so and ends
// well, unless -required is given.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

const (
	// program is pinned as the linters are.
	program = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
	// database is what govulncheck asks; see https://go.dev/doc/security/vuln/database.
	database = "https://vuln.go.dev/index/db.json"
	// reachTimeout is for finding out whether the database answers.
	reachTimeout = 20 * time.Second
)

func main() {
	required := flag.Bool("required", false, "fail where the database can't be reached")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := check(ctx, *required)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulncheck:", err)
		os.Exit(1)
	}
}

func check(ctx context.Context, required bool) error {
	if err := reach(ctx); err != nil {
		if required {
			return fmt.Errorf("the vulnerability database can't be reached: %w", err)
		}
		fmt.Println("vulncheck: skipped: the vulnerability database can't be reached:", err)
		return nil
	}
	for _, module := range []string{".", "hack/nodeimage", "hack/registryimage"} {
		command := exec.CommandContext(ctx, "go", "run", program, "./...")
		command.Dir, command.Stdout, command.Stderr = module, os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("module %s: %w", module, err)
		}
	}
	return nil
}

func reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, database, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", database, response.Status)
	}
	return nil
}
