// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package kubeadm edits the ClusterConfiguration that kubeadm keeps in a cluster, and reads the flags that it starts the API server with. It is
// pure.
package kubeadm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Where kubeadm keeps its configuration.
const (
	ConfigNamespace = "kube-system"
	ConfigMap       = "kubeadm-config"
	ConfigKey       = "ClusterConfiguration"
)

// Flags of the API server that ask a webhook what a user may do.
const (
	AuthorizationMode    = "authorization-mode"
	AuthorizationWebhook = "authorization-webhook-config-file"
)

const (
	webhookMode = "Webhook"
	// defaultModes are kubeadm's own.
	defaultModes = "Node,RBAC"
)

// WithWebhook adds the authorization by a webhook, asked last, to a ClusterConfiguration in YAML; the file with its kubeconfig is a path in
// the API server's container. A configuration that has both is returned as it is.
func WithWebhook(config, file string) (string, error) {
	var object map[string]any
	if err := yaml.Unmarshal([]byte(config), &object); err != nil {
		return "", fmt.Errorf("reading kubeadm's ClusterConfiguration: %w", err)
	}
	if object == nil {
		return "", errors.New("reading kubeadm's ClusterConfiguration: it is empty")
	}
	args, err := readArgs(object)
	if err != nil {
		return "", fmt.Errorf("reading kubeadm's ClusterConfiguration: %w", err)
	}
	if HasWebhook(args.values, file) {
		return config, nil
	}
	modes := args.values[AuthorizationMode]
	if modes == "" {
		modes = defaultModes
	}
	if !slices.Contains(strings.Split(modes, ","), webhookMode) {
		modes += "," + webhookMode
	}
	args.set(AuthorizationMode, modes)
	args.set(AuthorizationWebhook, file)
	if err := unstructured.SetNestedField(object, args.form(), "apiServer", "extraArgs"); err != nil {
		return "", fmt.Errorf("changing kubeadm's ClusterConfiguration: %w", err)
	}
	edited, err := yaml.Marshal(object)
	if err != nil {
		return "", fmt.Errorf("writing kubeadm's ClusterConfiguration: %w", err)
	}
	return string(edited), nil
}

// HasWebhook says whether flags ask the webhook of a file.
func HasWebhook(flags map[string]string, file string) bool {
	return flags[AuthorizationWebhook] == file && slices.Contains(strings.Split(flags[AuthorizationMode], ","), webhookMode)
}

// Flags reads the command line of a container; flags without a value are empty.
func Flags(command []string) map[string]string {
	flags := map[string]string{}
	for _, word := range command {
		if flag, found := strings.CutPrefix(word, "--"); found {
			name, value, _ := strings.Cut(flag, "=")
			flags[name] = value
		}
	}
	return flags
}

// extraArgs are the flags of the API server in a ClusterConfiguration: a map, or from kubeadm.k8s.io/v1beta4 on a list of names and values.
type extraArgs struct {
	values map[string]string
	names  []string
	list   bool
}

func (a *extraArgs) set(name, value string) {
	if _, known := a.values[name]; !known {
		a.names = append(a.names, name)
	}
	a.values[name] = value
}

func (a *extraArgs) form() any {
	if !a.list {
		form := map[string]any{}
		for name, value := range a.values {
			form[name] = value
		}
		return form
	}
	var form []any
	for _, name := range a.names {
		form = append(form, map[string]any{"name": name, "value": a.values[name]})
	}
	return form
}

func readArgs(config map[string]any) (*extraArgs, error) {
	args := &extraArgs{values: map[string]string{}, list: listsArgs(config)}
	found, _, err := unstructured.NestedFieldNoCopy(config, "apiServer", "extraArgs")
	if err != nil {
		return nil, err
	}
	switch found := found.(type) {
	case nil:
	case map[string]any:
		for name, value := range found {
			args.set(name, fmt.Sprint(value))
		}
	case []any:
		for _, one := range found {
			arg, ok := one.(map[string]any)
			if !ok {
				return nil, errors.New("apiServer.extraArgs has an element without name and value")
			}
			// A flag that is given several times can't be written back by its name alone.
			name := fmt.Sprint(arg["name"])
			if _, twice := args.values[name]; twice {
				return nil, fmt.Errorf("apiServer.extraArgs has %s twice", name)
			}
			args.set(name, fmt.Sprint(arg["value"]))
		}
	default:
		return nil, errors.New("apiServer.extraArgs is neither a map nor a list")
	}
	return args, nil
}

func listsArgs(config map[string]any) bool {
	version, _, _ := unstructured.NestedString(config, "apiVersion")
	return !slices.Contains([]string{"kubeadm.k8s.io/v1beta1", "kubeadm.k8s.io/v1beta2", "kubeadm.k8s.io/v1beta3"}, version)
}
