// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/logs"
)

// sharedLogLines is how much of the log of a registry, a cache or the DNS server is kept.
const sharedLogLines = 20000

// LogSources returns what tells of the environment. engineErr says why there is no engine; then only files tell. It changes nothing.
func (e *Environment) LogSources(engineErr error) ([]logs.Source, error) {
	list := []logs.Source{{Name: "environment", Collect: e.logFiles}, {Name: "engine", Collect: func(_ context.Context, add logs.Add) error {
		if engineErr == nil {
			add("engine.json", "the engine's info", asJSON(e.Info))
		}
		return engineErr
	}}}
	if engineErr != nil {
		return list, nil
	}
	orphans, err := e.orphans()
	if err != nil {
		return nil, err
	}
	for _, c := range slices.Concat(e.clusters, orphans) {
		list = append(list,
			logs.Source{Name: c.spec.Name + "/nodes", Collect: c.logNodes},
			logs.Source{Name: c.spec.Name + "/objects", Collect: c.logObjects},
		)
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

// logFiles leaves kubeconfigs out: nothing of them is of use without the credentials.
func (e *Environment) logFiles(_ context.Context, add logs.Add) error {
	add("environment.yaml", "the environment file with its defaults", func(w io.Writer) error {
		data, err := yaml.Marshal(e.spec)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
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

// logNodes asks the nodes themselves, so that it works when the API server is down.
func (c *cluster) logNodes(ctx context.Context, add logs.Add) error {
	nodes, err := c.knownContainers(ctx)
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		return errors.New("the cluster is not there")
	}
	if err := c.mayStop(ctx, nodes); err != nil {
		return err
	}
	var errs []error
	for _, node := range nodes {
		folder := path.Join(c.spec.Name, node.Name)
		add(folder+"/container.json", "inspect of the container", func(w io.Writer) error { return c.env.Engine.Inspect(ctx, w, node.Name) })
		if node.State != running {
			errs = append(errs, fmt.Errorf("node %s is %s: its journal and its pods' logs can't be read; kindling start starts it", node.Name, node.State))
			continue
		}
		if !isNode(node) {
			continue
		}
		for _, unit := range []string{"kubelet", "containerd"} {
			add(path.Join(folder, unit+".log"), "journal of the node", func(w io.Writer) error {
				return c.env.Engine.Stream(ctx, w, node.Name, "journalctl", "--no-pager", "--lines=20000", "--unit="+unit)
			})
		}
		errs = append(errs, c.logPods(ctx, node.Name, path.Join(folder, "pods"), add))
	}
	return errors.Join(errs...)
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
		if header.Typeflag == tar.TypeReg && !strings.HasSuffix(header.Name, ".gz") {
			add(path.Join(folder, path.Clean("/"+header.Name)), "/var/log/pods of the node", func(w io.Writer) error { _, err := io.Copy(w, archive); return err })
		}
	}
}

func wrapLogs(node string, err error) error {
	if err != nil {
		return fmt.Errorf("logs of pods on node %s: %w", node, err)
	}
	return nil
}
