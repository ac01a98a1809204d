// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// DebugPort is the port in a container where health and counters are told.
const DebugPort uint16 = 5002

// Paths in a container.
const (
	// ConfigDir is the folder that ConfigFile is put into.
	ConfigDir = "/etc"
	// ConfigFile is the name of the configuration.
	ConfigFile = "kindling-registry.yaml"
	// DataDir is where the images are.
	DataDir = "/var/lib/registry"
)

// Config is the configuration of a server. It replaces the one in its image, whatever that is.
func Config(server Server) []byte {
	config := fmt.Sprintf(`version: 0.1
log:
  level: warn
  accesslog:
    disabled: true
storage:
  filesystem:
    rootdirectory: %s
  delete:
    enabled: true
http:
  addr: :%d
  debug:
    addr: :%d
health:
  storagedriver:
    enabled: true
    interval: 10s
    threshold: 3
`, DataDir, server.Port, DebugPort)
	if !server.IsCache() {
		return []byte(config)
	}
	// What was pulled stays until it is pruned: images that are used daily would else be pulled anew each week.
	// A cache that has a program for credentials does not ask its upstream when it starts, and so starts without network, and serves
	// what it has. There is no program of that name: it goes without credentials.
	return []byte(config + fmt.Sprintf(`proxy:
  remoteurl: %s
  ttl: 0s
  exec:
    command: /no-credentials
`, strconv.Quote(server.RemoteURL)))
}

// Checksum of the configuration, short.
func Checksum(server Server) string {
	sum := sha256.Sum256(Config(server))
	return hex.EncodeToString(sum[:6])
}
