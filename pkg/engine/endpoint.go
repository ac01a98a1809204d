// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"
)

// Endpoint is how the engine is reached.
type Endpoint struct {
	// Context is the name of the CLI's context.
	Context string
	// URL such as unix:///var/run/docker.sock or ssh://me@example.com.
	URL string
}

// Endpoint asks the CLI, which minds its configuration and $DOCKER_HOST. Only docker's tells; others give a zero Endpoint.
func (e *Engine) Endpoint(ctx context.Context) (Endpoint, error) {
	if e.name != Docker {
		return Endpoint{}, nil
	}
	output, err := e.output(ctx, "context", "inspect")
	if err != nil {
		return Endpoint{}, err
	}
	var contexts []struct {
		Name      string `json:"Name"`
		Endpoints map[string]struct {
			Host string `json:"Host"`
		} `json:"Endpoints"`
	}
	if err := json.Unmarshal(output, &contexts); err != nil {
		return Endpoint{}, fmt.Errorf("reading the engine's context: %w", err)
	}
	if len(contexts) == 0 {
		return Endpoint{}, nil
	}
	return Endpoint{contexts[0].Name, contexts[0].Endpoints["docker"].Host}, nil
}
