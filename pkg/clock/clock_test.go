// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package clock_test

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gardener/kindling/pkg/clock"
)

func TestOnlyWhatTheReadingDoesNotExplainIsADifference(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	end := start.Add(20 * time.Second)
	for name, c := range map[string]struct {
		reading time.Time
		want    time.Duration
	}{
		"read at once":              {start, 0},
		"read in the middle":        {start.Add(10 * time.Second), 0},
		"read at the end":           {end, 0},
		"behind":                    {start.Add(-time.Hour), -time.Hour},
		"ahead, read at the end":    {end.Add(time.Minute), time.Minute},
		"ahead, in another zone":    {end.Add(time.Minute).In(time.FixedZone("", 7200)), time.Minute},
		"slow start is no lateness": {end.Add(-time.Second), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := clock.Ahead(c.reading, start, end); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestOnlyDatesOfCertificatesAreExplained(t *testing.T) {
	t.Parallel()
	expired := fmt.Errorf("get: %w", x509.CertificateInvalidError{Reason: x509.Expired})
	explained := clock.Explain(expired)
	if !errors.Is(explained, expired) || !strings.Contains(explained.Error(), "Compare the clocks") {
		t.Errorf("expired: %v", explained)
	}
	if again := clock.Explain(fmt.Errorf("again: %w", explained)); strings.Count(again.Error(), "Compare the clocks") != 1 {
		t.Errorf("said twice: %v", again)
	}
	for _, other := range []error{nil, errors.New("x509: other"), x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}} {
		if got := clock.Explain(other); fmt.Sprint(got) != fmt.Sprint(other) {
			t.Errorf("%v became %v", other, got)
		}
	}
}
