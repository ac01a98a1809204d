// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"encoding/json"
	"errors"
	"fmt"
)

// CountersPath is the path of the counters on the port DebugPort.
const CountersPath = "/debug/vars"

// HealthPath is the path on DebugPort that tells whether a server can work.
const HealthPath = "/debug/health"

// Counters are what a cache did since it was started, for manifests and blobs.
type Counters struct {
	// Requests that were answered: from what is kept (Hits), or from the upstream.
	Requests int64 `json:"requests"`
	Hits     int64 `json:"hits"`
	// Misses were got from the upstream.
	Misses int64 `json:"misses"`
	// BytesPulled from the upstream.
	BytesPulled int64 `json:"bytesPulled"`
	// BytesServed to nodes.
	BytesServed int64 `json:"bytesServed"`
}

// ParseCounters reads what a cache tells at CountersPath.
func ParseCounters(data []byte) (Counters, error) {
	type counters struct {
		Requests    int64 `json:"Requests"`
		Hits        int64 `json:"Hits"`
		Misses      int64 `json:"Misses"`
		BytesPulled int64 `json:"BytesPulled"`
		BytesPushed int64 `json:"BytesPushed"`
	}
	var answer struct {
		Registry struct {
			Proxy *struct {
				Blobs     counters `json:"blobs"`
				Manifests counters `json:"manifests"`
			} `json:"proxy"`
		} `json:"registry"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return Counters{}, fmt.Errorf("reading the counters of a cache: %w", err)
	}
	if answer.Registry.Proxy == nil {
		return Counters{}, errors.New("reading the counters of a cache: it tells none")
	}
	var sum Counters
	for _, c := range []counters{answer.Registry.Proxy.Blobs, answer.Registry.Proxy.Manifests} {
		sum.Requests += c.Requests
		sum.Hits += c.Hits
		sum.Misses += c.Misses
		sum.BytesPulled += c.BytesPulled
		sum.BytesServed += c.BytesPushed
	}
	return sum, nil
}
