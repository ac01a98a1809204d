// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command registryimage makes an image of a registry for tests, from the module of the distribution project, where no image can be
// pulled. It runs in its own folder.
package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// tag of the image.
const tag = "localhost/kindling/registry:test"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "registryimage:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "registryimage")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "registry")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./registry")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOWORK=off")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the registry: %w", err)
	}
	layer, err := archive(program)
	if err != nil {
		return err
	}
	load := exec.Command("docker", "import", "--change", `ENTRYPOINT ["/bin/registry"]`, "-", tag)
	load.Stdin, load.Stdout, load.Stderr = layer, os.Stdout, os.Stderr
	if err := load.Run(); err != nil {
		return fmt.Errorf("giving the image to the engine: %w", err)
	}
	return nil
}

// archive holds the program, the folder for temporary files that it wants, and the one for its data.
func archive(program string) (io.Reader, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	files := tar.NewWriter(&out)
	for _, header := range []*tar.Header{
		{Name: "bin/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "etc/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777},
		{Name: "var/lib/registry/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "bin/registry", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(content))},
	} {
		if err := files.WriteHeader(header); err != nil {
			return nil, err
		}
	}
	if _, err := files.Write(content); err != nil {
		return nil, err
	}
	return &out, files.Close()
}
