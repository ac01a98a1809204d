// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
)

// withShared lets no other kindling look at, or make, what environments share under a name while a step does: two would both find it missing.
// Who takes it back needs no such lock: the record is locked meanwhile, and is where others enter themselves before they look.
func (e *Environment) withShared(name string, apply func(context.Context, func(string)) (string, error)) func(context.Context, func(string)) (string, error) {
	return func(ctx context.Context, report func(string)) (string, error) {
		unlock, err := e.lockOf(ctx, name, report)
		if err != nil {
			return "", err
		}
		defer unlock()
		return apply(ctx, report)
	}
}

// lockOf is the lock on what environments share under a name.
func (e *Environment) lockOf(ctx context.Context, name string, report func(string)) (unlock func(), err error) {
	waiting := "another kindling works on what environments share (" + name + ")"
	unlock, err = awaitFileLock(ctx, e.sharedPath(name+".lock"), false, func() { report("waiting: " + waiting) })
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("locking what environments share (%s): %w: set XDG_STATE_HOME to a folder that can be written", name, err)
	}
	return unlock, deadline(ctx, err, waiting)
}
