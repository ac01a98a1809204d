// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"text/template"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/netplan"
)

//go:embed manifests/*.tmpl
var manifests embed.FS

// pauseImage is the repository of the image of sandboxes.
const pauseImage = "registry.k8s.io/pause"

// images of the parts, as the node has them.
type images struct{ pause, etcd, apiServer, controllerManager, proxy string }

func findImages(ctx context.Context, seed *kube.Client) (images, error) {
	var found images
	byNode, err := seed.NodeImages(ctx)
	if err != nil {
		return found, err
	}
	wanted := map[string]*string{
		pauseImage: &found.pause, "registry.k8s.io/etcd": &found.etcd, "registry.k8s.io/kube-apiserver": &found.apiServer,
		"registry.k8s.io/kube-controller-manager": &found.controllerManager, "registry.k8s.io/kube-proxy": &found.proxy,
	}
	for _, names := range byNode {
		for _, name := range names {
			repository, tag, tagged := cutTag(name)
			if into := wanted[repository]; into != nil && tagged && tag != "" {
				*into = name
			}
		}
	}
	for repository, name := range wanted {
		if *name == "" {
			return found, fmt.Errorf("the node has no image of %s: the fixture needs the node image of hack/nodeimage", repository)
		}
	}
	return found, nil
}

// cutTag leaves names by digest alone.
func cutTag(name string) (repository, tag string, found bool) {
	if strings.Contains(name, "@") {
		return name, "", false
	}
	return strings.Cut(name, ":")
}

// values are what the templates are filled with.
type values struct {
	Faults                                                                    Faults
	HA                                                                        bool
	Project, Shoot, TechnicalID, Machine, MachinePod, SeedPool                string
	ToolsImage, PauseImage, EtcdImage, APIServerImage, ControllerManagerImage string
	ProxyImage, KubernetesVersion                                             string
	GatewayIP                                                                 netip.Addr
	SeedNodes, SeedPods, SeedServices, ShootPods, ShootServices               netip.Prefix
	Nodes, RoutedServices                                                     string
	Servers                                                                   []int
	SeedServers, ShootClients                                                 int
	ShootTunnels                                                              []shootTunnel
	Kinds                                                                     []kind
	SeedCopy, ShootCopy                                                       map[string]any
	VPNShootSecret                                                            map[string][]byte
}

// shootTunnel is a container of vpn-shoot.
type shootTunnel struct {
	Container, Server string
	Index             int
}

// values turns faults into what objects say.
func (f *Fixture) values(faults Faults) values {
	n := f.opts.Networks
	v := values{
		Faults: faults, HA: f.opts.HA, Project: Project, Shoot: Name, TechnicalID: TechnicalID, Machine: machineName, MachinePod: machineName, SeedPool: netplan.DefaultPoolIPv4,
		ToolsImage: toolsImage, PauseImage: f.images.pause, EtcdImage: f.images.etcd,
		APIServerImage: f.images.apiServer, ControllerManagerImage: f.images.controllerManager, ProxyImage: f.images.proxy, GatewayIP: f.gateway,
		SeedNodes: n.SeedNodes, SeedPods: n.SeedPods, SeedServices: n.SeedServices, ShootPods: n.ShootPods, ShootServices: n.ShootServices,
		Nodes: n.Machines.String(), RoutedServices: n.ShootServices.String(), SeedServers: 1, ShootClients: 1, Kinds: kinds(),
		ShootTunnels: []shootTunnel{{"vpn-shoot", "vpn-seed-server", 0}}, VPNShootSecret: vpnSecret(f.identity.vpn, f.identity.vpnShootClient),
	}
	_, v.KubernetesVersion, _ = strings.Cut(f.images.apiServer, ":v")
	if f.opts.HA {
		v.Servers, v.SeedServers, v.ShootClients = []int{0, 1}, 2, 2
		v.ShootTunnels = []shootTunnel{{"vpn-shoot-s0", "vpn-seed-server-0", 0}, {"vpn-shoot-s1", "vpn-seed-server-1", 1}}
	}
	v.play(faults)
	return v
}

func (v *values) play(faults Faults) {
	if faults.NodesEmpty {
		v.Nodes = ""
	}
	if faults.ServicesUnrouted {
		v.RoutedServices = ""
	}
	if faults.MachineInSeedPool {
		// Another name, so that it is another pod. With Plain it gets an address as all pods do, as its name lacks the prefix of machines,
		// and with Calico as it names the seed's pool.
		v.MachinePod = "in-seed-pool-" + machineName
	}
	if faults.HalfOpen {
		v.SeedServers--
	}
	if faults.SeedEndDead {
		v.SeedServers = 0
	}
	if faults.ShootEndDead {
		v.ShootClients = 0
	}
}

// fill fills a template and returns what it says.
func fill(name, part string, v values) ([]byte, error) {
	functions := template.FuncMap{"toJSON": func(value any) (string, error) {
		data, err := json.Marshal(value)
		return string(data), err
	}}
	parsed, err := template.New(name).Funcs(functions).Option("missingkey=error").ParseFS(manifests, "manifests/"+name)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := parsed.ExecuteTemplate(&out, part, v); err != nil {
		return nil, fmt.Errorf("filling %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// objects fills a template of objects.
func objects(name string, v values) ([]*unstructured.Unstructured, error) {
	data, err := fill(name, name, v)
	if err != nil {
		return nil, err
	}
	found, err := kube.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", name, err)
	}
	return found, nil
}

// typed turns an object into one of any kind.
func typed(object runtime.Object) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("encoding %T: %w", object, err)
	}
	return &unstructured.Unstructured{Object: content}, nil
}

func secret(name string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: TechnicalID}, Data: data,
	}
}

func namespace(name string, labels map[string]string) *corev1.Namespace {
	return &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}
