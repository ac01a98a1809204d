// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/logs"
	"github.com/gardener/kindling/pkg/steps"
)

const (
	// keptLogLines is how many lines of a journal or of a container's log are asked for, the last ones.
	keptLogLines = 20000
	// rotated ends the names of logs that kubelet has packed.
	rotated = ".gz"
	// rotatedLimit is how many bytes of one log are read: kubelet rotates at 10 MiB (containerLogMaxSize).
	rotatedLimit = 64 << 20
)

// LogSources returns what tells of the environment. engineErr says why there is no engine; then only files tell. It changes nothing.
func (e *Environment) LogSources(ctx context.Context, engineErr error) ([]logs.Source, error) {
	list := []logs.Source{{Name: "environment", Collect: e.logFiles}, {Name: "engine", Collect: func(_ context.Context, add logs.Add) error {
		if engineErr == nil {
			add("engine.json", "the engine's info", asJSON(e.Info))
		}
		return engineErr
	}}}
	if engineErr == nil {
		more, err := e.engineSources(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// engineSources tell by the engine, and by what runs in it.
func (e *Environment) engineSources(ctx context.Context) ([]logs.Source, error) {
	orphans, err := e.orphans()
	if err != nil {
		return nil, err
	}
	list := []logs.Source{{Name: "status", Collect: e.logStatus}}
	for _, c := range slices.Concat(e.clusters, orphans) {
		list = append(list, c.logSources(ctx)...)
	}
	for _, name := range []string{sharedRegistry, stepDNS} {
		list = append(list, logs.Source{Name: name, Collect: func(ctx context.Context, add logs.Add) error { return e.logShared(ctx, name, add) }})
	}
	return list, nil
}

func asJSON(value any) func(io.Writer) error {
	return func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	}
}

func asYAML(value any) func(io.Writer) error {
	return func(w io.Writer) error {
		data, err := yaml.Marshal(value)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
}

// logStatus adds what kindling status says.
func (e *Environment) logStatus(ctx context.Context, add logs.Add) error {
	list, err := e.Steps()
	if err != nil {
		return err
	}
	results := (&steps.Runner{Steps: list}).Observe(ctx)
	add("status.json", "the steps of kindling status", asJSON(results))
	add("addressmap.json", "what is there and drift, of kindling status", asJSON(e.AddressMaps(ctx, results)))
	return nil
}

// logFiles leaves kubeconfigs out: nothing of them is of use without the credentials.
func (e *Environment) logFiles(_ context.Context, add logs.Add) error {
	add("environment.yaml", "the environment file with its defaults", asYAML(e.spec))
	add("plan.json", "the address plan", asJSON(e.plan))
	entries, err := os.ReadDir(e.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || strings.HasPrefix(name, kubeconfigFile) || name != recordFile && filepath.Ext(name) != ".yaml" {
			continue
		}
		add("files/"+name, "the environment's folder", func(w io.Writer) error { return copyFile(w, e.path(name)) })
	}
	return err
}

func copyFile(w io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, err = io.Copy(w, file)
	return err
}

// logSources asks nodes themselves, so that they tell when the API server is down. Each is a source of its own: one that hangs leaves the
// others their time.
func (c *cluster) logSources(ctx context.Context) []logs.Source {
	nodes, err := c.knownContainers(ctx)
	if err == nil && len(nodes) == 0 {
		err = errors.New("the cluster is not there")
	}
	if err == nil {
		err = c.mayRead(ctx, nodes)
	}
	if err != nil {
		return []logs.Source{{Name: c.spec.Name, Collect: func(context.Context, logs.Add) error { return err }}}
	}
	list := []logs.Source{{Name: path.Join(c.spec.Name, "objects"), Collect: c.logObjects}}
	for _, node := range nodes {
		list = append(list, logs.Source{
			Name:    path.Join(c.spec.Name, node.Name),
			Collect: func(ctx context.Context, add logs.Add) error { return c.logNode(ctx, node, add) },
		})
	}
	return list
}

func (c *cluster) logNode(ctx context.Context, node engine.Container, add logs.Add) error {
	folder := path.Join(c.spec.Name, node.Name)
	c.env.logContainer(ctx, folder, node.Name, add)
	if !isNode(node) {
		return nil
	}
	if node.State != running {
		return fmt.Errorf("the node is %s: its journal and the logs of its pods can't be read; kindling start starts it", node.State)
	}
	for _, unit := range []string{"kubelet", "containerd"} {
		add(path.Join(folder, unit+".log"), "journal of the node", func(w io.Writer) error {
			return c.env.Engine.Stream(ctx, w, node.Name, "journalctl", "--no-pager", "--lines="+strconv.Itoa(keptLogLines), "--unit="+unit)
		})
	}
	return c.logPods(ctx, node.Name, path.Join(folder, "pods"), add)
}

// logContainer tells what the engine knows of a container, also of one that is stopped.
func (e *Environment) logContainer(ctx context.Context, folder, name string, add logs.Add) {
	add(path.Join(folder, "container.json"), "inspect of the container", func(w io.Writer) error { return e.Engine.Inspect(ctx, w, name) })
	add(path.Join(folder, "container.log"), "log of the container", func(w io.Writer) error {
		text, err := e.Engine.Logs(ctx, name, keptLogLines)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		return err
	})
}

// logPods unpacks one stream with the logs of all pods of a node.
func (c *cluster) logPods(ctx context.Context, node, folder string, add logs.Add) error {
	reader, writer := io.Pipe()
	defer func() { _ = reader.Close() }()
	go func() {
		writer.CloseWithError(c.env.Engine.Stream(ctx, writer, node, "tar", "--create", "--directory=/var/log/pods", "."))
	}()
	for archive := tar.NewReader(reader); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			// What follows the end of the archive has to be read, so that the program's own end is seen.
			_, err = io.Copy(io.Discard, reader)
			return wrapLogs(node, err)
		}
		if err != nil {
			return wrapLogs(node, err)
		}
		if header.Typeflag == tar.TypeReg {
			name := path.Join(folder, path.Clean("/"+header.Name))
			add(strings.TrimSuffix(name, rotated), "/var/log/pods of the node", func(w io.Writer) error { return copyLog(w, header.Name, archive) })
		}
	}
}

// copyLog unpacks what kubelet packed when it rotated a log.
func copyLog(w io.Writer, name string, r io.Reader) error {
	if strings.HasSuffix(name, rotated) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		r = unpacked
	}
	// The writer keeps the end only, and a node is trusted as much as its pods are: no more than that is unpacked.
	_, err := io.Copy(w, io.LimitReader(r, rotatedLimit))
	return err
}

func wrapLogs(node string, err error) error {
	if err != nil {
		return fmt.Errorf("logs of pods on node %s: %w", node, err)
	}
	return nil
}
