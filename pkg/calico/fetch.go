// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gardener/kindling/internal/bounded"
	"github.com/gardener/kindling/internal/wholefile"
	"github.com/gardener/kindling/pkg/clock"
)

// maxManifest bounds what is read: the manifests of v3.32 have 350 kB, those to come twice that.
const maxManifest = 32 << 20

// ChecksumError says that a manifest is not the one that was asked for.
type ChecksumError struct{ Where, Want, Have string }

// Error implements error.
func (e *ChecksumError) Error() string {
	return fmt.Sprintf("Calico's manifest %s has sha256 %s, wanted %s: it was changed or damaged on its way, or the checksum is of another version; "+
		"get the file anew, or correct spec.calico.manifest.sha256",
		e.Where, e.Have, e.Want)
}

// FetchError says that a manifest could not be downloaded.
type FetchError struct {
	URL string
	Err error
}

// Error implements error.
func (e *FetchError) Error() string {
	return fmt.Sprintf("downloading Calico's manifest from %s: %s\nWithout network, save the file and name it with spec.calico.manifest.path", e.URL, e.Err)
}

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// Fetcher gets manifests, downloaded ones from its cache when they are there.
type Fetcher struct {
	// CacheDir is made when it is needed; files are named by their checksum. Without one nothing is kept.
	CacheDir string
	// Client downloads. Default: http.DefaultClient; the context bounds the time.
	Client *http.Client
}

// Fetch returns the manifest. What comes from a URL always has the checksum of the source, whether from the cache or not. A file in
// the cache that has not is downloaded again. The error is a *ChecksumError, a *FetchError, or one of the file system.
func (f Fetcher) Fetch(ctx context.Context, source Source) ([]byte, error) {
	if source.Path != "" {
		data, err := bounded.ReadFile(source.Path, maxManifest)
		if err != nil {
			return nil, fmt.Errorf("reading Calico's manifest: %w", err)
		}
		if err := check(data, source.Path, source.SHA256); err != nil {
			return nil, err
		}
		return data, nil
	}
	if !strings.HasPrefix(source.URL, "https://") || !isSHA256(source.SHA256) {
		return nil, &FetchError{source.URL, errors.New("only https is downloaded, and only with a sha256 of 64 hexadecimal digits in lower case")}
	}
	return f.fetchURL(ctx, source)
}

// CheckCached holds the manifest in the cache to the checksum of its source, and returns its path. The error is a *ChecksumError, or one of the
// file system: errors.Is(err, fs.ErrNotExist) when it is not there.
func (f Fetcher) CheckCached(source Source) (path string, err error) {
	path = f.cached(source)
	data, err := bounded.ReadFile(path, maxManifest)
	if err != nil {
		return path, err
	}
	return path, check(data, path, source.SHA256)
}

func (f Fetcher) cached(source Source) string {
	return filepath.Join(f.CacheDir, "calico", source.SHA256+".yaml")
}

func (f Fetcher) fetchURL(ctx context.Context, source Source) ([]byte, error) {
	cached := ""
	if f.CacheDir != "" {
		cached = f.cached(source)
		if data, err := bounded.ReadFile(cached, maxManifest); err == nil && check(data, cached, source.SHA256) == nil {
			return data, nil
		}
	}
	data, err := f.download(ctx, source.URL)
	if err != nil {
		return nil, &FetchError{source.URL, clock.Explain(err)}
	}
	if err := check(data, source.URL, source.SHA256); err != nil {
		return nil, err
	}
	if cached != "" {
		err = store(cached, data)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// isSHA256 also keeps the checksum, which names a file in the cache, from naming one elsewhere.
func isSHA256(text string) bool { return regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(text) }

func (f Fetcher) download(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	client := f.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	return bounded.Read(response.Body, maxManifest)
}

func check(data []byte, where, want string) error {
	sum := sha256.Sum256(data)
	if have := hex.EncodeToString(sum[:]); want != "" && have != want {
		return &ChecksumError{where, want, have}
	}
	return nil
}

// otherCache is what to do about a cache that can't be written.
const otherCache = ": make room, or set XDG_CACHE_HOME to a folder that can be written"

func store(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the cache folder: %w%s", err, otherCache)
	}
	if err := wholefile.Write(path, data, 0o644); err != nil {
		return fmt.Errorf("storing Calico's manifest in the cache: %w%s", err, otherCache)
	}
	return nil
}
