// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/portowner"
	"github.com/gardener/kindling/pkg/registry"
	"github.com/gardener/kindling/pkg/registry/container"
)

// apply makes what is missing, and waits until all answers. What several environments use is changed for one of them only when it is
// the last.
func (r registries) apply(ctx context.Context, report func(string)) (string, error) {
	if len(r.servers) == 0 {
		return r.env.undoRegistry(ctx)
	}
	for _, override := range r.overrides {
		report(override)
	}
	// Before looking: the last environment that used it might remove it meanwhile.
	var names []string
	for _, server := range r.servers {
		names = append(names, server.Name)
	}
	if err := r.env.useShared(ctx, sharedRegistry, names...); err != nil {
		return "", err
	}
	servers, unwanted, err := r.look(ctx)
	if err != nil {
		return "", err
	}
	if err := r.mayChange(servers); err != nil {
		return "", err
	}
	if err := r.prepare(ctx, servers, report); err != nil {
		return "", err
	}
	if err := r.change(ctx, servers, unwanted, report); err != nil {
		return "", deadline(ctx, err, "making registry and caches")
	}
	report("waiting until all answer")
	return r.text(), r.awaitHealth(ctx)
}

// mayChange refuses to take containers made from other settings from under other environments.
func (r registries) mayChange(servers []found) error {
	others, err := r.env.othersUsing(sharedRegistry)
	if err != nil || len(others) == 0 {
		return err
	}
	for _, f := range servers {
		if f.remake && f.container != nil {
			return fmt.Errorf("container %s is used by %s with other settings\n  there is: %s\n  wanted:   %s\n"+
				"write the same in spec.registry of both, or take the other environment down", f.server.Name, strings.Join(others, ", "), f.have, f.want)
		}
	}
	return nil
}

// prepare gets image and folders for containers that have to be made.
func (r registries) prepare(ctx context.Context, servers []found, report func(string)) error {
	var making []registry.Server
	for _, f := range servers {
		if f.remake {
			making = append(making, f.server)
		}
	}
	if len(making) == 0 {
		return nil
	}
	image := r.wanted.Spec.Image
	_, err := r.env.Engine.ImageID(ctx, image)
	if is[*engine.NotFoundError](err) {
		report("pulling " + image)
		if err = r.env.Engine.PullImage(ctx, image); err != nil {
			err = fmt.Errorf("image of the registry %s: %w\nCheck its name (spec.registry.image), load it into the engine, or do without: spec.registry.enabled: false", image, err)
		}
	}
	if err != nil {
		return deadline(ctx, err, "pulling "+image)
	}
	return r.makeFolders(ctx, making)
}

// change makes, starts and removes containers, all at the same time.
func (r registries) change(ctx context.Context, servers []found, unwanted []string, report func(string)) error {
	letGo, err := r.env.holdNetwork(ctx, report)
	if err != nil {
		return err
	}
	defer letGo()
	network, err := r.env.Engine.Network(ctx, netplan.ContainerNetwork)
	if err != nil {
		return err
	}
	others, err := r.env.othersUsing(sharedRegistry)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, f := range servers {
		if f.asWanted() {
			continue
		}
		report("starting " + f.server.Name)
		group.Go(func() error { return r.changeOne(ctx, f, container.Addresses(network.Prefixes, i)) })
	}
	if len(others) == 0 {
		group.Go(func() error { return r.env.Engine.RemoveContainers(ctx, unwanted...) })
	}
	return group.Wait()
}

func (r registries) changeOne(ctx context.Context, f found, addresses []netip.Addr) error {
	name := f.server.Name
	if !f.remake {
		// One that runs and does not answer is started anew.
		if f.container.State == running {
			if err := r.env.Engine.StopContainers(ctx, name); err != nil {
				return err
			}
		}
		return r.portHolder(ctx, r.env.Engine.StartContainers(ctx, name))
	}
	if f.container != nil {
		if err := r.env.Engine.RemoveContainers(ctx, name); err != nil {
			return err
		}
	}
	// The engine's host may have no IPv6; and somebody may have the address in the container network.
	for ipv6 := true; ; {
		err := r.make(ctx, f.server, ipv6, addresses)
		taken, isTaken := errors.AsType[*engine.PortTakenError](err)
		switch {
		case ipv6 && is[*engine.NoAddressError](err):
			ipv6 = false
		case isTaken && !taken.Address.IsValid() && addresses != nil:
			addresses = nil
		default:
			return r.portHolder(ctx, err)
		}
	}
}

// make leaves nothing behind when it fails.
func (r registries) make(ctx context.Context, server registry.Server, ipv6 bool, addresses []netip.Addr) error {
	if _, err := r.env.Engine.CreateContainer(ctx, r.wanted.Container(server, ipv6, addresses)); err != nil {
		return err
	}
	archive, err := archiveOf(registry.ConfigFile, registry.Config(server))
	if err == nil {
		err = r.env.Engine.CopyInto(ctx, server.Name, registry.ConfigDir, archive)
	}
	if err == nil {
		err = r.env.Engine.StartContainers(ctx, server.Name)
	}
	if err == nil {
		return nil
	}
	removeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	if removeErr := r.env.Engine.RemoveContainers(removeCtx, server.Name); removeErr != nil {
		return fmt.Errorf("%w (and removing container %s failed: %w)", err, server.Name, removeErr)
	}
	return err
}

func archiveOf(name string, content []byte) (*bytes.Buffer, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	if err := writer.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		return nil, err
	}
	if _, err := writer.Write(content); err != nil {
		return nil, err
	}
	return &archive, writer.Close()
}

// portHolder says who has the port that the registry was to be published on.
func (r registries) portHolder(ctx context.Context, err error) error {
	taken, isTaken := errors.AsType[*engine.PortTakenError](err)
	if !isTaken {
		return err
	}
	ports := []netip.AddrPort{taken.Address}
	if !taken.Address.IsValid() {
		port := uint16(r.wanted.Spec.Port) //nolint:gosec // as validated
		ports = []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port), netip.AddrPortFrom(netip.IPv6Loopback(), port)}
	}
	return r.portError(err, cmp.Or(r.env.portHolder(ctx, "", ports, portowner.TCP), "somebody on the engine's host"))
}

func (r registries) portError(err error, holder string) error {
	return fmt.Errorf("%w by %s: stop that, or choose another port with spec.registry.port (images are pushed to localhost:PORT then)", err, holder)
}
