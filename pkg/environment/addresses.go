// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/podroutes"
	"github.com/gardener/kindling/pkg/steps"
)

// deleteTimeout is the time for a pod that does nothing to go.
const deleteTimeout = 30 * time.Second

// addresses starts a pod for each pool and looks whether its address lies inside: the proof that the pools do what the plan says.
// It is kept in the cluster, and holds as long as the pools stay the same.
func (c *cluster) addresses() steps.Step {
	return steps.Step{
		Name:  c.step("addresses"),
		Title: "Addresses of pods in " + c.spec.Name,
		Needs: c.steps("ready", "admission"),
		Observe: func(ctx context.Context) (steps.Observation, error) {
			data, err := c.appliedData(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			proved, at, _ := strings.Cut(data[appliedPoolsKey], " ")
			if proved != c.poolsDigest() {
				return steps.Observation{State: steps.Missing, Text: "not tried with these pools"}, nil
			}
			return steps.Observation{State: steps.AsWanted, Text: at}, nil
		},
		Apply: c.proveAddresses,
	}
}

func (c *cluster) proveAddresses(ctx context.Context, report func(string)) (string, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	image, err := probeImage(ctx, client)
	if err != nil {
		return "", err
	}
	if image == "" {
		const skipped = "skipped: the nodes hold no pause image to start a pod from"
		return skipped, c.keepProof(ctx, skipped)
	}
	var found []string
	for _, machine := range []bool{false, true} {
		pools := poolsFor(c.env.plan, machine)
		if len(pools) == 0 {
			continue
		}
		text, err := c.proveOne(ctx, client, c.pod(machine, image, pools), pools, report)
		if err != nil {
			return "", err
		}
		found = append(found, text)
	}
	return strings.Join(found, ", "), c.keepProof(ctx, strings.Join(found, ", "))
}

// pod is a machine with the annotation that provider-local gives it, or an ordinary pod.
func (c *cluster) pod(machine bool, image string, pools []netplan.Pool) *unstructured.Unstructured {
	if !machine {
		return c.probePod("seed-pod", image, nil)
	}
	pod := c.probePod("machine", image, map[string]any{podroutes.MachineLabel: podroutes.MachineValue})
	annotations := map[string]string{}
	for _, pool := range pools {
		annotations[netplan.PoolAnnotation(pool.IPFamily)] = fmt.Sprintf("[%q]", pool.Name)
	}
	pod.SetAnnotations(annotations)
	return pod
}

func (c *cluster) proveOne(ctx context.Context, client *kube.Client, pod *unstructured.Unstructured, pools []netplan.Pool, report func(string)) (string, error) {
	report("starting pod " + pod.GetName())
	if err := client.Delete(ctx, pod); err != nil { // of an interrupted run
		return "", err
	}
	addresses, err := client.PodAddress(ctx, pod)
	// The pod is removed even when time is up or the user interrupts: it is nobody's.
	deleteCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTimeout)
	defer cancel()
	if deleteErr := client.Delete(deleteCtx, pod); err == nil {
		err = deleteErr
	}
	if err != nil {
		return "", deadline(ctx, err, "pod "+pod.GetName()+" gets its address")
	}
	var found []string
	for _, pool := range pools {
		address, ok := addressOf(addresses, pool.IPFamily)
		if !ok || !pool.CIDR.Contains(address) {
			return "", fmt.Errorf("pod %s has addresses %v, none of them in pool %s (%s): "+
				"something else gives addresses to pods here; see kindling status", pod.GetName(), addresses, pool.Name, pool.CIDR)
		}
		found = append(found, fmt.Sprintf("%s from %s", address, pool.Name))
	}
	return strings.Join(found, ", "), nil
}

func addressOf(addresses []netip.Addr, family v1alpha1.IPFamily) (netip.Addr, bool) {
	for _, address := range addresses {
		if address.Is4() == (family == v1alpha1.IPv4) {
			return address, true
		}
	}
	return netip.Addr{}, false
}

func poolsFor(plan *netplan.Plan, machines bool) []netplan.Pool {
	var pools []netplan.Pool
	for _, pool := range plan.Pools {
		if pool.Machines == machines {
			pools = append(pools, pool)
		}
	}
	return pools
}

// probeImage returns an image that every node has anyway and whose program waits: the sandbox image.
func probeImage(ctx context.Context, client *kube.Client) (string, error) {
	nodes, err := client.List(ctx, reference("v1", "Node", ""))
	if err != nil {
		return "", err
	}
	for _, node := range nodes {
		images, _, err := unstructured.NestedSlice(node.Object, "status", "images")
		if err != nil {
			return "", fmt.Errorf("reading the images of node %s: %w", node.GetName(), err)
		}
		for _, image := range images {
			names, _, _ := unstructured.NestedStringSlice(image.(map[string]any), "names")
			for _, name := range names {
				if strings.Contains(name, "/pause:") {
					return name, nil
				}
			}
		}
	}
	return "", nil
}

// poolsDigest identifies what was proved.
func (c *cluster) poolsDigest() string {
	data, err := json.Marshal(c.env.plan.Pools)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func (c *cluster) keepProof(ctx context.Context, text string) error {
	data, err := c.appliedData(ctx)
	if err != nil {
		return err
	}
	return c.writeApplied(ctx, map[string]string{
		appliedKindKey: data[appliedKindKey], appliedPoolsKey: c.poolsDigest() + " " + text,
	})
}
