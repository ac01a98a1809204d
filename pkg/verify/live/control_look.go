// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/verify"
)

// able shows that the control can reach a pod with the label of machines once the guard is lifted from its namespace; without a guard, at
// once. Nobody listens there: being refused is enough.
func (c *control) able(ctx context.Context, result *verify.Result) {
	to, err := c.address(ctx, c.dryTarget)
	if err != nil {
		result.Evidence = append(result.Evidence, c.seen(kube.Name(c.dryTarget), err.Error()))
		return
	}
	if c.f.Guard {
		if !c.guardActs(ctx, result) {
			return
		}
	}
	got, err := c.until(ctx, func(got contact) bool { return got.got() })
	result.Evidence = append(result.Evidence, c.contactSeen(c.dryClient, to.String(), got, err))
	switch {
	case err != nil:
	case got.got():
		result.Status, result.Text = verify.Passed, "it can, without the guard"
	default:
		result.Text = "it can't, even where no guard is"
	}
}

// guardActs shows that the guard keeps the control from the target, and then lifts it from their namespace.
func (c *control) guardActs(ctx context.Context, result *verify.Result) bool {
	got, err := c.until(ctx, func(got contact) bool { return got == blocked })
	result.Evidence = append(result.Evidence, c.contactSeen(c.dryClient, "a machine of its namespace, with the guard", got, err))
	if err != nil {
		return false
	}
	if got != blocked {
		result.Status, result.Text = verify.Failed, "the guard is there, and does not act"
		result.Missing = []verify.Cure{verify.CureGuard}
		return false
	}
	if err := c.r.changes.create(ctx, inSeed, lift(c.r.ID, c.dryTarget.GetNamespace())); err != nil {
		result.Evidence = append(result.Evidence, c.seen("GlobalNetworkPolicy", err.Error()))
		return false
	}
	return true
}

// lift is a policy before the guard's, for machines of one namespace: it passes what the guard would drop on to all other policies.
func lift(id, namespace string) *unstructured.Unstructured {
	policy := kube.Reference(calicoVersion, "GlobalNetworkPolicy", "", render.GuardTier+".verify-"+id)
	policy.Object["spec"] = map[string]any{
		"tier": render.GuardTier, "order": int64(50), "types": []any{"Ingress"},
		"selector": fmt.Sprintf("app == 'machine' && projectcalico.org/namespace == '%s'", namespace),
		"ingress":  []any{map[string]any{"action": "Pass"}},
	}
	return policy
}

// until connects from the dry client to its target until an outcome is as wanted, or policies have had time to act.
func (c *control) until(ctx context.Context, wanted func(contact) bool) (contact, error) {
	to, err := c.address(ctx, c.dryTarget)
	if err != nil {
		return "", err
	}
	var got contact
	var last error
	// Its error is that time is up, which the last outcome shows.
	_ = wait.PollUntilContextTimeout(ctx, pause, c.r.Patience.Policies, true, func(context.Context) (bool, error) {
		got, last = c.connect(ctx, c.dryClient, to)
		return last == nil && wanted(got), nil
	})
	return got, last
}

func (c *control) contactSeen(from *unstructured.Unstructured, to string, got contact, err error) verify.Evidence {
	if err != nil {
		return c.seen(kube.Name(from), fmt.Sprintf("to %s: %s", to, err))
	}
	return c.seen(kube.Name(from), fmt.Sprintf("to %s, port %d: %s", to, verify.KubeletPort, got))
}

// blocked tries all machines from all scratch pods.
func (c *control) blocked(ctx context.Context, result *verify.Result) {
	undecided := false
	reached := false
	for _, from := range c.clients {
		for i := range c.f.Machines {
			for _, to := range verify.Addresses(&c.f.Machines[i]) {
				got, err := c.connect(ctx, from, to)
				result.Evidence = append(result.Evidence, c.contactSeen(from, "Pod "+c.f.Machines[i].Name+", "+to.String(), got, err))
				undecided, reached = undecided || err != nil, reached || got.got()
			}
		}
	}
	switch {
	case reached:
		result.Status, result.Text = verify.Failed, "a seed pod connects to kubelets"
		result.Missing = []verify.Cure{verify.CureGuard}
	case undecided:
		result.Text = "could not be tried everywhere"
	default:
		result.Status, result.Text = verify.Passed, "it can't"
	}
}
