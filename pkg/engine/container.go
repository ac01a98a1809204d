// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Container is a container of the engine.
type Container struct {
	ID    string
	Name  string
	Image string
	// State is running, exited, created and so on.
	State  string
	Labels map[string]string
}

// Containers returns the containers that carry all labels, running or not, by name.
func (e *Engine) Containers(ctx context.Context, labels map[string]string) ([]Container, error) {
	var filter []string
	for key, value := range labels {
		filter = append(filter, "--filter", "label="+key+"="+value)
	}
	return e.containers(ctx, filter...)
}

// ContainersOn returns the names of the containers that are attached to a network, running or not: a stopped one comes back to it.
func (e *Engine) ContainersOn(ctx context.Context, network string) ([]string, error) {
	containers, err := e.containers(ctx, "--filter", "network="+network)
	names := make([]string, len(containers))
	for i, container := range containers {
		names[i] = container.Name
	}
	return names, err
}

func (e *Engine) containers(ctx context.Context, filter ...string) ([]Container, error) {
	output, err := e.output(ctx, append([]string{"ps", "--all", "--quiet", "--no-trunc"}, filter...)...)
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(output))
	if len(ids) == 0 {
		return nil, nil
	}
	output, err = e.output(ctx, append([]string{"inspect", "--type", "container"}, ids...)...)
	if err != nil && !outputContains(err, "no such") { // one that went meanwhile
		return nil, err
	}
	return parseContainers(output)
}

func parseContainers(output []byte) ([]Container, error) {
	var answers []struct {
		ID     string `json:"Id"`
		Name   string
		State  struct{ Status string }
		Config struct {
			Image  string
			Labels map[string]string
		}
	}
	if err := json.Unmarshal(output, &answers); err != nil {
		return nil, fmt.Errorf("reading the engine's containers: %w", err)
	}
	containers := make([]Container, len(answers))
	for i, answer := range answers {
		containers[i] = Container{
			ID: answer.ID, Name: strings.TrimPrefix(answer.Name, "/"), Image: answer.Config.Image,
			State: answer.State.Status, Labels: answer.Config.Labels,
		}
	}
	slices.SortFunc(containers, func(a, b Container) int { return strings.Compare(a.Name, b.Name) })
	return containers, nil
}

// StartContainers starts stopped containers.
func (e *Engine) StartContainers(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := e.output(ctx, append([]string{"start"}, names...)...)
	return err
}
