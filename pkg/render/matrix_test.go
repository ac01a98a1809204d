// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/profiles"
	"github.com/gardener/kindling/pkg/render"
)

// TestEveryProfileWithEveryFamilyAtEveryChange writes what kind is told for all profiles and families at the versions in which Gardener
// changed it, in a checkout at /gardener: testdata/matrix.txt.
func TestEveryProfileWithEveryFamilyAtEveryChange(t *testing.T) {
	var out bytes.Buffer
	for _, version := range []string{
		"v1.93.0", "v1.96.0", "v1.98.0", "v1.101.0", "v1.109.0", "v1.111.0", "v1.114.0", "v1.116.0", "v1.123.0", "v1.126.0", "v1.128.0",
		"v1.129.0", "v1.130.0", "v1.138.0", "v1.140.0", "v1.141.0", "v1.142.0", "v1.149.0",
	} {
		for _, profile := range profiles.List() {
			for _, family := range []string{"ipv4", "ipv6", "dual"} {
				_, _ = fmt.Fprintf(&out, "%s %s %s\n", version, profile.Name, family)
				if err := describe(&out, profile, gardener.MustParse(version), family); err != nil {
					_, _ = fmt.Fprintf(&out, "  error: %s\n", strings.SplitN(err.Error(), ":", 2)[0])
				}
			}
		}
	}
	testutil.Golden(t, filepath.Join("testdata", "matrix.txt"), out.Bytes())
}

func describe(out *bytes.Buffer, profile profiles.Profile, version gardener.Version, family string) error {
	env, err := profiles.Load(profile.Name, func(env *v1alpha1.Environment) (err error) {
		env.Spec.Gardener.Version, env.Spec.Gardener.Dir = version.String(), "/gardener"
		if env.Spec.IPFamilies, err = checkout.Families(family, version); err != nil {
			return err
		}
		return profile.CheckFamilies(env.Spec.IPFamilies, version)
	})
	if err != nil {
		return err
	}
	plan, err := netplan.New(env)
	if err != nil {
		return err
	}
	config, err := render.KindCluster(env, plan, env.Spec.Clusters[0], render.Options{Dir: "/files"})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "  %s %s pods %s services %s\n", config.Name, config.Networking.IPFamily, config.Networking.PodSubnet, config.Networking.ServiceSubnet)
	for _, node := range config.Nodes {
		describeNode(out, node)
	}
	for _, patch := range config.KubeadmConfigPatches {
		if strings.Contains(patch, "ClusterConfiguration") {
			_, _ = fmt.Fprintf(out, "    %s\n", strings.Join(strings.Fields(patch), " "))
		}
	}
	return nil
}

func describeNode(out *bytes.Buffer, node kindv1alpha4.Node) {
	_, _ = fmt.Fprintf(out, "    %s zone %s\n", node.Role, node.Labels[v1alpha1.ZoneLabel])
	if node.Role != kindv1alpha4.ControlPlaneRole {
		return
	}
	for _, port := range node.ExtraPortMappings {
		_, _ = fmt.Fprintf(out, "      %s port %d -> %d\n", port.ListenAddress, port.HostPort, port.ContainerPort)
	}
	for _, mount := range node.ExtraMounts {
		_, _ = fmt.Fprintf(out, "      %s -> %s\n", mount.HostPath, mount.ContainerPath)
	}
}
