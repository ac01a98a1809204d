// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// abandon removes a cluster whose creation failed, so that nothing half-made is left. An interrupted one is left to the next
// run: the user wants the prompt back. What was there before, made by somebody else meanwhile, is theirs.
func (c *cluster) abandon(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		if c.leftNothing(context.WithoutCancel(ctx)) {
			return errors.Join(cause, c.env.record.enter(c.spec.Name, "", nil))
		}
		return cause
	}
	if !strings.Contains(cause.Error(), "node(s) already exist for a cluster with the name") { // kind's first check, which has no type
		if err := c.removeAll(ctx); err != nil {
			return fmt.Errorf("%w (and removing what was made of it failed: %w)", cause, err)
		}
	}
	if err := c.env.record.enter(c.spec.Name, "", nil); err != nil {
		return fmt.Errorf("%w (and %w)", cause, err)
	}
	return cause
}

// lookTimeout is the time to look what calls of the engine that were under way leave yet.
const lookTimeout = 2 * time.Second

// removeAll removes what there is of the cluster until no more comes: kind returns at the first error while it still makes the other
// nodes.
func (c *cluster) removeAll(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := c.env.Kind.Delete(ctx, c.spec.Name); err != nil {
			return err
		}
		if c.leftNothing(ctx) {
			return nil
		}
	}
	return ctx.Err()
}

// leftNothing says whether a creation that has ended made no container. A call of the engine that was under way goes on by itself, so
// it is looked for a while.
func (c *cluster) leftNothing(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	ticker := time.NewTicker(lookTimeout / 8)
	defer ticker.Stop()
	for looked := false; ; looked = true {
		nodes, err := c.containers(ctx)
		switch {
		case ctx.Err() != nil:
			return looked
		case err != nil || len(nodes) > 0:
			return false
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}
