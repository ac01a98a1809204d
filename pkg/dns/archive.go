// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"archive/tar"
	"bytes"
	"fmt"
	"net/netip"
	"strings"
)

// Archive packs configuration and zone for a container, from its root folder on. Folders are the image's: that of the zone must stay
// one that the server can write.
func Archive(addresses []netip.Addr) ([]byte, error) {
	config, err := Config()
	if err != nil {
		return nil, err
	}
	zone, err := InitialZone(addresses)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, file := range []struct {
		path    string
		content []byte
	}{{ConfigFile, config}, {ZoneFile, zone}} {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: strings.TrimPrefix(file.path, "/"), Mode: 0o644, Size: int64(len(file.content))}
		if err := writer.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("packing %s: %w", file.path, err)
		}
		if _, err := writer.Write(file.content); err != nil {
			return nil, fmt.Errorf("packing %s: %w", file.path, err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("packing the files of the server: %w", err)
	}
	return out.Bytes(), nil
}
