// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// checkLogs holds that the archive has what each node and the API server told, and no credential.
func checkLogs(s *suite, file string) {
	s.t.Helper()
	r := s.want(0, s.run("logs", "ha-single-zone", "-f", file, "--out", s.t.TempDir(), "-o", "json"))
	var result struct {
		Archive string
		Missing []string
	}
	if err := json.Unmarshal([]byte(r.stdout), &result); err != nil {
		s.t.Fatalf("%v\n%s", err, r.stdout)
	}
	if len(result.Missing) > 0 {
		s.t.Errorf("missing: %v", result.Missing)
	}
	files := unpack(s.t, result.Archive)
	for _, want := range []string{
		"/environment.yaml", "/plan.json", "/status.json", "/version.json", "/engine.json", "/files/seed.yaml",
		"/" + plainCluster + "/" + plainNode + "/kubelet.log", "/" + plainCluster + "/" + plainWorker + "/containerd.log",
		"/" + plainCluster + "/" + plainWorker + "2/container.json", "/coredns/0.log", "/kube-apiserver/0.log",
		"/" + plainCluster + "/objects/node/" + plainWorker + ".yaml", "/" + plainCluster + "/events.txt",
	} {
		if !hasFile(files, want) {
			s.t.Errorf("no file %s with something in it", want)
		}
	}
	for name, text := range files {
		for _, secret := range append(s.credentials(), "PRIVATE KEY-----") {
			if strings.Contains(text, secret) {
				s.t.Errorf("%s has a credential: %.20s…", name, secret)
			}
		}
	}
}

func hasFile(files map[string]string, end string) bool {
	for name, text := range files {
		if strings.HasSuffix(name, end) && text != "" {
			return true
		}
	}
	return false
}

// credentials returns what the environment's kubeconfig has of them, in the forms in which they are written.
func (s *suite) credentials() []string {
	s.t.Helper()
	config, err := clientcmd.LoadFromFile(filepath.Join(s.home, "state", "kindling", "e2e-plain", "kubeconfig"))
	if err != nil {
		s.t.Fatal(err)
	}
	var list []string
	for _, user := range config.AuthInfos {
		for line := range strings.Lines(string(user.ClientKeyData)) {
			if !strings.HasPrefix(line, "-----") {
				list = append(list, strings.TrimSpace(line))
			}
		}
	}
	if len(list) == 0 {
		s.t.Fatal("the kubeconfig has no key to look for")
	}
	return list
}

func unpack(t *testing.T, archive string) map[string]string {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for reader := tar.NewReader(compressed); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(content)
	}
}
