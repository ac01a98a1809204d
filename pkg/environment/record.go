// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gardener/kindling/internal/wholefile"
	"github.com/gardener/kindling/pkg/engine"
)

// record is what must be known about an environment when its clusters can't be asked, or its file does not name them any more. It is
// written before the deed, so that a process that dies leaves a trace.
type record struct {
	mutex sync.Mutex
	path  string
}

type recordContent struct {
	// Clusters that were begun and not removed, by name.
	Clusters map[string]clusterRecord `json:"clusters,omitempty"`
	// Files are the names of the files in the environment's folder that kindling wrote.
	Files []string `json:"files,omitempty"`
}

// clusterRecord is what is known of a cluster. One that holds nothing is not kept.
type clusterRecord struct {
	State clusterState `json:"state,omitempty"`
	// Since is when the state was entered.
	Since time.Time `json:"since,omitzero"`
	// Containers are the identities of the nodes of a half-made cluster, as soon as they were seen.
	Containers []string `json:"containers,omitempty"`
	// Nodes are the containers of a cluster that is made, by name.
	Nodes map[string]nodeRecord `json:"nodes,omitempty"`
	// Kubeconfig is the name of its file in the environment's folder.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Copies of it: names of files in that folder, and absolute paths.
	Copies []string `json:"copies,omitempty"`
	// Merged is the user's kubeconfig that holds its entries.
	Merged string `json:"merged,omitempty"`
}

type clusterState string

const (
	// halfMade is a cluster whose creation or removal has begun and not ended.
	halfMade clusterState = "half-made"
	made     clusterState = "made"
)

// unseenTimeout is the time from the beginning of a creation until its nodes are there at the latest.
const unseenTimeout = time.Minute

// isHalfMade says whether containers are what a broken-off creation or removal left. A cluster that somebody made under the same name
// since is not.
func (r clusterRecord) isHalfMade(containers []engine.Container) bool {
	return r.State == halfMade && !slices.ContainsFunc(containers, func(c engine.Container) bool { return !r.covers(c) })
}

// covers goes by the time when the process died before it could see a node.
func (r clusterRecord) covers(container engine.Container) bool {
	if len(r.Containers) > 0 {
		return slices.Contains(r.Containers, container.ID)
	}
	return container.Created.Sub(r.Since).Abs() < unseenTimeout
}

func (r *record) read() (recordContent, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.readLocked()
}

func (r *record) readLocked() (recordContent, error) {
	var content recordContent
	data, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return content, nil
	}
	if err != nil {
		return content, fmt.Errorf("reading the environment's record: %w", err)
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return content, fmt.Errorf("the environment's record %s is damaged: %w: remove it when no cluster of the environment was being created", r.path, err)
	}
	return content, nil
}

func (r *record) change(change func(*recordContent)) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	content, err := r.readLocked()
	if err != nil {
		return err
	}
	change(&content)
	maps.DeleteFunc(content.Clusters, func(_ string, c clusterRecord) bool {
		return c.State == "" && c.Kubeconfig == "" && c.Merged == "" && len(c.Copies) == 0
	})
	if len(content.Clusters) == 0 && len(content.Files) == 0 {
		if err := wholefile.Remove(r.path); err != nil {
			return fmt.Errorf("removing the environment's record: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the environment's record: %w", err)
	}
	if err := wholefile.Write(r.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the environment's record: %w", err)
	}
	return nil
}

// cluster returns what is known of a cluster; nothing is no error.
func (r *record) cluster(name string) (clusterRecord, error) {
	content, err := r.read()
	return content.Clusters[name], err
}

func (r *record) changeCluster(name string, change func(*clusterRecord)) error {
	return r.change(func(content *recordContent) {
		if content.Clusters == nil {
			content.Clusters = map[string]clusterRecord{}
		}
		cluster := content.Clusters[name]
		change(&cluster)
		content.Clusters[name] = cluster
	})
}

// enter notes a state of a cluster, with the nodes that it is about; no state when it is gone.
func (r *record) enter(name string, state clusterState, containers []engine.Container) error {
	return r.changeCluster(name, func(cluster *clusterRecord) {
		cluster.State, cluster.Since, cluster.Containers = state, time.Now(), identities(containers)
		if state != made {
			cluster.Nodes = nil
		}
	})
}

// saw notes the nodes of a cluster that is being made.
func (r *record) saw(name string, containers []engine.Container) error {
	return r.changeCluster(name, func(cluster *clusterRecord) { cluster.Containers = identities(containers) })
}

func identities(containers []engine.Container) []string {
	var ids []string
	for _, container := range containers {
		ids = append(ids, container.ID)
	}
	return ids
}
