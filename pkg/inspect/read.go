// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"path/filepath"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/calico/ippool"
	"github.com/gardener/kindling/pkg/netplan"
)

func readSeed(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[seed](object)
	if err != nil {
		return "", err
	}
	c.addSeed(decoded.Metadata.Name, where, "spec.networks", decoded.Spec.Networks)
	return "Seed " + decoded.Metadata.Name, nil
}

func readGardenlet(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[gardenlet](object)
	if err != nil {
		return "", err
	}
	c.addSeed(decoded.Metadata.Name, where, "spec.config.seedConfig.spec.networks", decoded.Spec.Config.SeedConfig.Spec.Networks)
	return "Gardenlet " + decoded.Metadata.Name, nil
}

func readManagedSeed(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[managedSeed](object)
	if err != nil {
		return "", err
	}
	c.addSeed(decoded.Metadata.Name, where, "spec.gardenlet.config.seedConfig.spec.networks", decoded.Spec.Gardenlet.Config.SeedConfig.Spec.Networks)
	return "ManagedSeed " + decoded.Metadata.Name, nil
}

func readGardenletValues(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[gardenletValues](object)
	if err != nil {
		return "", err
	}
	name := decoded.Config.SeedConfig.Metadata.Name
	if name == "" {
		// Values for a family or a profile are laid over others, and have no name of their own.
		name = "of " + filepath.Base(where)
	}
	c.addSeed(name, where, "config.seedConfig.spec.networks", decoded.Config.SeedConfig.Spec.Networks)
	return "gardenlet Helm values, seed " + name, nil
}

func readGarden(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[garden](object)
	if err != nil {
		return "", err
	}
	networking := decoded.Spec.RuntimeCluster.Networking
	at := func(values []string, i int) string {
		if i < len(values) {
			return values[i]
		}
		return ""
	}
	for i := range networking.Pods {
		c.addSeed("under garden "+decoded.Metadata.Name, where, "spec.runtimeCluster.networking", seedNetworks{
			Nodes: at(networking.Nodes, i), Pods: at(networking.Pods, i), Services: at(networking.Services, i),
		})
	}
	return "Garden " + decoded.Metadata.Name, nil
}

func readShoot(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[shoot](object)
	if err != nil {
		return "", err
	}
	name := decoded.Metadata.Namespace + "/" + decoded.Metadata.Name
	networking := decoded.Spec.Networking
	families := []v1alpha1.IPFamily{v1alpha1.IPv4}
	if len(networking.IPFamilies) > 0 {
		families = nil
		for _, family := range networking.IPFamilies {
			families = append(families, v1alpha1.IPFamily(family))
		}
	}
	field := func(kind, value string) netplan.Range {
		return c.named(kind+" of shoot "+name, where+": spec.networking."+kind, value)
	}
	c.subject.Shoots = append(c.subject.Shoots, netplan.ShootRanges{
		Name: name, Where: where, Seed: decoded.Spec.SeedName, Families: families,
		Workerless:      len(decoded.Spec.Provider.Workers) == 0,
		HighlyAvailable: decoded.Spec.ControlPlane.HighAvailability != nil,
		SourceNAT:       networking.ProviderConfig.IPv6.SourceNATEnabled,
		Nodes:           field("nodes", networking.Nodes),
		Pods:            field("pods", networking.Pods),
		Services:        field("services", networking.Services),
	})
	return "Shoot " + name, nil
}

func readKind(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[kindCluster](object)
	if err != nil {
		return "", err
	}
	name := decoded.Name
	if name == "" {
		name = decoded.Metadata.Name
	}
	c.addCluster(name, where, decoded.Networking)
	return "kind configuration " + name, nil
}

func readKindValues(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[kindCluster](object)
	if err != nil {
		return "", err
	}
	c.addCluster("of "+filepath.Base(where), where, decoded.Networking)
	if decoded.Networking == (kindNetworking{}) {
		return "Helm values of Gardener's kind chart, without networks", nil
	}
	return "Helm values of Gardener's kind chart", nil
}

func readPool(object map[string]any, where string, c *collector) (string, error) {
	decoded, err := into[struct {
		Metadata metadata    `json:"metadata"`
		Spec     ippool.Spec `json:"spec"`
	}](object)
	if err != nil {
		return "", err
	}
	// provider-local's own pools for machines are called shoot-machine-pods-….
	machines := decoded.Spec.NodeSelector == "!all()" || strings.Contains(decoded.Metadata.Name, "machine-pods")
	c.subject.Pools = append(c.subject.Pools, netplan.PoolSettings{
		Name: decoded.Metadata.Name, Where: where + ": spec.cidr", Spec: decoded.Spec, Machines: machines,
	})
	return "IPPool " + decoded.Metadata.Name, nil
}
