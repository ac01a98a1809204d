// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"context"
	"errors"
)

// folder is where the fixture's things are on the node.
const folder = "/opt/minishoot"

// prepareNode puts the agent and the machine's images on the node and gives machines a range.
func (f *Fixture) prepareNode(ctx context.Context) error {
	node := f.opts.Node
	if _, err := node.Command(ctx, nil, "mkdir", "-p", folder); err != nil {
		return err
	}
	if err := node.WriteFile(ctx, folder+"/agent", f.opts.Agent, 0o755); err != nil {
		return err
	}
	if _, err := node.Command(ctx, nil, "ctr", "--namespace=k8s.io", "images", "export", folder+"/images.tar", toolsImage, f.images.pause); err != nil {
		return err
	}
	return f.network.prepare(ctx)
}

// restoreNode removes what prepareNode and the network put on the node. Pods that are there keep their network.
func (f *Fixture) restoreNode(ctx context.Context) error {
	_, err := f.opts.Node.Command(ctx, nil, "rm", "-rf", folder)
	return errors.Join(err, f.network.restore(ctx))
}
