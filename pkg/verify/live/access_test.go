// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// echoing is a seed in which kube-apiserver sends back what it gets.
type echoing struct {
	*fakeCluster
	port int
}

func (e *echoing) WithPort(_ context.Context, _, pod string, port int, use func(io.ReadWriter) error) error {
	if pod != "kube-apiserver-x" {
		return errors.New("no such pod")
	}
	e.port = port
	near, far := net.Pipe()
	go func() {
		_, _ = io.Copy(far, far)
		_ = far.Close()
	}()
	return use(near)
}

const accessKubeconfig = `
apiVersion: v1
kind: Config
current-context: a
clusters: [{name: a, cluster: {server: "https://api.local.local.internal.local.gardener.cloud"}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
users: [{name: a, user: {token: secret}}]
`

func seedWithAccess(secret string) *echoing {
	return &echoing{fakeCluster: newFake(`
apiVersion: v1
kind: Secret
metadata: {name: ` + secret + `, namespace: shoot--local--local}
data: {kubeconfig: ` + base64.StdEncoding.EncodeToString([]byte(accessKubeconfig)) + `}
---
apiVersion: v1
kind: Pod
metadata: {name: kube-apiserver-x, namespace: shoot--local--local}
status: {phase: Running}
---
apiVersion: v1
kind: Service
metadata: {name: kube-apiserver, namespace: shoot--local--local}
spec: {ports: [{port: 443, targetPort: 6443}]}`)}
}

func TestGardenersKubeconfigLeadsThroughTheSeed(t *testing.T) {
	t.Parallel()
	for _, secret := range accessSecrets() {
		t.Run(secret, func(t *testing.T) {
			t.Parallel()
			seed := seedWithAccess(secret)
			opened, err := openAccess(t.Context(), seed, "shoot--local--local")
			if err != nil {
				t.Fatal(err)
			}
			config, err := clientcmd.Load(opened.kubeconfig)
			if err != nil {
				t.Fatal(err)
			}
			cluster := config.Clusters["a"]
			if cluster.TLSServerName != "api.local.local.internal.local.gardener.cloud" {
				t.Errorf("the certificate is checked for %q", cluster.TLSServerName)
			}
			connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(cluster.Server, "https://"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := connection.Write([]byte("hello")); err != nil {
				t.Fatal(err)
			}
			answer := make([]byte, 5)
			if _, err := io.ReadFull(connection, answer); err != nil || string(answer) != "hello" {
				t.Errorf("%q, %v", answer, err)
			}
			// Closing must not wait for connections that stay open.
			opened.close()
			if _, err := connection.Read(answer); err == nil {
				t.Error("the connection is still open")
			}
			if seed.port != 6443 {
				t.Errorf("port %d", seed.port)
			}
		})
	}
}

func TestWithoutAPodOfTheAPIServerConnectionsEnd(t *testing.T) {
	t.Parallel()
	seed := seedWithAccess("gardener")
	delete(seed.objects, "Pod/shoot--local--local/kube-apiserver-x")
	opened, err := openAccess(t.Context(), seed, "shoot--local--local")
	if err != nil {
		t.Fatal(err)
	}
	defer opened.close()
	config, err := clientcmd.Load(opened.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(config.Clusters["a"].Server, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.Read(make([]byte, 1)); err == nil {
		t.Error("somebody answered")
	}
}

func TestWithoutASecretOneIsAskedFor(t *testing.T) {
	t.Parallel()
	_, err := openAccess(t.Context(), newFake(shootObjects), "shoot--local--local")
	if wrong, ok := errors.AsType[*TargetError](err); !ok || !strings.Contains(wrong.Error(), "--shoot-kubeconfig") {
		t.Errorf("error %v", err)
	}
}
