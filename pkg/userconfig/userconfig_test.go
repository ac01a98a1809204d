// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package userconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener/kindling/internal/bounded"
)

// writer changes a kubeconfig.
type writer func(ctx context.Context, path string, change func(*clientcmdapi.Config)) error

// TestConcurrentWrites holds that no entry is lost in 1,000 writes by kindling and by a program with client-go that takes the same lock, as kubectl
// and kind do, and writes the file in place: by the name of the file, and by that of a link to it, whose lock is another one.
func TestConcurrentWrites(t *testing.T) {
	t.Parallel()
	writes := 250
	if testing.Short() {
		writes = 25
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "config"), filepath.Join(dir, "link")
	if err := os.Symlink("config", link); err != nil {
		t.Fatal(err)
	}
	writers := []struct {
		path  string
		write writer
	}{{path, Change}, {path, byClientGo}, {link, Change}, {link, Change}}
	var all sync.WaitGroup
	for number, by := range writers {
		all.Go(func() {
			for i := range writes {
				name := fmt.Sprintf("%d-%d", number, i)
				add := func(config *clientcmdapi.Config) {
					config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + name}
				}
				if err := by.write(t.Context(), by.path, add); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	all.Wait()
	holds(t, path, len(writers)*writes)
	leftAlone(t, dir, "config", "link")
}

// TestWritesByTheNameOfALink has the other program know the kubeconfig by a link only: it locks that name.
func TestWritesByTheNameOfALink(t *testing.T) {
	t.Parallel()
	const writes = 50
	dir := t.TempDir()
	path, link := filepath.Join(dir, "config"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Symlink("config", link)); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for number, write := range []writer{Change, byClientGo} {
		all.Go(func() {
			for i := range writes {
				name := fmt.Sprintf("%d-%d", number, i)
				add := func(config *clientcmdapi.Config) {
					config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + name}
				}
				if err := write(t.Context(), link, add); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	all.Wait()
	holds(t, path, 2*writes)
}

// byClientGo is the other program: it takes its lock by the name that it knows, and client-go writes.
func byClientGo(ctx context.Context, path string, change func(*clientcmdapi.Config)) error {
	unlock, err := lock(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	config, err := clientcmd.LoadFromFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		config, err = clientcmdapi.NewConfig(), nil
	}
	if err != nil {
		return err
	}
	change(config)
	return clientcmd.WriteToFile(*config, path)
}

func holds(t *testing.T, path string, entries int) {
	t.Helper()
	config, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Clusters) != entries {
		t.Errorf("%d entries are there, want %d", len(config.Clusters), entries)
	}
}

// leftAlone holds that nothing else is in a folder: no lock, and no file that was being written.
func leftAlone(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names) {
		t.Errorf("%s holds %v, want %v", dir, entries, names)
	}
}

func TestALockThatADeadProgramLeft(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Change(t.Context(), path, func(*clientcmdapi.Config) { t.Error("it was changed") })
	locked, ok := errors.AsType[*LockedError](err)
	if !ok || locked.Lock != path+".lock" || locked.Since.IsZero() || !strings.Contains(err.Error(), "remove "+path+".lock") {
		t.Errorf("error %v", err)
	}
}

func TestTheWaitForALockEndsWithTheContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Change(ctx, path, func(*clientcmdapi.Config) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestALockThatGoesFromHandToHandIsWaitedFor(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	look := func(at time.Time) fs.FileInfo {
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, at, at)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	now := time.Now()
	first, next := look(now), look(now.Add(time.Second))
	if same(first, next) || !same(next, look(now.Add(time.Second))) || same(nil, first) {
		t.Error("the lock of one program is taken for that of another, or the other way round")
	}
}

func TestALinkStaysOne(t *testing.T) {
	for name, test := range map[string]struct {
		// to is what the link says, there whether the file is there.
		to    string
		there bool
	}{
		"to a file in the same folder":        {"target", true},
		"to a file in another folder":         {"../other/target", true},
		"to one that is not there":            {"target", false},
		"to one whose folder is not there":    {"deep/er/target", false},
		"by another link":                     {"second", true},
		"by a folder that is a link with ..":  {"elsewhere/../target", true},
		"to one that is not there by another": {"second", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir := filepath.Join(root, "home")
			link := filepath.Join(dir, "config")
			err := errors.Join(os.MkdirAll(filepath.Join(root, "other", "inner"), 0o700), os.Mkdir(dir, 0o700), os.Symlink(test.to, link),
				os.Symlink("target", filepath.Join(dir, "second")), os.Symlink("../other/inner", filepath.Join(dir, "elsewhere")))
			if test.there {
				err = errors.Join(err, os.WriteFile(link, nil, 0o640))
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := Change(t.Context(), link, func(config *clientcmdapi.Config) { config.CurrentContext = "new" }); err != nil {
				t.Fatal(err)
			}
			if to, err := os.Readlink(link); err != nil || to != test.to {
				t.Errorf("the link leads to %q (%v), want %q", to, err, test.to)
			}
			if config, err := Load(link); err != nil || config.CurrentContext != "new" {
				t.Errorf("what it leads to was not changed: %v", err)
			}
		})
	}
}

func TestALinkToItself(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "config")
	if err := os.Symlink("config", link); err != nil {
		t.Fatal(err)
	}
	if err := Change(t.Context(), link, func(*clientcmdapi.Config) {}); err == nil || !strings.Contains(err.Error(), "leads to itself") {
		t.Errorf("error %v", err)
	}
}

func TestAFileThatIsNoKubeconfigStaysAsItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte("{["), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Change(t.Context(), path, func(*clientcmdapi.Config) {}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "{[" {
		t.Errorf("it is %q now, %v", data, err)
	}
}

func TestAnEndlessFileIsNotRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(1<<40), file.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Load(path)
	if large, ok := errors.AsType[*bounded.TooLargeError](err); !ok || large.Limit != MaxBytes {
		t.Errorf("error %v", err)
	}
}
