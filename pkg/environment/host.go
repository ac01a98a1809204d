// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/enginehost"
)

// EngineHost says where the engine's host is. The engine's CLI is asked once.
func (e *Environment) EngineHost(ctx context.Context) (enginehost.Where, error) {
	e.whereOnce.Do(func() {
		endpoint, err := e.Engine.Endpoint(ctx)
		if err != nil {
			e.whereErr = fmt.Errorf("asking how the engine is reached: %w", err)
			return
		}
		own, err := os.Hostname()
		if err != nil {
			own = "" // then it says nothing
		}
		e.where = enginehost.Locate(enginehost.Evidence{
			Endpoint: endpoint.URL, Context: endpoint.Context, OperatingSystem: e.Info.OperatingSystem, HostName: e.Info.Name,
			OS: runtime.GOOS, OwnName: own,
		})
	})
	return e.where, e.whereErr
}

// remote says whether the engine runs on another machine, as far as EngineHost has been asked: it has no files of this one.
func (e *Environment) remote() bool { return e.where.Kind == enginehost.Remote }

// bootIDFile changes with every boot of a kernel, whatever container it is read in.
const bootIDFile = "/proc/sys/kernel/random/boot_id"

// boot returns what tells the boot of the engine's host. It is read here where that is this machine, else in a node that runs; empty when none
// does.
func (e *Environment) boot(ctx context.Context) (string, error) {
	where, err := e.EngineHost(ctx)
	if err != nil {
		return "", err
	}
	if where.Kind == enginehost.Local {
		content, err := os.ReadFile(bootIDFile)
		if errors.Is(err, os.ErrNotExist) {
			return "", nil
		}
		return strings.TrimSpace(string(content)), err
	}
	for _, c := range e.clusters {
		containers, err := c.knownContainers(ctx)
		if err != nil {
			return "", err
		}
		for _, container := range containers {
			if container.State != running {
				continue
			}
			output, err := e.Engine.Exec(ctx, container.Name, "cat", bootIDFile)
			return strings.TrimSpace(string(output)), err
		}
	}
	return "", nil
}

// running is the state of containers that run.
const running = "running"

// settled says whether something was seen as wanted since the engine's host was started.
func (e *Environment) settled(ctx context.Context, name string) (bool, error) {
	all, err := readShared(e.sharedPath(sharedFile))
	if err != nil || all[name].Boot == "" {
		return false, err
	}
	boot, err := e.boot(ctx)
	return boot != "" && all[name].Boot == boot, err
}

// hostImage is the image of containers that do something on the engine's host: the one that is there anyway.
func (e *Environment) hostImage() string { return e.spec.Spec.Clusters[0].NodeImage }

// onHost runs a program once in the network of the engine's host, with all rights there.
func (e *Environment) onHost(ctx context.Context, stdin string, program string, args ...string) ([]byte, error) {
	spec := engine.ContainerSpec{Image: e.hostImage(), Network: engine.HostNetwork, Privileged: true, Entrypoint: program, Args: args}
	if stdin != "" {
		spec.Stdin = strings.NewReader(stdin)
	}
	return e.Engine.RunOnce(ctx, spec)
}
