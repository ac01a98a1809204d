// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package enginehost

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gardener/kindling/pkg/clock"
	"github.com/gardener/kindling/pkg/engine"
)

// Probe looks at the engine's host by one short-lived container of an image that has find, date, tail and df, as node images do. It needs no
// rights: what it reads, everybody may. The container takes about a second to start.
func Probe(ctx context.Context, e *engine.Engine, image, kernel string) (Facts, error) {
	// find runs all programs, and does not mind files that some hosts lack.
	args := []string{"/", "-maxdepth", "0", "-exec", "date", "+%s", ";", "-exec", "df", "--block-size=1", "--output=size,avail", "/", ";", "-exec", "tail", "--lines=+1"}
	start := time.Now()
	output, err := e.RunOnce(ctx, engine.ContainerSpec{
		Image: image, Network: engine.HostNetwork, Mounts: []engine.BindMount{{Host: modulesDir, Container: modulesDir, ReadOnly: true}},
		Entrypoint: "find", Args: slices.Concat(args, paths(kernel), []string{";"}),
	})
	if err != nil {
		return Facts{}, fmt.Errorf("looking at the engine's host: %w", err)
	}
	facts, err := Parse(output)
	if !facts.Time.IsZero() {
		facts.ClockAhead = clock.Ahead(facts.Time, start, time.Now())
	}
	return facts, err
}
