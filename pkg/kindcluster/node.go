// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	"sigs.k8s.io/kind/pkg/exec"
)

// Node is a node of a cluster.
type Node interface {
	// Name of the node and of its container.
	Name() string
	// Addresses in the container network.
	Addresses(ctx context.Context) ([]netip.Addr, error)
	// Command runs a program in the node, without a shell, and returns what it wrote. stdin may be nil.
	Command(ctx context.Context, stdin io.Reader, program string, args ...string) ([]byte, error)
	// Commands runs several programs one after the other by one call of the engine, without a shell, and returns what each of them
	// wrote. One that fails keeps none of the others from running; the error has what was said of it. Arguments can't hold quotes or
	// line breaks.
	Commands(ctx context.Context, commands ...[]string) ([][]byte, error)
	// WriteFile writes a file whole or not at all.
	WriteFile(ctx context.Context, path string, content []byte, mode os.FileMode) error
	// ImageIDs returns the identity of every image in the node, by each of its names.
	ImageIDs(ctx context.Context) (map[string]string, error)
	// LoadImage imports an archive of images.
	LoadImage(ctx context.Context, archive io.Reader) error
}

type kindNode struct{ node nodes.Node }

func sortNodes(list []Node) {
	slices.SortFunc(list, func(a, b Node) int { return strings.Compare(a.Name(), b.Name()) })
}

func (n kindNode) Name() string { return n.node.String() }

func (n kindNode) Addresses(ctx context.Context) ([]netip.Addr, error) {
	return await(ctx, func() ([]netip.Addr, error) {
		ipv4, ipv6, err := n.node.IP()
		if err != nil {
			return nil, explain("reading the addresses of node "+n.Name(), err)
		}
		var addresses []netip.Addr
		for _, text := range []string{ipv4, ipv6} {
			if text == "" { // a family that the network has not, or a stopped node
				continue
			}
			address, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("node %s has an address that can't be read: %w", n.Name(), err)
			}
			addresses = append(addresses, address)
		}
		return addresses, nil
	})
}

func (n kindNode) Command(ctx context.Context, stdin io.Reader, program string, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	command := n.node.CommandContext(ctx, program, args...).SetStdout(&stdout).SetStderr(&stderr)
	if stdin != nil {
		command = command.SetStdin(stdin)
	}
	err := command.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return stdout.Bytes(), &CommandError{
			Doing: "node " + n.Name(), Command: exec.PrettyCommand(program, args...), Output: lastLines(stderr.String()), Err: err,
		}
	}
	return stdout.Bytes(), nil
}

// separator stands between the outputs of Commands: ASCII's record separator, for printf and as it comes out.
const (
	separatorEscape = `\036`
	separator       = "\x1e"
)

// Commands gives xargs a command a line. A call of the engine costs more than most programs that it runs.
func (n kindNode) Commands(ctx context.Context, commands ...[]string) ([][]byte, error) {
	var lines strings.Builder
	for _, command := range commands {
		for _, argv := range [][]string{command, {"printf", separatorEscape}} {
			for _, arg := range argv {
				if strings.ContainsAny(arg, "'\n") {
					return nil, fmt.Errorf("node %s: an argument of %s has a quote or a line break", n.Name(), command[0])
				}
				lines.WriteString(" '" + arg + "'")
			}
			lines.WriteString("\n")
		}
	}
	output, err := n.Command(ctx, strings.NewReader(lines.String()), "xargs", "--no-run-if-empty", "--max-lines=1", "env")
	outputs := bytes.Split(output, []byte(separator))
	if len(outputs) != len(commands)+1 && err == nil {
		err = fmt.Errorf("node %s: xargs ran %d of %d programs", n.Name(), len(outputs)-1, len(commands))
	}
	return outputs[:len(outputs)-1], err
}

func (n kindNode) WriteFile(ctx context.Context, file string, content []byte, mode os.FileMode) error {
	temporary := path.Join(path.Dir(file), "."+path.Base(file)+".kindling")
	_, err := n.Command(ctx, bytes.NewReader(content), "install", "-D", fmt.Sprintf("--mode=%04o", mode.Perm()), "/dev/stdin", temporary)
	if err == nil {
		_, err = n.Command(ctx, nil, "mv", temporary, file)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

func (n kindNode) ImageIDs(ctx context.Context) (map[string]string, error) {
	output, err := n.Command(ctx, nil, "crictl", "images", "--output", "json")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Images []struct {
			ID          string   `json:"id"`
			RepoTags    []string `json:"repoTags"`
			RepoDigests []string `json:"repoDigests"`
		} `json:"images"`
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return nil, fmt.Errorf("reading the images of node %s: %w", n.Name(), err)
	}
	ids := map[string]string{}
	for _, image := range answer.Images {
		for _, name := range append(image.RepoTags, image.RepoDigests...) {
			ids[name] = image.ID
		}
	}
	return ids, nil
}

func (n kindNode) LoadImage(ctx context.Context, archive io.Reader) error {
	return awaitError(ctx, func() error {
		return explain("loading an image into node "+n.Name(), nodeutils.LoadImageArchive(n.node, archive))
	})
}
