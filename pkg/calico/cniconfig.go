// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The CNI configuration in the manifest is JSON but for one placeholder, which stands unquoted where a number comes later. A number
// that no configuration has stands in for it while the JSON is decoded, changed and encoded.
const (
	mtuPlaceholder = "__CNI_MTU__"
	mtuStandIn     = "987654321"
)

// assignFamilies makes the plugin calico assign addresses of the cluster's families. The values are strings in this format.
func assignFamilies(network string, dual bool) (string, error) {
	var config map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(network, mtuPlaceholder, mtuStandIn)), &config); err != nil {
		return "", &ManifestError{fmt.Sprintf("the CNI configuration in its ConfigMap is no JSON (%v)", err)}
	}
	ipam, err := calicoIPAM(config)
	if err != nil {
		return "", err
	}
	ipam["assign_ipv4"], ipam["assign_ipv6"] = fmt.Sprint(dual), "true"
	data, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encoding the CNI configuration: %w", err)
	}
	return strings.ReplaceAll(string(data), mtuStandIn, mtuPlaceholder), nil
}

func calicoIPAM(config map[string]any) (map[string]any, error) {
	plugins, _ := config["plugins"].([]any)
	for _, item := range plugins {
		plugin, _ := item.(map[string]any)
		if ipam, ok := plugin["ipam"].(map[string]any); ok && plugin["type"] == "calico" {
			return ipam, nil
		}
	}
	return nil, &ManifestError{"the CNI configuration in its ConfigMap has no plugin calico with ipam"}
}
