// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package image

import (
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// fileLayer is a layer that is stored as it is. Compressing each layer would
// hide from the compression of the whole archive that layers have files in
// common.
type fileLayer struct {
	path string
	size int64
	hash v1.Hash
}

func newLayer(path string) (v1.Layer, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read a layer: %w", err)
	}
	defer file.Close()
	hash, size, err := v1.SHA256(file)
	if err != nil {
		return nil, fmt.Errorf("cannot sum up a layer: %w", err)
	}
	return fileLayer{path: path, size: size, hash: hash}, nil
}

// Digest is the sum of the stored bytes.
func (l fileLayer) Digest() (v1.Hash, error) { return l.hash, nil }

// DiffID is the sum of the unpacked bytes: the same ones.
func (l fileLayer) DiffID() (v1.Hash, error) { return l.hash, nil }

// Compressed returns the stored bytes.
func (l fileLayer) Compressed() (io.ReadCloser, error) { return os.Open(l.path) }

// Uncompressed returns the same bytes.
func (l fileLayer) Uncompressed() (io.ReadCloser, error) { return os.Open(l.path) }

// Size is in bytes.
func (l fileLayer) Size() (int64, error) { return l.size, nil }

// MediaType says that the bytes are not compressed.
func (l fileLayer) MediaType() (types.MediaType, error) { return types.DockerUncompressedLayer, nil }
