// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"net"
	"testing"
	"time"
)

// A stream ends by the deadline of its connection, with an error of the network's. It must count as no answer, as the context's own does.
func TestAConnectionThatEndsByTheDeadlineDoesNotReach(t *testing.T) {
	t.Parallel()
	silent, other := net.Pipe()
	defer func() { _, _ = silent.Close(), other.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r := &run{Options: Options{Connect: func([]byte) (Cluster, error) { return nil, nil }, Now: time.Now}, access: &access{}}
	attempt := r.try(ctx, func(ctx context.Context, _ Cluster) (string, error) {
		deadline, _ := ctx.Deadline()
		if err := silent.SetDeadline(deadline); err != nil {
			return "", err
		}
		_, err := silent.Read(make([]byte, 1))
		return "Pod a/b", err
	})
	if attempt.outcome != unreached {
		t.Errorf("%s (%s), want %s", attempt.outcome, attempt.evidence.Text, unreached)
	}
}
