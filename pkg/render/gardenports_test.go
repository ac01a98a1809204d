// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/render"
)

func TestGardenPorts(t *testing.T) {
	t.Parallel()
	_, plan := load(t, "  gardener: {version: v1.93.0}")
	for name, test := range map[string]struct{ node, registry, cache string }{
		"ipv4": {"172.18.0.2", "172.18.0.5", "172.18.0.6"}, "ipv6": {"fd00:10::2", "fd00:10::5", "fd00:10::6"},
	} {
		content, err := render.GardenPorts(plan, netip.MustParseAddr(test.node), []render.GardenPort{
			{Host: "localhost:5001", Port: 5001, Address: netip.MustParseAddr(test.registry), TargetPort: 5001},
			{Host: "gcr.io", Port: 5003, Address: netip.MustParseAddr(test.cache), TargetPort: 5001},
		})
		if err != nil {
			t.Fatal(err)
		}
		testutil.Golden(t, filepath.Join("testdata", "garden-ports-"+name+".yaml"), content)
	}
}
