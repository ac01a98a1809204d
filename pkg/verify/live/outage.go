// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/verify"
	"github.com/gardener/kindling/pkg/vpn"
)

const (
	// ignoreShoot keeps gardenlet, ignoreResource gardener-resource-manager from bringing back what is taken away.
	ignoreShoot    = "shoot.gardener.cloud/ignore"
	ignoreResource = "resources.gardener.cloud/ignore"
	// tunnelResource is the ManagedResource that vpn-shoot comes from.
	tunnelResource = "shoot-core-vpn-shoot"
	// goneTimeout is how long pods may take to end.
	goneTimeout = 90 * time.Second
)

// refusedError says why the VPN is not broken; nothing was changed, or all was taken back.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

// breakVPN takes one end of the VPN away. Whatever comes of it, the caller restores.
func (r *run) breakVPN(ctx context.Context) ([]verify.Evidence, error) {
	if r.target.object == nil {
		return nil, &refusedError{"the Shoot itself can't be read, only the seed's copy, so that gardenlet can't be told to leave it alone: give --garden-kubeconfig"}
	}
	if err := r.mayBreak(ctx); err != nil {
		return nil, err
	}
	if err := r.changes.annotate(ctx, inGarden, r.target.object, ignoreShoot); err != nil {
		return nil, err
	}
	// A reconciliation that began before the annotation was seen goes on.
	operation, err := r.operation(ctx)
	if err != nil {
		return nil, err
	}
	if operation.Running() {
		return nil, refusedFor(r.target.shoot, operation)
	}
	workload, in, err := r.endOfVPN(ctx)
	if err != nil {
		return nil, err
	}
	if r.Break == verify.BreakShoot {
		if err := r.ignoreTunnel(ctx); err != nil {
			return nil, err
		}
	}
	before := replicas(workload)
	if err := r.changes.scaleToNone(ctx, in, workload); err != nil {
		return nil, err
	}
	r.Report(fmt.Sprintf("break: %s in the %s is scaled from %d to 0", kube.Name(workload), in, before))
	if err := r.gone(ctx, in, workload); err != nil {
		return nil, err
	}
	return []verify.Evidence{{Object: kube.Name(workload), Text: fmt.Sprintf("scaled from %d to 0, its pods are gone", before), Time: r.Now()}}, nil
}

func refusedFor(shoot verify.Shoot, operation verify.Operation) error {
	return &refusedError{fmt.Sprintf("shoot %s has an operation that goes on (%s: %s), which would undo or disturb it: try again when it has ended", shoot, operation.Type, operation.State)}
}

// mayBreak asks, before anything is changed, whether all changes will be allowed.
func (r *run) mayBreak(ctx context.Context) error {
	if operation := r.target.shoot.Operation; operation.Running() {
		return refusedFor(r.target.shoot, operation)
	}
	in, namespace, _ := r.end()
	for _, need := range []struct {
		in                         where
		group, resource, namespace string
	}{
		{inGarden, "core.gardener.cloud", "shoots", r.target.shoot.Namespace},
		{in, "apps", r.workloads(), namespace},
	} {
		review := kube.Reference("authorization.k8s.io/v1", "SelfSubjectAccessReview", "", "")
		review.Object["spec"] = map[string]any{"resourceAttributes": map[string]any{
			"verb": "patch", "group": need.group, "resource": need.resource, "namespace": need.namespace,
		}}
		answer, err := r.changes.clusters[need.in].Create(ctx, review)
		if err != nil {
			continue // the change itself is refused then, and nothing depends on it
		}
		if allowed, found, _ := unstructured.NestedBool(answer.Object, "status", "allowed"); found && !allowed {
			return &refusedError{fmt.Sprintf("forbidden: the user of the %s's kubeconfig may not patch %s.%s in namespace %s", need.in, need.resource, need.group, need.namespace)}
		}
	}
	return nil
}

func (r *run) workloads() string {
	if r.ha {
		return "statefulsets"
	}
	return "deployments"
}

func (r *run) operation(ctx context.Context) (verify.Operation, error) {
	live, err := r.Garden.Get(ctx, r.target.object)
	if err != nil {
		return verify.Operation{}, err
	}
	if live == nil {
		return verify.Operation{}, &refusedError{fmt.Sprintf("shoot %s has been deleted", r.target.shoot)}
	}
	shoot, err := readShoot(live.Object)
	return shoot.Operation, err
}

// end says where the end of the VPN is that is taken away.
func (r *run) end() (in where, namespace, name string) {
	if r.Break == verify.BreakShoot {
		return inShoot, metav1.NamespaceSystem, vpn.VPNShoot
	}
	return inSeed, r.target.shoot.TechnicalID, vpn.VPNSeedServer
}

// endOfVPN is the workload to take away.
func (r *run) endOfVPN(ctx context.Context) (*unstructured.Unstructured, where, error) {
	in, namespace, name := r.end()
	workload, err := workload(ctx, r.changes.clusters[in], namespace, name)
	if err != nil {
		return nil, in, err
	}
	if workload == nil {
		return nil, in, &refusedError{fmt.Sprintf("namespace %s of the %s has neither Deployment nor StatefulSet %s to take away", namespace, in, name)}
	}
	return workload, in, nil
}

// workload is a StatefulSet with high availability, and a Deployment without.
func workload(ctx context.Context, cluster Cluster, namespace, name string) (*unstructured.Unstructured, error) {
	for _, kind := range []string{"StatefulSet", "Deployment"} {
		live, err := cluster.Get(ctx, kube.Reference("apps/v1", kind, namespace, name))
		if err != nil || live != nil {
			return live, err
		}
	}
	return nil, nil
}

// ignoreTunnel keeps gardener-resource-manager, where there is one, from bringing vpn-shoot back.
func (r *run) ignoreTunnel(ctx context.Context) error {
	live, err := r.Seed.Get(ctx, kube.Reference(resourcesVersion, "ManagedResource", r.target.shoot.TechnicalID, tunnelResource))
	if err != nil || live == nil {
		return err
	}
	return r.changes.annotate(ctx, inSeed, live, ignoreResource)
}

// gone waits until a workload has no pods.
func (r *run) gone(ctx context.Context, in where, workload *unstructured.Unstructured) error {
	ctx, cancel := context.WithTimeout(ctx, goneTimeout)
	defer cancel()
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": workload.GetName()}}
	left := "its pods can't be listed"
	err := wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (bool, error) {
		pods, err := r.changes.clusters[in].Pods(ctx, workload.GetNamespace(), selector)
		if err != nil {
			return false, nil //nolint:nilerr // it is asked again until time is up
		}
		if len(pods) > 0 {
			left = "Pod " + pods[0].Namespace + "/" + pods[0].Name + " is still there"
		}
		return len(pods) == 0, nil
	})
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &refusedError{fmt.Sprintf("%s was scaled to 0, and after %s %s", kube.Name(workload), goneTimeout, left)}
	}
	return err
}
