// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/steps"
)

const (
	registryImage   = "localhost/kindling/registry:test"
	registryCluster = "e2e-registry"
	registryNode    = registryCluster + "-control-plane"
	// upstream is a registry that is cached: a container of the test's in the container network, published at a port of its own.
	upstream       = "e2e-upstream"
	upstreamPort   = "5090"
	cacheContainer = "registry-cache-upstream-test-5000"
)

func registryEnvironment(nodeImage string) string {
	return fmt.Sprintf(`apiVersion: kindling.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: e2e-registry
spec:
  clustersOnly: true
  networkPlugin: Plain
  nodeImage: %s
  clusters: [{name: %s}]
  registry:
    enabled: true
    image: %s
    caches: [{host: "upstream.test:5000", remoteURL: "http://%s:5000"}]
`, nodeImage, registryCluster, registryImage, upstream)
}

// TestRegistry pushes images from the engine and pulls them in a node: from the registry, through a cache, past a cache that is down, and
// from a cache whose upstream is down.
func TestRegistry(t *testing.T) {
	s := newSuite(t)
	s.makeRegistryImage()
	file := s.write("registry.yaml", registryEnvironment(s.image))
	t.Cleanup(func() {
		_ = exec.Command("docker", "rm", "--force", "--volumes", upstream).Run() // before the network, which it is in
		s.run("down", "-f", file)
		_ = exec.Command("docker", "rmi", "localhost:5001/e2e/pushed:1", "localhost:"+upstreamPort+"/e2e/cached:1", "localhost:"+upstreamPort+"/e2e/other:1").Run()
	})

	s.upKilledAt([]string{"-f", file}, "mirrors", "registry")
	s.startUpstream()
	s.sub("up again changes nothing", func(s *suite) {
		if r := s.want(0, s.run("up", "-f", file, "-o", "json")); strings.Contains(r.stdout, `"applied"`) {
			s.t.Errorf("something was done again:\n%s", r.stdout)
		}
	})
	s.sub("what the engine pushes a node pulls", func(s *suite) {
		s.push("localhost:5001/e2e/pushed:1")
		s.pull("localhost:5001/e2e/pushed:1")
		s.pull("registry.local.gardener.cloud:5001/e2e/pushed:1")
	})
	s.sub("a cache is asked, and counts", func(s *suite) {
		s.push("localhost:" + upstreamPort + "/e2e/cached:1")
		s.push("localhost:" + upstreamPort + "/e2e/other:1")
		s.forget("localhost:5001/e2e/pushed:1")
		s.pull("upstream.test:5000/e2e/cached:1")
		first := s.cache(file)
		if first.Counters == nil || first.Counters.Misses == 0 || first.Counters.BytesPulled == 0 || first.Bytes == 0 {
			s.t.Fatalf("after the first pull: %+v", first)
		}
		s.forget("upstream.test:5000/e2e/cached:1")
		s.pull("upstream.test:5000/e2e/cached:1")
		if again := s.cache(file); again.Counters == nil || again.Counters.Hits <= first.Counters.Hits || again.Counters.BytesPulled != first.Counters.BytesPulled {
			s.t.Errorf("after the second pull: %+v, before %+v", again.Counters, first.Counters)
		}
	})
	s.sub("a cache that is down is passed by, seen, and started", func(s *suite) {
		s.docker("stop", cacheContainer)
		s.forget("upstream.test:5000/e2e/cached:1")
		s.pull("upstream.test:5000/e2e/other:1")
		if state := s.states("-f", file)["registry"]; state.State != steps.Differs {
			s.t.Errorf("status says %v", state)
		}
		s.want(0, s.run("up", "-f", file))
		s.want(0, s.run("status", "-f", file))
	})
	s.sub("down leaves the images only", func(s *suite) {
		s.want(0, s.run("down", "-f", file))
		if left := s.docker("ps", "--all", "--quiet", "--filter", "label=kindling.gardener.cloud/environment=e2e-registry"); left != "" {
			s.t.Errorf("containers are left: %s", left)
		}
	})
	s.sub("what was pushed and cached outlives cluster and upstream", func(s *suite) {
		s.docker("stop", upstream)
		s.want(0, s.run("up", "-f", file))
		s.pull("localhost:5001/e2e/pushed:1")
		s.forget("localhost:5001/e2e/pushed:1")
		s.pull("upstream.test:5000/e2e/cached:1")
	})
	s.sub("prune removes what a cache keeps", func(s *suite) {
		s.want(0, s.run("cache", "prune", "--all", "-f", file))
		if left := s.cache(file); left.Bytes > 100_000 || left.State != "running" {
			s.t.Errorf("left is %+v", left)
		}
		s.forget("upstream.test:5000/e2e/cached:1")
		s.pull("localhost:5001/e2e/pushed:1")
	})
}

// makeRegistryImage builds the image where the engine has none.
func (s *suite) makeRegistryImage() {
	s.t.Helper()
	if exec.Command("docker", "image", "inspect", registryImage).Run() == nil {
		return
	}
	build := exec.Command("go", "run", ".")
	build.Dir = filepath.Join(testutil.Root(s.t), "hack", "registryimage")
	if output, err := build.CombinedOutput(); err != nil {
		if os.Getenv("KINDLING_E2E") != "required" {
			s.t.Skipf("skipped: the engine has no image %s, and it can't be made: %v\n%s", registryImage, err, output)
		}
		s.t.Fatalf("making the image %s: %v\n%s", registryImage, err, output)
	}
}

func (s *suite) startUpstream() {
	s.t.Helper()
	config := filepath.Join(s.home, "upstream.yaml")
	if err := os.WriteFile(config, []byte("version: 0.1\nstorage: {filesystem: {rootdirectory: /var/lib/registry}}\nhttp: {addr: \":5000\"}\n"), 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.docker("create", "--name", upstream, "--network", "kind", "--publish", "127.0.0.1:"+upstreamPort+":5000", registryImage, "serve", "/etc/config.yaml")
	s.docker("cp", config, upstream+":/etc/config.yaml")
	s.docker("start", upstream)
}

// push gives the image of the registry, which is at hand, another name.
func (s *suite) push(name string) {
	s.t.Helper()
	s.docker("tag", registryImage, name)
	s.docker("push", name)
}

func (s *suite) pull(name string) {
	s.t.Helper()
	s.docker("exec", registryNode, "crictl", "pull", name)
}

// forget removes an image from the node, and with it its other names: their content is the same.
func (s *suite) forget(name string) {
	s.t.Helper()
	s.docker("exec", registryNode, "crictl", "rmi", name)
}

// cache is what is told of the one cache.
func (s *suite) cache(file string) environment.Cache {
	s.t.Helper()
	var caches []environment.Cache
	r := s.want(0, s.run("cache", "-f", file, "-o", "json"))
	if err := json.Unmarshal([]byte(r.stdout), &caches); err != nil || len(caches) != 2 {
		s.t.Fatalf("%v: %s", err, r.stdout)
	}
	return caches[1]
}
