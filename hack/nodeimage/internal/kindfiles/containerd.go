// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindfiles

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/BurntSushi/toml"
)

// criPlugin is the part of containerd's configuration (version 2) that serves
// kubelet.
const criPlugin = "io.containerd.grpc.v1.cri"

// Containerd changes two values in a containerd configuration: the image of
// the pods' first process, and restrict_oom_score_adj. Without the latter no
// pod starts where root lacks CAP_SYS_RESOURCE, and it harms nobody else.
func Containerd(config []byte, pauseImage string) ([]byte, error) {
	var tree map[string]any
	if err := toml.Unmarshal(config, &tree); err != nil {
		return nil, fmt.Errorf("cannot read containerd's configuration: %w", err)
	}
	plugins, _ := tree["plugins"].(map[string]any)
	cri, found := plugins[criPlugin].(map[string]any)
	if !found {
		return nil, fmt.Errorf("containerd's configuration has no plugin %q: kind changed its layout, adapt this program", criPlugin)
	}
	cri["sandbox_image"] = pauseImage
	cri["restrict_oom_score_adj"] = true
	var out bytes.Buffer
	if err := toml.NewEncoder(&out).Encode(tree); err != nil {
		return nil, fmt.Errorf("cannot write containerd's configuration: %w", err)
	}
	return out.Bytes(), nil
}

// productHook is kind's script that gives each pod the node's product files.
const productHook = "/kind/bin/mount-product-files.sh"

// BaseSpec turns the output of "ctr oci spec" into the specification that
// every container of a node starts from: kind's hook is added, and resource
// limits go, so that containers get those of containerd.
func BaseSpec(spec []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(spec, &fields); err != nil {
		return nil, fmt.Errorf("cannot read the specification: %w", err)
	}
	var process map[string]json.RawMessage
	if err := json.Unmarshal(fields["process"], &process); err != nil {
		return nil, fmt.Errorf("cannot read the specification's process: %w", err)
	}
	delete(process, "rlimits")
	hooks := map[string][]json.RawMessage{}
	if present, found := fields["hooks"]; found {
		if err := json.Unmarshal(present, &hooks); err != nil {
			return nil, fmt.Errorf("cannot read the specification's hooks: %w", err)
		}
	}
	hook, err := json.Marshal(map[string]string{"path": productHook})
	if err != nil {
		return nil, err
	}
	hooks["createContainer"] = append(hooks["createContainer"], hook)
	if fields["process"], err = json.Marshal(process); err != nil {
		return nil, err
	}
	if fields["hooks"], err = json.Marshal(hooks); err != nil {
		return nil, err
	}
	return json.MarshalIndent(fields, "", "  ")
}
