// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command kindling makes the kind clusters in which a local Gardener is bootstrapped, so that a broken VPN is seen.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/gardener/kindling/pkg/cmd"
)

func main() {
	// The first signal asks for an orderly end; after it the default is back, so that a second one ends at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cmd.Main(ctx, cmd.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}, os.Args[1:]))
}
