// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The CNI configuration in the manifest is JSON but for one placeholder: the MTU stands unquoted, where calico-node's install-cni
// writes a number later. A number stands in for it while the JSON is decoded, changed and encoded, so that the change is made to the
// structure and not to the text. A configuration that has this number itself is refused. All other placeholders are within strings.
const (
	mtuPlaceholder = "__CNI_MTU__"
	mtuStandIn     = "987654321"
)

// assignFamilies makes the plugin calico assign addresses of the cluster's families. The values are strings in this format.
func assignFamilies(network string, dual bool) (string, error) {
	config, err := decodeNetwork(network)
	if err != nil {
		return "", &ManifestError{fmt.Sprintf("the CNI configuration in its ConfigMap is no JSON (%v)", err)}
	}
	ipam, err := calicoIPAM(config)
	if err != nil {
		return "", err
	}
	ipam["assign_ipv4"], ipam["assign_ipv6"] = strconv.FormatBool(dual), "true"
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(config); err != nil {
		return "", fmt.Errorf("encoding the CNI configuration: %w", err)
	}
	return strings.ReplaceAll(strings.TrimSpace(text.String()), mtuStandIn, mtuPlaceholder), nil
}

// decodeNetwork keeps numbers as they are written.
func decodeNetwork(network string) (map[string]any, error) {
	if strings.Contains(network, mtuStandIn) {
		return nil, errors.New("it contains " + mtuStandIn + ", which stands in for the MTU")
	}
	decoder := json.NewDecoder(strings.NewReader(strings.ReplaceAll(network, mtuPlaceholder, mtuStandIn)))
	decoder.UseNumber()
	var config map[string]any
	if err := decoder.Decode(&config); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return config, nil
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
