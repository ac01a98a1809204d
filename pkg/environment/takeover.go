// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	"sigs.k8s.io/yaml"
)

// checkCopies looks, before a cluster is made, at the places of its kubeconfig's copies: what is there and is somebody else's is an error.
func (c *cluster) checkCopies() error {
	recorded, err := c.env.record.read()
	if err != nil {
		return err
	}
	for _, one := range c.copies() {
		if slices.Contains(recorded.Files, one.Path) {
			continue
		}
		path := c.env.path(one.Path)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking for a copy of the kubeconfig: %w", err)
		}
		var content []byte
		if info.Mode().IsRegular() {
			if content, err = os.ReadFile(path); err != nil {
				return fmt.Errorf("reading a copy of the kubeconfig: %w", err)
			}
		}
		if !info.Mode().IsRegular() || !ofCluster(content, "kind-"+c.spec.Name) {
			return &ForeignError{
				What: "a file " + path, Have: "written by somebody else", Want: "a kubeconfig of cluster " + c.spec.Name,
				Remedy: "move it away, or name another place for the kubeconfig",
			}
		}
	}
	return nil
}

// ofCluster says whether a file is empty, or a kubeconfig that has no entries but those that kind makes for one cluster. Scripts of a checkout
// that was used before leave such files.
func ofCluster(content []byte, entry string) bool {
	if len(bytes.TrimSpace(content)) == 0 {
		return true
	}
	var config clientcmdv1.Config
	if err := yaml.UnmarshalStrict(content, &config); err != nil || config.Kind != "Config" || config.APIVersion != "v1" {
		return false
	}
	var names []string
	for _, cluster := range config.Clusters {
		names = append(names, cluster.Name)
	}
	for _, context := range config.Contexts {
		names = append(names, context.Name)
	}
	for _, user := range config.AuthInfos {
		names = append(names, user.Name)
	}
	return !slices.ContainsFunc(names, func(name string) bool { return name != entry })
}

// takeOver enters a copy of the kubeconfig, which checkCopies allowed, as the environment's own.
func (c *cluster) takeOver(name string) error {
	return c.env.record.change(func(content *recordContent) { content.Files = union(content.Files, name) })
}
