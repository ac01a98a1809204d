// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/verify"
	"github.com/gardener/kindling/pkg/vpn"
)

// accessSecrets are where Gardener keeps its own kubeconfigs for a shoot, in the namespace of the control plane. The server of the first is
// known outside of the cluster, that of the second inside of it only.
func accessSecrets() []string { return []string{"gardener", "gardener-internal"} }

// access is a kubeconfig for the shoot, and what has to be closed after its use.
type access struct {
	kubeconfig []byte
	close      func()
}

// openShoot opens the kubeconfig that was given for the shoot, else Gardener's own.
func (o *Options) openShoot(ctx context.Context, namespace string) (*access, error) {
	if len(o.ShootKubeconfig) > 0 {
		return &access{o.ShootKubeconfig, func() {}}, nil
	}
	return openAccess(ctx, o.Seed, namespace)
}

// openAccess takes Gardener's kubeconfig for the shoot out of the seed. Its server has a name that this machine may not know or reach:
// connections go through the seed's API server to a pod of kube-apiserver, which needs neither.
func openAccess(ctx context.Context, seed Cluster, namespace string) (*access, error) {
	for _, name := range accessSecrets() {
		secret, err := seed.Get(ctx, kube.Reference("v1", "Secret", namespace, name))
		if err != nil {
			return nil, err
		}
		if secret == nil {
			continue
		}
		kubeconfig, err := base64.StdEncoding.DecodeString(text(secret.Object, "data", "kubeconfig"))
		if err != nil || len(kubeconfig) == 0 {
			continue
		}
		return relayed(ctx, seed, namespace, kubeconfig)
	}
	return nil, targetError("namespace %s has no Secret %s with a kubeconfig for the shoot: give one with --shoot-kubeconfig",
		namespace, strings.Join(accessSecrets(), " or "))
}

func relayed(ctx context.Context, seed Cluster, namespace string, kubeconfig []byte) (*access, error) {
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading Gardener's kubeconfig for the shoot: %w", err)
	}
	r := &relay{seed: seed, namespace: namespace, port: apiServerPort(ctx, seed, namespace)}
	address, err := r.listen(ctx)
	if err != nil {
		return nil, err
	}
	for _, cluster := range config.Clusters {
		server, err := url.Parse(cluster.Server)
		if err != nil {
			r.close()
			return nil, fmt.Errorf("reading the server of Gardener's kubeconfig for the shoot: %w", err)
		}
		if cluster.TLSServerName == "" {
			cluster.TLSServerName = server.Hostname()
		}
		cluster.Server, cluster.ProxyURL = "https://"+address, ""
	}
	rewritten, err := clientcmd.Write(*config)
	if err != nil {
		r.close()
		return nil, fmt.Errorf("rewriting Gardener's kubeconfig for the shoot: %w", err)
	}
	return &access{rewritten, r.close}, nil
}

// apiServerPort is where the pods of kube-apiserver serve, by their Service.
func apiServerPort(ctx context.Context, seed Cluster, namespace string) int {
	const usual = 443
	services, err := list[corev1.Service](one(seed.Get(ctx, kube.Reference("v1", "Service", namespace, vpn.KubeAPIServer))))
	if err != nil || len(services) == 0 {
		return usual
	}
	for _, port := range services[0].Spec.Ports {
		if target := port.TargetPort.IntValue(); target != 0 {
			return target
		}
	}
	return usual
}

// relay takes connections on this machine to a pod of kube-apiserver.
type relay struct {
	seed      Cluster
	namespace string
	port      int
	listener  net.Listener
	cancel    context.CancelFunc
	done      sync.WaitGroup
}

func (r *relay) listen(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listening for connections to the shoot's API server: %w", err)
	}
	// Restoring goes on when the command is interrupted.
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	r.listener = listener
	r.done.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			r.done.Go(func() { r.carry(ctx, connection) })
		}
	})
	return listener.Addr().String(), nil
}

func (r *relay) close() {
	_ = r.listener.Close()
	r.cancel()
	r.done.Wait()
}

// carry ends without a word where there is no pod: the client sees the connection close, and says so.
func (r *relay) carry(ctx context.Context, connection net.Conn) {
	defer func() { _ = connection.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
	defer stop()
	lookup, cancel := context.WithTimeout(ctx, 10*time.Second)
	pods, err := r.seed.Pods(lookup, r.namespace, nil)
	cancel()
	if err != nil {
		return
	}
	i := slices.IndexFunc(pods, func(pod corev1.Pod) bool {
		return verify.OfWorkload(&pod, vpn.KubeAPIServer) && pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil
	})
	if i < 0 {
		return
	}
	_ = r.seed.WithPort(ctx, r.namespace, pods[i].Name, r.port, func(pod io.ReadWriter) error { return join(connection, pod) })
}

// join copies both ways until one ends.
func join(a net.Conn, b io.ReadWriter) error {
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(b, a)
		ended <- errors.Join(err, closeWrite(b))
	}()
	_, err := io.Copy(a, b)
	_ = a.Close()
	return errors.Join(err, <-ended)
}

// closeWrite tells the other end that nothing more comes.
func closeWrite(b io.ReadWriter) error {
	if closer, ok := b.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

var _ Cluster = &kube.Client{}
