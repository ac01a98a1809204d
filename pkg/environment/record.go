// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/google/renameio/v2"
)

// record is what must be known about an environment when its clusters can't be asked. It is written before the deed, so that a
// process that dies leaves a trace.
type record struct {
	mutex sync.Mutex
	path  string
}

type recordContent struct {
	// Creating are the clusters whose creation or removal has begun and not ended. What there is of them is half-made, and kindling's.
	Creating []string `json:"creating,omitempty"`
	// Merged are the user's kubeconfigs that hold entries of the environment, by cluster.
	Merged map[string]string `json:"merged,omitempty"`
	// Files are the names of the files in the environment's folder that kindling wrote.
	Files []string `json:"files,omitempty"`
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
	if len(content.Creating) == 0 && len(content.Merged) == 0 && len(content.Files) == 0 {
		if err := os.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the environment's record: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the environment's record: %w", err)
	}
	if err := renameio.WriteFile(r.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the environment's record: %w", err)
	}
	return nil
}

func (r *record) creating(cluster string) (bool, error) {
	content, err := r.read()
	return slices.Contains(content.Creating, cluster), err
}

func (r *record) setCreating(cluster string, creating bool) error {
	return r.change(func(content *recordContent) {
		content.Creating = slices.DeleteFunc(content.Creating, func(name string) bool { return name == cluster })
		if creating {
			content.Creating = append(content.Creating, cluster)
		}
	})
}
