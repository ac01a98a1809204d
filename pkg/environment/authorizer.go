// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/kubeadm"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// apiServer is the component that kubeadm labels the API server's pods with.
const apiServer = "kube-apiserver"

// wantsAuthorizer says whether the API server of the cluster asks Gardener's seed authorizer by flags. Newer versions have a configuration for
// it, which a cluster is made with.
func (c *cluster) wantsAuthorizer() bool {
	return render.AuthorizationWebhook(c.env.spec, c.env.plan, c.spec) != ""
}

// authorizer adds the seed authorizer to what the API server asks. A cluster can't be made with it: nothing answers yet, and what RBAC does not
// allow would fail. The API server is started again, so all that asks it goes first.
func (c *cluster) authorizer(after []string) steps.Step {
	return steps.Step{
		Name:  c.step("authorizer"),
		Title: "Seed authorizer of " + c.spec.Name,
		Needs: after,
		Observe: func(ctx context.Context) (steps.Observation, error) {
			client, err := c.connect(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			return observeConditions(ctx, "asked by flags of the API server, after Node and RBAC", c.asksAuthorizer(client))
		},
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			if err := c.addAuthorizer(ctx, report); err != nil {
				return "", err
			}
			err := c.wait(ctx, report, func(client *kube.Client) []kube.Condition {
				return []kube.Condition{client.Answers(), c.asksAuthorizer(client)}
			})
			return "", err
		},
	}
}

// addAuthorizer lets kubeadm write the API server's manifest anew: flags that are in its configuration stay after an upgrade of the node, too.
func (c *cluster) addAuthorizer(ctx context.Context, report func(string)) error {
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	file := render.AuthorizationWebhook(c.env.spec, c.env.plan, c.spec)
	_, err = client.EditConfigMap(ctx, kubeadm.ConfigNamespace, kubeadm.ConfigMap, kubeadm.ConfigKey, func(text string) (string, error) {
		return kubeadm.WithWebhook(text, file)
	})
	if err != nil {
		return fmt.Errorf("the seed authorizer of cluster %s: %w", c.spec.Name, err)
	}
	servers, err := apiServers(ctx, client)
	if err != nil {
		return err
	}
	nodes, err := c.kindNodes(ctx)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if !slices.ContainsFunc(servers, func(pod corev1.Pod) bool { return pod.Spec.NodeName == node.Name() }) {
			continue
		}
		report("kubeadm starts the API server of node " + node.Name() + " again")
		// This phase alone: the checks before an upgrade are not for nodes of kind, and kubelet and etcd stay as they are.
		command := []string{"upgrade", "node", "phase", "control-plane", "--etcd-upgrade=false", "--certificate-renewal=false"}
		if _, err := node.Command(ctx, nil, "kubeadm", command...); err != nil {
			return fmt.Errorf("kubeadm could not change the API server of node %s: %w", node.Name(), err)
		}
	}
	return nil
}

// apiServers are the pods of the cluster's own API server.
func apiServers(ctx context.Context, client *kube.Client) ([]corev1.Pod, error) {
	return client.Pods(ctx, metav1.NamespaceSystem, &metav1.LabelSelector{MatchLabels: map[string]string{"component": apiServer}})
}

// asksAuthorizer holds when all API servers of the cluster have the flags.
func (c *cluster) asksAuthorizer(client *kube.Client) kube.Condition {
	file := render.AuthorizationWebhook(c.env.spec, c.env.plan, c.spec)
	return kube.Condition{Name: "seed authorizer", Check: func(ctx context.Context) ([]kube.Pending, error) {
		pods, err := apiServers(ctx, client)
		if err != nil {
			return nil, err
		}
		if len(pods) == 0 {
			return []kube.Pending{{Object: apiServer, Reason: "has no pod"}}, nil
		}
		var pending []kube.Pending
		for _, pod := range pods {
			if len(pod.Spec.Containers) == 0 || !kubeadm.HasWebhook(kubeadm.Flags(pod.Spec.Containers[0].Command), file) {
				pending = append(pending, kube.Pending{Object: "Pod " + pod.Namespace + "/" + pod.Name, Reason: "has no --" + kubeadm.AuthorizationWebhook + "=" + file})
			}
		}
		return pending, nil
	}}
}
