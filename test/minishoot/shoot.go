// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
)

// ShootKubeconfig is for an administrator of the shoot, with an address on the container network.
func (f *Fixture) ShootKubeconfig(ctx context.Context) ([]byte, error) {
	service, err := f.seed.Get(ctx, kube.Reference("v1", "Service", "istio-ingress", "istio-ingressgateway"))
	if err != nil {
		return nil, err
	}
	if service == nil {
		return nil, fmt.Errorf("there is no gateway to the shoot's API server")
	}
	ports, _, _ := unstructured.NestedSlice(service.Object, "spec", "ports")
	for _, port := range ports {
		if one, ok := port.(map[string]any); ok && one["name"] == "tls" {
			number, _, _ := unstructured.NestedInt64(one, "nodePort")
			return f.identity.kubeconfig("https://"+net.JoinHostPort(f.opts.NodeAddress.String(), strconv.FormatInt(number, 10)), f.identity.admin)
		}
	}
	return nil, fmt.Errorf("the gateway has no port for the shoot's API server")
}

// Shoot returns a client for the shoot.
func (f *Fixture) Shoot() *kube.Client { return f.shoot }

func (f *Fixture) connectShoot(ctx context.Context) (*kube.Client, error) {
	kubeconfig, err := f.ShootKubeconfig(ctx)
	if err != nil {
		return nil, err
	}
	return kube.NewClient(kubeconfig)
}

// Reached says what kube-apiserver of the shoot reaches: nil, or why not.
type Reached struct{ Kubelet, Services error }

// reachTimeout is for one attempt: what a broken VPN swallows does not end by itself.
const reachTimeout = 8 * time.Second

// Reach tries, side by side and with new connections, to run a program in a pod of the shoot, which goes to the kubelet, and to list what
// an API in the shoot serves, which goes to a Service. The error says that the shoot's API server itself can't be asked.
func (f *Fixture) Reach(ctx context.Context) (Reached, error) {
	var reached Reached
	pods, err := f.shoot.Pods(ctx, metav1.NamespaceSystem, &metav1.LabelSelector{MatchLabels: map[string]string{"k8s-app": "metrics-server"}})
	if err != nil {
		return reached, err
	}
	if len(pods) != 1 {
		return reached, fmt.Errorf("the shoot has %d pods of metrics-server, want 1", len(pods))
	}
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() {
		_, reached.Kubelet = f.shoot.Exec(ctx, pods[0].Namespace, pods[0].Name, "metrics-server", "true")
	})
	group.Go(func() {
		client, err := f.connectShoot(ctx)
		if err == nil {
			_, err = client.List(ctx, kube.Reference("metrics.k8s.io/v1beta1", "NodeMetrics", "", ""))
		}
		reached.Services = err
	})
	group.Wait()
	return reached, nil
}

// settled holds when all workloads among the objects have the pods they want, of the newest template, ready, and no others, and all pods
// among them are ready.
func settled(client *kube.Client, objects []*unstructured.Unstructured) kube.Condition {
	return kube.Condition{Name: "workloads", Check: func(ctx context.Context) ([]kube.Pending, error) {
		var pending []kube.Pending
		for _, object := range objects {
			switch object.GetKind() {
			case "Pod", "Deployment", "StatefulSet":
			default:
				continue
			}
			live, err := client.Get(ctx, object)
			if err != nil {
				return nil, err
			}
			reason := "is not there"
			if live != nil {
				if reason, err = unsettled(ctx, client, live); err != nil {
					return nil, err
				}
			}
			if reason != "" {
				pending = append(pending, kube.Pending{Object: kube.Name(object), Reason: reason})
			}
		}
		return pending, nil
	}}
}

func unsettled(ctx context.Context, client *kube.Client, live *unstructured.Unstructured) (string, error) {
	if live.GetKind() == "Pod" {
		return notReady(live), nil
	}
	observed, _, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
	wanted, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	if observed < live.GetGeneration() {
		return "its controller has not seen it", nil
	}
	for _, field := range []string{"replicas", "updatedReplicas", "readyReplicas"} {
		if have, _, _ := unstructured.NestedInt64(live.Object, "status", field); have != wanted {
			return fmt.Sprintf("%s is %d, want %d", field, have, wanted), nil
		}
	}
	labels, _, _ := unstructured.NestedStringMap(live.Object, "spec", "selector", "matchLabels")
	pods, err := client.Pods(ctx, live.GetNamespace(), &metav1.LabelSelector{MatchLabels: labels})
	if err != nil {
		return "", err
	}
	if int64(len(pods)) != wanted {
		return fmt.Sprintf("%d pods are there, want %d", len(pods), wanted), nil
	}
	return "", nil
}

// notReady says why a pod, or node, is not ready.
func notReady(live *unstructured.Unstructured) string {
	if live.GetDeletionTimestamp() != nil {
		return "is being deleted"
	}
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, condition := range conditions {
		one, ok := condition.(map[string]any)
		if ok && one["type"] == string(corev1.PodReady) {
			if one["status"] == string(corev1.ConditionTrue) {
				return ""
			}
			return fmt.Sprintf("is not ready: %v", one["message"])
		}
	}
	return "has not said that it is ready"
}

// deleted holds when an object is gone.
func deleted(client *kube.Client, object *unstructured.Unstructured) kube.Condition {
	return kube.Condition{Name: kube.Name(object), Check: func(ctx context.Context) ([]kube.Pending, error) {
		live, err := client.Get(ctx, object)
		if err != nil || live == nil {
			return nil, err
		}
		return []kube.Pending{{Object: kube.Name(object), Reason: "is still there"}}, nil
	}}
}

// machineReady holds when the machine's node is ready and has the address of the machine's pod.
func (f *Fixture) machineReady() kube.Condition {
	return kube.Condition{Name: "machine", Check: func(ctx context.Context) ([]kube.Pending, error) {
		node, err := f.shoot.Get(ctx, kube.Reference("v1", "Node", "", machineName))
		if err != nil {
			return nil, err
		}
		pending := []kube.Pending{{Object: "Node " + machineName, Reason: "has not registered"}}
		if node == nil {
			return pending, nil
		}
		machines, err := f.Machines(ctx)
		if err != nil {
			return nil, err
		}
		if pending[0].Reason = notReady(node); pending[0].Reason != "" {
			return pending, nil
		}
		addresses, _, _ := unstructured.NestedSlice(node.Object, "status", "addresses")
		for _, address := range addresses {
			if one, ok := address.(map[string]any); ok && one["type"] == string(corev1.NodeInternalIP) && one["address"] == machines[0].String() {
				return nil, nil
			}
		}
		pending[0].Reason = "has not told its new address " + machines[0].String()
		return pending, nil
	}}
}

// Machines returns the addresses of the machine pods.
func (f *Fixture) Machines(ctx context.Context) ([]netip.Addr, error) {
	pods, err := f.seed.Pods(ctx, TechnicalID, &metav1.LabelSelector{MatchLabels: map[string]string{"app": "machine"}})
	if err != nil {
		return nil, err
	}
	var addresses []netip.Addr
	for i := range pods {
		address, err := netip.ParseAddr(pods[i].Status.PodIP)
		if err != nil {
			return nil, fmt.Errorf("pod %s has no address: %w", pods[i].Name, err)
		}
		addresses = append(addresses, address)
	}
	if len(addresses) != 1 {
		return nil, fmt.Errorf("there are %d machines, want 1", len(addresses))
	}
	return addresses, nil
}
