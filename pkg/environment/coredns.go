// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/corefile"
	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/hosts"
	"github.com/gardener/kindling/pkg/steps"
)

// CoreDNS as kubeadm installs it.
const (
	coreDNSNamespace = "kube-system"
	coreDNSName      = "coredns"
	coreDNSKey       = "Corefile"
	coreDNSApp       = "kube-dns"
	// corefileAnnotation on CoreDNS's pods says which Corefile they were started for, where CoreDNS does not look for changes itself.
	corefileAnnotation = "kindling.gardener.cloud/corefile"
)

// podEntries are the names that pods are told.
func (e *Environment) podEntries(ctx context.Context) ([]hosts.Entry, error) {
	garden, err := e.gardenAddress(ctx)
	if err != nil {
		return nil, err
	}
	family := e.plan.Families[0]
	if ipv6, ok := e.plan.Family(v1alpha1.IPv6); ok {
		family = ipv6
	}
	var entries []hosts.Entry
	for _, name := range dns.Names(e.plan.Gardener) {
		address := garden
		if !name.Garden {
			address = e.plan.HostAddress(family, "3")
		}
		entries = append(entries, hosts.Entry{Address: address, Name: name.Name})
	}
	return entries, nil
}

// coreDNSDifferences are none where CoreDNS asks the nodes' server.
func (c *cluster) coreDNSDifferences(ctx context.Context) ([]steps.Difference, error) {
	if c.env.wantsDNSServer() {
		return nil, nil
	}
	text, entries, err := c.readCorefile(ctx)
	if err != nil {
		return nil, err
	}
	var differences []steps.Difference
	for _, entry := range entries {
		have, err := corefile.Addresses(text, entry.Name)
		if err != nil {
			return nil, c.corefileError(err)
		}
		if !slices.Equal(slices.Compact(have), []netip.Addr{entry.Address}) {
			differences = append(differences, steps.Difference{Field: "CoreDNS " + entry.Name, Have: orNone(joinAddresses(have)), Want: entry.Address.String()})
		}
	}
	if after, err := corefile.SetHosts(text, entries); len(differences) == 0 && after != text {
		return []steps.Difference{{Field: "CoreDNS plugin hosts", Have: "keeps other names from being answered", Want: "fallthrough"}}, err
	}
	restart, err := c.restartWanted(ctx, text)
	if restart {
		differences = append(differences, steps.Difference{Field: "CoreDNS", Have: "does not read its Corefile again (no plugin reload)", Want: "restarted"})
	}
	return differences, err
}

func (c *cluster) readCorefile(ctx context.Context) (string, []hosts.Entry, error) {
	entries, err := c.env.podEntries(ctx)
	if err != nil {
		return "", nil, err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return "", nil, err
	}
	text, found, err := client.ConfigMapKey(ctx, coreDNSNamespace, coreDNSName, coreDNSKey)
	if err == nil && !found {
		err = fmt.Errorf("cluster %s has no ConfigMap %s/%s with the key %s: CoreDNS can't be told names", c.spec.Name, coreDNSNamespace, coreDNSName, coreDNSKey)
	}
	return text, entries, err
}

func (c *cluster) corefileError(err error) error {
	return fmt.Errorf("the configuration of CoreDNS in cluster %s can't be edited: %w: set it right (kubectl --namespace %s edit configmap %s), or leave names out "+
		"with spec.dns.enabled: false", c.spec.Name, err, coreDNSNamespace, coreDNSName)
}

// applyCoreDNS edits what kubeadm wrote. CoreDNS notices it where it has the plugin reload, and is started anew where not.
func (c *cluster) applyCoreDNS(ctx context.Context) error {
	if c.env.wantsDNSServer() {
		return nil
	}
	entries, err := c.env.podEntries(ctx)
	if err != nil {
		return err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	var text string
	_, err = client.EditConfigMap(ctx, coreDNSNamespace, coreDNSName, coreDNSKey, func(before string) (after string, err error) {
		text, err = corefile.SetHosts(before, entries)
		if err != nil {
			err = c.corefileError(err)
		}
		return text, err
	})
	if err != nil {
		return deadline(ctx, err, "editing the configuration of CoreDNS in cluster "+c.spec.Name)
	}
	if restart, err := c.restartWanted(ctx, text); err != nil || !restart {
		return err
	}
	deployment := coreDNSDeployment()
	if err := unstructured.SetNestedField(deployment.Object, corefileHash(text), "spec", "template", "metadata", "annotations", corefileAnnotation); err != nil {
		return fmt.Errorf("restarting CoreDNS: %w", err)
	}
	_, err = client.Apply(ctx, []*unstructured.Unstructured{deployment})
	return err
}

// restartWanted says whether CoreDNS has to be told that its Corefile has changed.
func (c *cluster) restartWanted(ctx context.Context, text string) (bool, error) {
	if reloads, err := corefile.Reloads(text); err != nil || reloads {
		return false, err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return false, err
	}
	live, err := client.Get(ctx, coreDNSDeployment())
	if err != nil || live == nil {
		return false, err
	}
	have, _, err := unstructured.NestedString(live.Object, "spec", "template", "metadata", "annotations", corefileAnnotation)
	return have != corefileHash(text), err
}

func coreDNSDeployment() *unstructured.Unstructured {
	deployment := reference("apps/v1", "Deployment", coreDNSName)
	deployment.SetNamespace(coreDNSNamespace)
	return deployment
}

func corefileHash(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12] }
