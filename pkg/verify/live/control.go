// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/podroutes"
	"github.com/gardener/kindling/pkg/verify"
	"github.com/gardener/kindling/pkg/vpn"
)

// startTimeout is how long scratch pods may take to run, accountTimeout how long a new namespace may take to get its service account.
const (
	startTimeout   = 60 * time.Second
	accountTimeout = 20 * time.Second
)

// control holds the scratch pods of the negative control.
type control struct {
	r *run
	f *verify.Facts
	// clients carry the networking labels of vpn-seed-server, one on a node with a machine, one on another where there is one.
	clients []*unstructured.Unstructured
	// dryClient and dryTarget are in a namespace of their own, where nothing but kindling's guard keeps one from the other.
	dryClient, dryTarget *unstructured.Unstructured
}

// negativeControl tries from scratch pods what no seed pod may be able to do. First it shows that the same pods can do it where no guard
// is: else not being able would prove nothing.
func (r *run) negativeControl(ctx context.Context, f *verify.Facts) []verify.Result {
	c := &control{r: r, f: f}
	able, blocked := c.look(ctx)
	if err := r.changes.restore(ctx, r.Report); err != nil {
		able.Status, able.Text = verify.Failed, err.Error()
	}
	return []verify.Result{able, blocked}
}

func (c *control) look(ctx context.Context) (able, blocked verify.Result) {
	able = verify.Result{Check: verify.ControlAble, Part: verify.PartControl, Status: verify.Unknown, Text: "the control can't be made"}
	blocked = verify.Result{Check: verify.ControlBlocked, Part: verify.PartControl, Status: verify.Unknown, Text: "the control proves nothing"}
	if err := c.make(ctx); err != nil {
		able.Evidence = append(able.Evidence, c.seen("scratch pods", err.Error()))
		return able, blocked
	}
	c.able(ctx, &able)
	c.blocked(ctx, &blocked)
	if able.Status == verify.Unknown && blocked.Status == verify.Passed {
		blocked.Status, blocked.Text = verify.Unknown, "did not connect, which proves nothing: the control can't connect where it should be able to, either"
	}
	return able, blocked
}

func (c *control) seen(object, text string) verify.Evidence {
	return verify.Evidence{Object: object, Text: text, Time: c.r.Now()}
}

// make creates all scratch pods and waits until they run.
func (c *control) make(ctx context.Context) error {
	id, image := c.r.ID, c.r.ControlImage
	if image == "" {
		// Nodes with a machine have its image, and it is a node's, with the programs of one.
		image = c.f.Machines[0].Spec.Containers[0].Image
	}
	dry := "kindling-verify-" + id
	if err := c.r.changes.create(ctx, inSeed, kube.Reference("v1", "Namespace", "", dry)); err != nil {
		return err
	}
	nodes, err := c.nodes(ctx)
	if err != nil {
		return err
	}
	networking := networkingLabels(c.f.ControlPlane)
	for i, node := range nodes {
		c.clients = append(c.clients, scratchPod(c.f.Shoot.TechnicalID, "kindling-verify-"+id+"-"+strconv.Itoa(i), image, node, networking))
	}
	c.dryClient = scratchPod(dry, "client", image, nodes[0], networking)
	c.dryTarget = scratchPod(dry, "target", image, nodes[0], map[string]string{podroutes.MachineLabel: podroutes.MachineValue})
	pods := append(slices.Clone(c.clients), c.dryClient, c.dryTarget)
	for _, pod := range pods {
		if err := c.create(ctx, pod); err != nil {
			return err
		}
	}
	for i, pod := range pods {
		if err := c.runs(ctx, pod); err != nil {
			if i == 1 && len(c.clients) == 2 {
				// The other node may lack the image; the first one says enough.
				c.clients = c.clients[:1]
				continue
			}
			return err
		}
	}
	return nil
}

// create waits for the service account of a new namespace.
func (c *control) create(ctx context.Context, pod *unstructured.Unstructured) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pause/4, accountTimeout, true, func(ctx context.Context) (bool, error) {
		if last = c.r.changes.create(ctx, inSeed, pod); last != nil && strings.Contains(last.Error(), "error looking up service account") {
			return false, nil
		}
		return true, last
	})
	if last != nil {
		return last
	}
	return err
}

func (c *control) nodes(ctx context.Context) ([]string, error) {
	nodes := []string{c.f.Machines[0].Spec.NodeName}
	all, err := list[corev1.Node](c.r.Seed.List(ctx, kube.Reference("v1", "Node", "", "")))
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name != nodes[0] && !all[i].Spec.Unschedulable {
			return append(nodes, all[i].Name), nil
		}
	}
	return nodes, nil
}

// networkingLabels are the labels of vpn-seed-server that policies look at, without those by which Services find it.
func networkingLabels(pods []corev1.Pod) map[string]string {
	labels := map[string]string{}
	for i := range pods {
		if !verify.OfWorkload(&pods[i], vpn.VPNSeedServer) {
			continue
		}
		for key, value := range pods[i].Labels {
			if strings.HasPrefix(key, "networking.") {
				labels[key] = value
			}
		}
	}
	return labels
}

func scratchPod(namespace, name, image, node string, labels map[string]string) *unstructured.Unstructured {
	pod := kube.Reference("v1", "Pod", namespace, name)
	pod.SetLabels(labels)
	pod.Object["spec"] = map[string]any{
		"nodeName": node, "restartPolicy": "Never", "automountServiceAccountToken": false, "terminationGracePeriodSeconds": int64(0),
		// It ends by itself where nobody removes it.
		"activeDeadlineSeconds": int64(600),
		"tolerations":           []any{map[string]any{"operator": "Exists"}},
		"securityContext":       map[string]any{"runAsUser": int64(65532), "runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"}},
		"containers": []any{map[string]any{
			"name": "control", "image": image, "imagePullPolicy": "IfNotPresent", "command": []any{"sleep", "600"},
			"securityContext": map[string]any{"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}},
		}},
	}
	return pod
}

func (c *control) runs(ctx context.Context, pod *unstructured.Unstructured) error {
	why := "it was not seen"
	err := wait.PollUntilContextTimeout(ctx, pause/2, startTimeout, true, func(ctx context.Context) (bool, error) {
		live, err := list[corev1.Pod](one(c.r.Seed.Get(ctx, pod)))
		if err != nil || len(live) == 0 {
			return false, err
		}
		why = "phase " + string(live[0].Status.Phase)
		for _, status := range live[0].Status.ContainerStatuses {
			if status.State.Waiting != nil {
				why = strings.TrimSpace(status.State.Waiting.Reason + " " + status.State.Waiting.Message)
			}
		}
		return live[0].Status.Phase == corev1.PodRunning, nil
	})
	if err != nil {
		return fmt.Errorf("%s does not run (%s): %w; another image can be given with --control-image", kube.Name(pod), why, err)
	}
	return nil
}

func (c *control) address(ctx context.Context, pod *unstructured.Unstructured) (netip.Addr, error) {
	live, err := list[corev1.Pod](one(c.r.Seed.Get(ctx, pod)))
	if err != nil {
		return netip.Addr{}, err
	}
	if len(live) == 0 || len(verify.Addresses(&live[0])) == 0 {
		return netip.Addr{}, fmt.Errorf("%s has no address", kube.Name(pod))
	}
	return verify.Addresses(&live[0])[0], nil
}
