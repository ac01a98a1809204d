// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

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

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// TestConcurrentWritesOfAKubeconfig holds that no entry is lost in 1,000 writes by kindling and by a program that takes the same lock, as
// kubectl and kind do, and writes the file in place.
func TestConcurrentWritesOfAKubeconfig(t *testing.T) {
	t.Parallel()
	const writers, writes = 4, 250
	path := filepath.Join(t.TempDir(), "config")
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for i := range writes {
				name := fmt.Sprintf("%d-%d", writer, i)
				change := changeUserConfig
				if writer%2 == 1 {
					change = changeInPlace
				}
				if err := change(t.Context(), path, func(config *clientcmdapi.Config) {
					config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + name}
				}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	all.Wait()
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Clusters) != writers*writes {
		t.Errorf("%d entries are there, want %d", len(config.Clusters), writers*writes)
	}
}

// changeInPlace is the other program.
func changeInPlace(ctx context.Context, path string, change func(*clientcmdapi.Config)) error {
	unlock, err := lockKubeconfig(ctx, path)
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

func TestAKubeconfigThatStaysLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := changeUserConfig(t.Context(), path, func(*clientcmdapi.Config) { t.Error("it was changed") })
	if err == nil || !strings.Contains(err.Error(), "is locked by another program") || !strings.Contains(err.Error(), path+".lock") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := changeUserConfig(ctx, path, func(*clientcmdapi.Config) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestALinkToAKubeconfigStaysOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	if err := errors.Join(os.WriteFile(target, nil, 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if err := changeUserConfig(t.Context(), link, func(config *clientcmdapi.Config) { config.CurrentContext = "new" }); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("it is no link any more: %v, %v", info, err)
	}
	if config, err := clientcmd.LoadFromFile(target); err != nil || config.CurrentContext != "new" {
		t.Errorf("what it leads to was not changed: %v", err)
	}
}
