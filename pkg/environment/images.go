// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/steps"
)

// nodeImages makes sure that the engine has the node images before anything is made: a name with a typing error then leaves
// nothing behind.
func (e *Environment) nodeImages() steps.Step {
	return steps.Step{
		Name:  stepNodeImages,
		Title: "Node images",
		Observe: func(ctx context.Context) (steps.Observation, error) {
			missing, err := e.missingNodeImages(ctx)
			if err != nil || len(missing) == 0 {
				return steps.Observation{State: steps.AsWanted}, err
			}
			return steps.Observation{State: steps.Missing, Text: strings.Join(missing, ", ")}, nil
		},
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			missing, err := e.missingNodeImages(ctx)
			if err != nil {
				return "", err
			}
			for _, image := range missing {
				report("pulling " + image)
				if err := e.Engine.PullImage(ctx, image); err != nil {
					return "", deadline(ctx, fmt.Errorf("node image %s: %w\nCheck its name, or load it into the engine", image, err), "pulling "+image)
				}
			}
			return fmt.Sprintf("%d pulled", len(missing)), nil
		},
	}
}

func (e *Environment) missingNodeImages(ctx context.Context) ([]string, error) {
	var missing []string
	for _, c := range e.clusters {
		nodes, err := c.knownContainers(ctx)
		if err != nil {
			return nil, err
		}
		if len(nodes) > 0 || slices.Contains(missing, c.spec.NodeImage) {
			continue // a cluster that is there needs its image no more
		}
		_, err = e.Engine.ImageID(ctx, c.spec.NodeImage)
		switch {
		case is[*engine.NotFoundError](err):
			missing = append(missing, c.spec.NodeImage)
		case err != nil:
			return nil, err
		}
	}
	return missing, nil
}

// images loads Calico's images from the engine into the nodes that lack them. Images that the engine lacks too are left to the
// nodes, which pull them.
func (c *cluster) images() steps.Step {
	return steps.Step{
		Name:  c.step("images"),
		Title: "Images in " + c.spec.Name,
		// Settings may restart containerd, which takes no images meanwhile.
		Needs: []string{c.step("cluster"), c.step("settings"), stepManifest},
		Observe: func(ctx context.Context) (steps.Observation, error) {
			lacking, err := c.lackingCalicoImages(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			if len(lacking) == 0 {
				return steps.Observation{State: steps.AsWanted, Text: "every node has what the engine has of Calico's images"}, nil
			}
			return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d images of the engine are not in all nodes", len(lacking))}, nil
		},
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			lacking, err := c.lackingCalicoImages(ctx)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%d loaded", len(lacking)), c.loadAll(ctx, lacking, report)
		},
	}
}

func (c *cluster) lackingCalicoImages(ctx context.Context) (map[string][]kindcluster.Node, error) {
	manifest, err := c.env.manifest(ctx)
	if err != nil {
		return nil, err
	}
	return c.lackingImages(ctx, manifest.Images())
}

// loadLacking loads those of the images that the engine has into the nodes that lack them.
func (c *cluster) loadLacking(ctx context.Context, images []string, report func(string)) error {
	lacking, err := c.lackingImages(ctx, images)
	if err != nil {
		return err
	}
	return c.loadAll(ctx, lacking, report)
}

func (c *cluster) loadAll(ctx context.Context, lacking map[string][]kindcluster.Node, report func(string)) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, image := range slices.Sorted(maps.Keys(lacking)) {
		report("loading " + image)
		group.Go(func() error {
			if err := c.load(ctx, image, lacking[image]); err != nil {
				return fmt.Errorf("loading image %s: %w", image, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// lackingImages returns the nodes that lack an image which the engine has, by image. Programs are run, in the engine's CLI and in nodes,
// only for images that not every node has told the API server of.
func (c *cluster) lackingImages(ctx context.Context, images []string) (map[string][]kindcluster.Node, error) {
	reported := c.reportedImages(ctx)
	var local []string
	for _, image := range images {
		if reported[image] {
			continue
		}
		_, err := c.env.Engine.ImageID(ctx, image)
		switch {
		case is[*engine.NotFoundError](err):
		case err != nil:
			return nil, err
		default:
			local = append(local, image)
		}
	}
	if len(local) == 0 {
		return nil, nil
	}
	nodes, err := c.kindNodes(ctx)
	if err != nil {
		return nil, err
	}
	there, err := eachNode(ctx, nodes, func(ctx context.Context, node kindcluster.Node) (map[string]string, error) { return node.ImageIDs(ctx) })
	if err != nil {
		return nil, err
	}
	lacking := map[string][]kindcluster.Node{}
	for i, node := range nodes {
		for _, image := range local {
			if _, ok := there[i][image]; !ok {
				lacking[image] = append(lacking[image], node)
			}
		}
	}
	return lacking, nil
}

// reportedImages returns the images that all nodes have told the API server of. What a node has not told, or not yet, is no proof
// that it lacks it, and an API server that does not answer is asked by the steps that need it.
func (c *cluster) reportedImages(ctx context.Context) map[string]bool {
	containers, err := c.knownContainers(ctx)
	if err != nil {
		return nil
	}
	client, err := c.connect(ctx)
	if err != nil {
		return nil
	}
	byNode, err := client.NodeImages(ctx)
	if err != nil {
		return nil
	}
	count, nodes := map[string]int{}, 0
	for _, container := range containers {
		if !isNode(container) {
			continue
		}
		nodes++
		for _, image := range byNode[container.Name] {
			count[image]++
		}
	}
	reported := map[string]bool{}
	for image, n := range count {
		reported[image] = n == nodes
	}
	return reported
}

// load saves an image once and feeds it to all nodes at the same time, without a file in between.
func (c *cluster) load(ctx context.Context, image string, nodes []kindcluster.Node) error {
	group, ctx := errgroup.WithContext(ctx)
	writers := make([]io.Writer, len(nodes))
	pipes := make([]*io.PipeWriter, len(nodes))
	for i, node := range nodes {
		reader, writer := io.Pipe()
		writers[i], pipes[i] = writer, writer
		group.Go(func() error {
			err := node.LoadImage(ctx, reader)
			_ = reader.CloseWithError(err)
			return err
		})
	}
	group.Go(func() error {
		err := c.env.Engine.SaveImage(ctx, image, io.MultiWriter(writers...))
		for _, pipe := range pipes {
			_ = pipe.CloseWithError(err)
		}
		return err
	})
	return group.Wait()
}
