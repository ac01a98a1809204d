// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/gardener/kindling/pkg/addressmap"
	"github.com/gardener/kindling/pkg/addressmap/page"
	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/steps"
)

// lookFunc looks once at an environment.
type lookFunc func(context.Context) (page.Status, *environment.Environment, error)

// seen is what a look found, or why it found nothing.
type seen struct {
	status page.Status
	err    string
}

// keepLooking prints the first look, and of the next ones what is not as in the last. It ends with the context: an engine that is down is
// one more thing to look at.
func (o *statusOptions) keepLooking(ctx context.Context, streams IOStreams, look lookFunc) error {
	if o.output.value == formatHTML {
		return &UsageError{errors.New("--watch writes no page: use -o json, or no -o")}
	}
	if o.interval <= 0 {
		return &UsageError{fmt.Errorf("--interval is %s: it must be more than 0", o.interval)}
	}
	ticker := time.NewTicker(o.interval)
	defer ticker.Stop()
	var last seen
	for first := true; ; first = false {
		next := o.lookInTime(ctx, look)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if first || !reflect.DeepEqual(last, next) {
			if err := o.printChange(streams, last, next); err != nil {
				return err
			}
		}
		last = next
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// lookInTime leaves out what differs between two looks at the same things.
func (o *statusOptions) lookInTime(ctx context.Context, look lookFunc) seen {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	status, _, err := look(ctx)
	if err != nil {
		return seen{page.Status{Environment: status.Environment}, err.Error()}
	}
	status.Plan = nil
	for i := range status.Steps {
		status.Steps[i].Seconds = 0
		if err := status.Steps[i].Err; err != nil {
			status.Steps[i].Err = nil
			status.Steps[i].Observation = steps.Observation{State: steps.Unknown, Text: strings.ReplaceAll(err.Error(), "\n", " ")}
		}
	}
	return seen{status, ""}
}

func (o *statusOptions) printChange(streams IOStreams, last, next seen) error {
	now := time.Now().Format(time.TimeOnly)
	if next.err != "" {
		_, err := fmt.Fprintf(streams.ErrOut, "%s %s\n", now, next.err)
		return err
	}
	if format := printer.Format(o.output.value); format != printer.FormatTable {
		if err := separate(streams, format); err != nil {
			return err
		}
		return printer.Encode(streams.Out, format, next.status)
	}
	if _, err := fmt.Fprintf(streams.Out, "%s\n", now); err != nil {
		return err
	}
	if changed := changedSteps(last.status.Steps, next.status.Steps); len(changed) > 0 {
		if err := printObservations(streams.Out, printer.FormatTable, changed); err != nil {
			return err
		}
	}
	return printAddressMaps(streams.Out, changedMaps(last.status.Clusters, next.status.Clusters))
}

// separate begins a further document of YAML. Those of JSON need nothing between them.
func separate(streams IOStreams, format printer.Format) error {
	if format != printer.FormatYAML {
		return nil
	}
	_, err := fmt.Fprintln(streams.Out, "---")
	return err
}

func changedSteps(last, next []steps.Result) []steps.Result {
	before := map[string]steps.Result{}
	for _, result := range last {
		before[result.Step] = result
	}
	var changed []steps.Result
	for _, result := range next {
		if !reflect.DeepEqual(before[result.Step], result) {
			changed = append(changed, result)
		}
	}
	return changed
}

func changedMaps(last, next []*addressmap.Map) []*addressmap.Map {
	before := map[string]*addressmap.Map{}
	for _, m := range last {
		before[m.Cluster] = m
	}
	var changed []*addressmap.Map
	for _, m := range next {
		if !reflect.DeepEqual(before[m.Cluster], m) {
			changed = append(changed, m)
		}
	}
	return changed
}
