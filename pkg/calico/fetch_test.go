// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/clock"
)

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// server serves content over https and counts the requests.
func server(t *testing.T, status int, content []byte) (*httptest.Server, *int) {
	t.Helper()
	requests := 0
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.WriteHeader(status)
		_, _ = w.Write(content)
	}))
	t.Cleanup(s.Close)
	return s, &requests
}

func TestACertificateOfTomorrowIsAboutClocks(t *testing.T) {
	t.Parallel()
	s, certificate := testutil.ServerOfTomorrow(t)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	fetcher := Fetcher{Client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}}
	_, err := fetcher.Fetch(t.Context(), Source{URL: s.URL, SHA256: sum(nil)})
	if _, ok := errors.AsType[*clock.Error](err); !ok || !strings.Contains(err.Error(), "Compare the clocks") {
		t.Error(err)
	}
}

func TestACacheThatCantBeWritten(t *testing.T) {
	t.Parallel()
	content := []byte("the manifest")
	s, _ := server(t, http.StatusOK, content)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Fetcher{CacheDir: file, Client: s.Client()}.Fetch(t.Context(), Source{URL: s.URL, SHA256: sum(content)})
	if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "XDG_CACHE_HOME") {
		t.Errorf("error %v", err)
	}
}

func TestCheckCached(t *testing.T) {
	t.Parallel()
	content := []byte("the manifest")
	fetcher, source := Fetcher{CacheDir: t.TempDir()}, Source{SHA256: sum(content)}
	path, err := fetcher.CheckCached(source)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("nothing is cached: %v", err)
	}
	if err := store(path, content); err != nil {
		t.Fatal(err)
	}
	if _, err := fetcher.CheckCached(source); err != nil {
		t.Errorf("a whole one: %v", err)
	}
	if err := store(path, content[1:]); err != nil {
		t.Fatal(err)
	}
	if _, err := fetcher.CheckCached(source); err == nil {
		t.Error("a damaged one is taken for whole")
	} else if _, ok := errors.AsType[*ChecksumError](err); !ok {
		t.Errorf("a damaged one: %v", err)
	}
}

func TestFetchCaches(t *testing.T) {
	content := []byte("the manifest")
	s, requests := server(t, http.StatusOK, content)
	fetcher := Fetcher{CacheDir: t.TempDir(), Client: s.Client()}
	source := Source{URL: s.URL, SHA256: sum(content)}
	for range 2 {
		data, err := fetcher.Fetch(t.Context(), source)
		if err != nil || string(data) != string(content) {
			t.Fatalf("%q, %v", data, err)
		}
	}
	if *requests != 1 {
		t.Errorf("%d downloads, want 1", *requests)
	}
	cached := filepath.Join(fetcher.CacheDir, "calico", source.SHA256+".yaml")
	if err := os.WriteFile(cached, []byte("tampered"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := fetcher.Fetch(t.Context(), source); err != nil || string(data) != string(content) {
		t.Errorf("a damaged cache file was used: %q, %v", data, err)
	}
	if *requests != 2 {
		t.Errorf("%d downloads, want 2", *requests)
	}
}

func TestFetchRefuses(t *testing.T) {
	content := []byte("the manifest")
	good, _ := server(t, http.StatusOK, content)
	missing, _ := server(t, http.StatusNotFound, nil)
	tooMuch := make([]byte, maxManifest+1)
	huge, _ := server(t, http.StatusOK, tooMuch)
	file := filepath.Join(t.TempDir(), "calico.yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		source   Source
		checksum bool
	}{
		"a download with another checksum": {Source{URL: good.URL, SHA256: sum([]byte("another"))}, true},
		"a file with another checksum":     {Source{Path: file, SHA256: sum([]byte("another"))}, true},
		"a page that is not there":         {Source{URL: missing.URL, SHA256: sum(content)}, false},
		"a download without bound":         {Source{URL: huge.URL, SHA256: sum(tooMuch)}, false},
		"a URL without checksum":           {Source{URL: good.URL}, false},
		"a checksum that names a path":     {Source{URL: good.URL, SHA256: "../" + sum(content)}, false},
		"a URL without https":              {Source{URL: "http://example.com", SHA256: sum(content)}, false},
		"a server that does not answer":    {Source{URL: "https://127.0.0.1:1", SHA256: sum(content)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			data, err := Fetcher{CacheDir: dir, Client: good.Client()}.Fetch(t.Context(), test.source)
			if data != nil {
				t.Errorf("returned %d bytes of what it refuses", len(data))
			}
			_, isChecksum := errors.AsType[*ChecksumError](err)
			_, isFetch := errors.AsType[*FetchError](err)
			if isChecksum != test.checksum || isFetch == test.checksum {
				t.Errorf("error %T: %v", err, err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("left in the cache: %v", entries)
			}
		})
	}
}

func TestFetchWithoutCacheKeepsNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	content := []byte("the manifest")
	s, requests := server(t, http.StatusOK, content)
	for range 2 {
		if _, err := (Fetcher{Client: s.Client()}).Fetch(t.Context(), Source{URL: s.URL, SHA256: sum(content)}); err != nil {
			t.Fatal(err)
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) > 0 || *requests != 2 {
		t.Errorf("%d downloads, left behind: %v", *requests, entries)
	}
}

func TestFetchReadsFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "calico.yaml")
	if err := os.WriteFile(file, []byte("the manifest"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]Source{
		"without a checksum": {Path: file},
		"with its checksum":  {Path: file, SHA256: sum([]byte("the manifest"))},
	} {
		t.Run(name, func(t *testing.T) {
			if data, err := (Fetcher{}).Fetch(t.Context(), source); err != nil || string(data) != "the manifest" {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
	if _, err := (Fetcher{}).Fetch(t.Context(), Source{Path: filepath.Join(dir, "missing.yaml")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestFetchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Fetcher{CacheDir: t.TempDir()}.Fetch(ctx, Source{URL: "https://example.invalid", SHA256: sum(nil)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestPinnedChecksums(t *testing.T) {
	for _, version := range PinnedVersions() {
		source, ok := Pinned(version)
		if !ok {
			t.Fatalf("%s is not pinned", version)
		}
		source.Path = testutil.Shared(t, "calico/calico-"+version+".yaml")
		if _, err := (Fetcher{}).Fetch(t.Context(), source); err != nil {
			t.Error(err)
		}
	}
}
