// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// HostNetwork in place of a network's name gives a container the network of the engine's host.
const HostNetwork = "host"

// ContainerSpec is a container to be made.
type ContainerSpec struct {
	// Name may be empty for containers that run once.
	Name  string
	Image string
	// Network by its name, or HostNetwork.
	Network string
	// Aliases are further names that the engine's own DNS has for it in its network.
	Aliases []string
	// Addresses that it has in its network, at most one a family; without, the engine chooses.
	Addresses []netip.Addr
	Labels    map[string]string
	Env       map[string]string
	Ports     []PublishedPort
	Mounts    []BindMount
	// Privileged gives it everything that root may do on the engine's host.
	Privileged bool
	// Restart brings it back when it ends and after a restart of the engine, unless it was stopped.
	Restart bool
	// Entrypoint replaces the image's program, when it is not empty.
	Entrypoint string
	Args       []string
	// Stdin is the input of a program that runs once; nil is none.
	Stdin io.Reader
}

// PublishedPort is a port of a container that can be reached at an address of the engine's host.
type PublishedPort struct {
	Host netip.AddrPort
	// Container port.
	Container uint16
	// Protocol is tcp or udp.
	Protocol string
}

// BindMount is a folder or file of the engine's host in a container.
type BindMount struct {
	Host, Container string
	ReadOnly        bool
}

// args of create and run, behind the command's own.
func (s ContainerSpec) args() []string {
	var args []string
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	add("--name", s.Name)
	add("--network", s.Network)
	for _, alias := range s.Aliases {
		add("--network-alias", alias)
	}
	args = append(args, addressArgs(s.Addresses)...)
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		add("--label", key+"="+s.Labels[key])
	}
	for _, key := range slices.Sorted(maps.Keys(s.Env)) {
		add("--env", key+"="+s.Env[key])
	}
	for _, port := range s.Ports {
		add("--publish", port.Host.String()+":"+strconv.Itoa(int(port.Container))+"/"+port.Protocol)
	}
	for _, mount := range s.Mounts {
		add("--volume", mount.String())
	}
	if s.Privileged {
		args = append(args, "--privileged")
	}
	if s.Restart {
		add("--restart", "unless-stopped")
	}
	add("--entrypoint", s.Entrypoint)
	return append(append(args, s.Image), s.Args...)
}

// String has the form of the option --volume.
func (m BindMount) String() string {
	text := m.Host + ":" + m.Container
	if m.ReadOnly {
		text += ":ro"
	}
	return text
}

// CreateContainer makes a container without starting it, and returns its identity.
func (e *Engine) CreateContainer(ctx context.Context, spec ContainerSpec) (string, error) {
	output, err := e.output(ctx, append([]string{"create"}, spec.args()...)...)
	return strings.TrimSpace(string(output)), err
}

// RunOnce runs a program in a container of its own, which is removed afterwards, and returns what it wrote to standard output.
func (e *Engine) RunOnce(ctx context.Context, spec ContainerSpec) ([]byte, error) {
	args := []string{"run", "--rm"}
	if spec.Stdin != nil {
		args = append(args, "--interactive")
	}
	var stdout bytes.Buffer
	err := e.runner.Run(ctx, Command{Args: append(args, spec.args()...), Stdin: spec.Stdin, Stdout: &stdout})
	return stdout.Bytes(), err
}

// CopyInto unpacks an archive (tar) into a folder of a container, which need not run.
func (e *Engine) CopyInto(ctx context.Context, container, folder string, archive io.Reader) error {
	return e.runner.Run(ctx, Command{Args: []string{"cp", "-", container + ":" + folder}, Stdin: archive})
}

// Exec runs a program in a running container and returns what it wrote to standard output.
func (e *Engine) Exec(ctx context.Context, container string, argv ...string) ([]byte, error) {
	return e.output(ctx, append([]string{"exec", container}, argv...)...)
}

// Logs returns the last lines that a container wrote, to standard output and then to standard error.
func (e *Engine) Logs(ctx context.Context, container string, lines int) (string, error) {
	var stdout, stderr bytes.Buffer
	err := e.runner.Run(ctx, Command{Args: []string{"logs", "--tail", strconv.Itoa(lines), container}, Stdout: &stdout, Stderr: &stderr})
	return stdout.String() + stderr.String(), err
}
