// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gardener/kindling/internal/wholefile"
)

// Where a change was made.
type where string

const (
	inSeed   where = "seed"
	inGarden where = "garden"
	inShoot  where = "shoot"
)

// change is something that a run changes, written down before it does.
type change struct {
	Where      where  `json:"where"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// Created says that the run makes the object, so that restoring removes it.
	Created bool `json:"created,omitempty"`
	// Replicas before, for a workload that is scaled to none.
	Replicas *int64 `json:"replicas,omitempty"`
	// Annotation that is set to "true", and what it was before; nil where it was not.
	Annotation string  `json:"annotation,omitempty"`
	Before     *string `json:"before,omitempty"`
}

// Journal is the file that names what a run has changed and not yet restored.
type Journal struct{ Path string }

// journalContent is what the file holds.
type journalContent struct {
	Shoot     string `json:"shoot"`
	Namespace string `json:"controlPlane"`
	// Kubeconfigs are the files that the run was given; restoring uses them again.
	Kubeconfigs Kubeconfigs `json:"kubeconfigs"`
	Changes     []change    `json:"changes"`
}

// Kubeconfigs are paths of files; empty ones were not given.
type Kubeconfigs struct {
	Seed   string `json:"seed"`
	Garden string `json:"garden,omitempty"`
	Shoot  string `json:"shoot,omitempty"`
}

// UnrestoredError says that an earlier run has left something changed, or that another one goes on.
type UnrestoredError struct{ Path string }

// Error implements error.
func (e *UnrestoredError) Error() string {
	return fmt.Sprintf("an earlier run was ended before it had restored everything, or another one goes on now (%s): when none does, run kindling verify --restore", e.Path)
}

// NewJournal returns the journal of the shoot whose control plane is in a namespace, in a folder. Two runs at once on one shoot would
// take each other's changes for faults.
func NewJournal(dir, namespace string) *Journal {
	return &Journal{filepath.Join(dir, "verify-"+namespace+".json")}
}

// Journals lists the journals in a folder: runs that have something to restore.
func Journals(dir string) ([]*Journal, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "verify-*.json"))
	if err != nil {
		return nil, fmt.Errorf("looking for what to restore: %w", err)
	}
	var journals []*Journal
	for _, path := range paths {
		journals = append(journals, &Journal{path})
	}
	return journals, nil
}

// begin makes the file, which must not be there.
func (j *Journal) begin(content journalContent) error {
	if err := os.MkdirAll(filepath.Dir(j.Path), 0o700); err != nil {
		return fmt.Errorf("making the folder for what has to be restored: %w", err)
	}
	file, err := os.OpenFile(j.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &UnrestoredError{j.Path}
	}
	if err != nil {
		return fmt.Errorf("writing down what has to be restored: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("writing down what has to be restored: %w", err)
	}
	return j.write(content)
}

func (j *Journal) write(content journalContent) error {
	data, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding what has to be restored: %w", err)
	}
	if err := wholefile.Write(j.Path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing down what has to be restored: %w", err)
	}
	return nil
}

// Kubeconfigs returns the files that the run was given.
func (j *Journal) Kubeconfigs() (Kubeconfigs, error) {
	content, err := j.read()
	return content.Kubeconfigs, err
}

func (j *Journal) read() (journalContent, error) {
	data, err := os.ReadFile(j.Path)
	if err != nil {
		return journalContent{}, fmt.Errorf("reading what has to be restored: %w", err)
	}
	return parseJournal(j.Path, data)
}

// parseJournal reads the file. An empty one is that of a run that ended before it changed anything.
func parseJournal(path string, data []byte) (journalContent, error) {
	var content journalContent
	if len(strings.TrimSpace(string(data))) == 0 {
		return content, nil
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return content, fmt.Errorf("%s, which says what has to be restored, is damaged: %w: restore by hand, and remove it", path, err)
	}
	return content, nil
}

func (j *Journal) end() error {
	if err := wholefile.Remove(j.Path); err != nil {
		return fmt.Errorf("removing the file of what had to be restored: %w", err)
	}
	return nil
}

// free says whether no run has something to restore.
func (j *Journal) free() error {
	_, err := os.Stat(j.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("looking for what has to be restored: %w", err)
	default:
		return &UnrestoredError{j.Path}
	}
}
