// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/registry"
)

func TestUseClusterCaches(t *testing.T) {
	t.Parallel()
	servers := []registry.Server{
		{Host: "localhost:5001"},
		{Host: "gcr.io", RemoteURL: "https://gcr.io"},
		{Host: "quay.io", RemoteURL: "https://quay.io"},
		{Host: "registry.k8s.io", RemoteURL: "https://mirror.example.com"},
	}
	words := useClusterCaches(t.Context(), servers, func(_ context.Context, name string) ([]string, error) {
		if strings.HasPrefix(name, "registry-quay-io.") {
			return nil, errors.New("no such host")
		}
		return []string{"10.0.0.1"}, nil
	})
	const url = "http://registry-gcr-io.kube-system.svc.cluster.local:5001"
	if diff := cmp.Diff([]string{"CI: gcr.io comes from " + url}, words); diff != "" {
		t.Errorf("only what resolves, and has no upstream of the user's choice, is used, and is said: %s", diff)
	}
	var have []string
	for _, server := range servers {
		have = append(have, server.RemoteURL)
	}
	if diff := cmp.Diff([]string{"", url, "https://quay.io", "https://mirror.example.com"}, have); diff != "" {
		t.Error(diff)
	}
}

func TestUseClusterCachesEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	servers := []registry.Server{{Host: "gcr.io", RemoteURL: "https://gcr.io"}}
	words := useClusterCaches(ctx, servers, func(ctx context.Context, _ string) ([]string, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if len(words) > 0 || servers[0].RemoteURL != "https://gcr.io" {
		t.Errorf("%v %v", words, servers)
	}
}

func TestParseSizes(t *testing.T) {
	t.Parallel()
	have := parseSizes("12\t/data/gcr\n4096\t/data/europe-docker-pkg-dev\n\nnonsense\n4108\t/data\n")
	if diff := cmp.Diff(map[string]int64{"gcr": 12, "europe-docker-pkg-dev": 4096, "data": 4108}, have); diff != "" {
		t.Error(diff)
	}
}

func TestPublishedAt(t *testing.T) {
	t.Parallel()
	four, six := netip.MustParseAddrPort("127.0.0.1:5001"), netip.MustParseAddrPort("[::1]:5001")
	for name, ports := range map[string][]engine.PublishedPort{
		"IPv4 first": {{Host: four, Container: 1}, {Host: six, Container: 1}}, "IPv6 first": {{Host: six, Container: 1}, {Host: four, Container: 1}},
		"among others": {{Host: six, Container: 2}, {Host: four, Container: 1}},
	} {
		if have, published := publishedAt(engine.Container{Ports: ports}, 1); !published || have != four {
			t.Errorf("%s: %v, want %v", name, have, four)
		}
	}
	if have, published := publishedAt(engine.Container{}, 1); published {
		t.Errorf("published at %v", have)
	}
}
