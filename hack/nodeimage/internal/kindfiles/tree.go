// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package kindfiles turns kind's own node files into a layer: scripts, units
// and configuration are read from kind's module, with the few values changed
// that this image needs.
package kindfiles

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gardener/kindling/hack/nodeimage/internal/tarfile"
)

// folder is where kind's module keeps the files of a node, as in the node.
const folder = "images/base/files"

// containerdConfig is written by Entries itself.
const containerdConfig = "etc/containerd/config.toml"

// Entries returns kind's files for a layer. Module is the folder with kind's
// source, pauseImage the image containerd starts each pod with.
func Entries(module, pauseImage string) ([]tarfile.Entry, error) {
	root := filepath.Join(module, folder)
	var entries []tarfile.Entry
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, found fs.DirEntry, err error) error {
		if err != nil || found.IsDir() || name == containerdConfig {
			return err
		}
		entries = append(entries, tarfile.Entry{Path: name, Mode: modeOf(name), Source: filepath.Join(root, name)})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list kind's node files: %w", err)
	}
	before, err := os.ReadFile(filepath.Join(root, containerdConfig))
	if err != nil {
		return nil, fmt.Errorf("cannot read kind's containerd configuration: %w", err)
	}
	after, err := Containerd(before, pauseImage)
	if err != nil {
		return nil, err
	}
	return append(entries, tarfile.Entry{Path: containerdConfig, Mode: 0o644, Content: string(after)}), nil
}

// modeOf makes programs executable: modules are published without modes.
func modeOf(name string) fs.FileMode {
	inPrograms := path.Base(path.Dir(name)) == "bin"
	if inPrograms || strings.HasSuffix(name, ".sh") {
		return 0o755
	}
	return 0o644
}
