// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kubeadm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const webhookFile = "/etc/gardener/controlplane/auth-webhook-kubeconfig-ipv4.yaml"

func TestWithWebhook(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ config, want string }{
		"a map gets both flags": {
			"{apiVersion: kubeadm.k8s.io/v1beta3, apiServer: {extraArgs: {runtime-config: ''}, timeoutForControlPlane: 4m0s}}",
			"{apiVersion: kubeadm.k8s.io/v1beta3, apiServer: {extraArgs: {runtime-config: '', authorization-mode: 'Node,RBAC,Webhook', authorization-webhook-config-file: FILE}, timeoutForControlPlane: 4m0s}}",
		},
		"a list keeps its order": {
			"{apiVersion: kubeadm.k8s.io/v1beta4, apiServer: {extraArgs: [{name: b, value: '1'}, {name: a, value: '2'}]}}",
			"{apiVersion: kubeadm.k8s.io/v1beta4, apiServer: {extraArgs: [{name: b, value: '1'}, {name: a, value: '2'}, {name: authorization-mode, value: 'Node,RBAC,Webhook'}, {name: authorization-webhook-config-file, value: FILE}]}}",
		},
		"modes that are there come first": {
			"{apiVersion: kubeadm.k8s.io/v1beta3, apiServer: {extraArgs: {authorization-mode: 'RBAC,Node'}}}",
			"{apiVersion: kubeadm.k8s.io/v1beta3, apiServer: {extraArgs: {authorization-mode: 'RBAC,Node,Webhook', authorization-webhook-config-file: FILE}}}",
		},
		"another file is replaced": {
			"{apiVersion: kubeadm.k8s.io/v1beta3, apiServer: {extraArgs: {authorization-mode: 'RBAC,Webhook', authorization-webhook-config-file: /other}}}",
			"{apiVersion: kubeadm.k8s.io/v1beta3, apiServer: {extraArgs: {authorization-mode: 'RBAC,Webhook', authorization-webhook-config-file: FILE}}}",
		},
		"no arguments at all": {
			"{apiVersion: kubeadm.k8s.io/v1beta4, apiServer: {}}",
			"{apiVersion: kubeadm.k8s.io/v1beta4, apiServer: {extraArgs: [{name: authorization-mode, value: 'Node,RBAC,Webhook'}, {name: authorization-webhook-config-file, value: FILE}]}}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edited, err := WithWebhook(test.config, webhookFile)
			if err != nil {
				t.Fatal(err)
			}
			var have, want any
			if err := yaml.Unmarshal([]byte(edited), &have); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte(strings.ReplaceAll(test.want, "FILE", webhookFile)), &want); err != nil {
				t.Fatal(err)
			}
			if difference := cmp.Diff(want, have); difference != "" {
				t.Errorf("(-want +have)\n%s", difference)
			}
			if again, err := WithWebhook(edited, webhookFile); err != nil || again != edited {
				t.Errorf("edited twice it is another: %v\n%s", err, again)
			}
		})
	}
}

func TestConfigurationsThatCantBeEdited(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ config, want string }{
		"no YAML":                         {"{", "reading kubeadm's ClusterConfiguration"},
		"nothing":                         {"", "it is empty"},
		"an API server that is a text":    {"apiServer: a", "reading kubeadm's ClusterConfiguration"},
		"arguments that are a text":       {"apiServer: {extraArgs: a}", "neither a map nor a list"},
		"an argument that is a text":      {"apiServer: {extraArgs: [a]}", "without name and value"},
		"an argument that is there twice": {"apiServer: {extraArgs: [{name: a, value: '1'}, {name: a, value: '2'}]}", "has a twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := WithWebhook(test.config, webhookFile); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q in it", err, test.want)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	have := Flags([]string{"kube-apiserver", "--authorization-mode=Node,RBAC,Webhook", "--authorization-webhook-config-file=" + webhookFile, "--anonymous-auth", "--a=b=c"})
	want := map[string]string{"authorization-mode": "Node,RBAC,Webhook", "authorization-webhook-config-file": webhookFile, "anonymous-auth": "", "a": "b=c"}
	if difference := cmp.Diff(want, have); difference != "" {
		t.Errorf("(-want +have)\n%s", difference)
	}
	if !HasWebhook(have, webhookFile) || HasWebhook(have, "/other") || HasWebhook(map[string]string{"authorization-webhook-config-file": webhookFile, "authorization-mode": "RBAC"}, webhookFile) {
		t.Error("the webhook is asked only with its mode and its file")
	}
}

func FuzzWithWebhook(f *testing.F) {
	f.Add("apiServer: {extraArgs: [{name: a, value: '1'}]}")
	f.Add("{apiVersion: kubeadm.k8s.io/v1beta3, apiServer: {extraArgs: {a: '1'}}}")
	f.Fuzz(func(t *testing.T, config string) {
		edited, err := WithWebhook(config, webhookFile)
		if err != nil {
			return
		}
		if again, err := WithWebhook(edited, webhookFile); err != nil || again != edited {
			t.Errorf("edited twice it is another: %v\n%s\n%s", err, edited, again)
		}
	})
}
