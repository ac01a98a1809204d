// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/render"
)

// network is what differs between network plugins: where machines get addresses of their own, and what guards their kubelets.
type network interface {
	prepare(ctx context.Context) error
	guard(ctx context.Context, wanted bool) error
	restore(ctx context.Context) error
}

func (f *Fixture) newNetwork() network {
	if f.opts.Calico {
		return &calicoNetwork{seed: f.seed}
	}
	return &plainNetwork{f.opts}
}

// calicoNetwork is all kindling's: its pools give machines addresses, and its policy guards them.
type calicoNetwork struct {
	seed *kube.Client
	// taken is the guard while it is taken away.
	taken *unstructured.Unstructured
}

func (*calicoNetwork) prepare(context.Context) error { return nil }

func (n *calicoNetwork) guard(ctx context.Context, wanted bool) error {
	if wanted {
		return n.restore(ctx)
	}
	live, err := n.seed.Get(ctx, kube.Reference("crd.projectcalico.org/v1", "GlobalNetworkPolicy", "", render.GuardPolicy))
	if err != nil || live == nil {
		return err
	}
	n.taken = live.DeepCopy()
	return n.seed.Delete(ctx, live)
}

// restore puts the guard back as it was.
func (n *calicoNetwork) restore(ctx context.Context) error {
	if n.taken == nil {
		return nil
	}
	guard := kube.Reference(n.taken.GetAPIVersion(), n.taken.GetKind(), "", n.taken.GetName())
	guard.SetLabels(n.taken.GetLabels())
	guard.Object["spec"] = n.taken.Object["spec"]
	if _, err := n.seed.Apply(ctx, []*unstructured.Unstructured{guard}); err != nil {
		return fmt.Errorf("putting the guard back: %w", err)
	}
	n.taken = nil
	return nil
}
