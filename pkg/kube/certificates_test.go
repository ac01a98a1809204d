// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// request is a kubelet's, base64 of PEM.
func request(t *testing.T, change func(*x509.CertificateRequest)) string {
	t.Helper()
	template := &x509.CertificateRequest{
		Subject:  pkix.Name{CommonName: "system:node:node-a", Organization: []string{"system:nodes"}},
		DNSNames: []string{"node-a"}, IPAddresses: []net.IP{net.ParseIP("172.18.0.2"), net.ParseIP("fd00:10::2")},
	}
	if change != nil {
		change(template)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

func csr(request, status string) string {
	return fmt.Sprintf("{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: c}, spec: {signerName: kubernetes.io/kubelet-serving, "+
		"username: 'system:node:node-a', request: %s, usages: [server auth]}, status: %s}", request, status)
}

func TestServingCertificates(t *testing.T) {
	own := request(t, nil)
	nodeOf := func(age time.Duration) string {
		return fmt.Sprintf("{apiVersion: v1, kind: Node, metadata: {name: node-a, creationTimestamp: %q}, status: {addresses: [{type: InternalIP, address: 172.18.0.2}, {type: InternalIP, address: 'fd00:10::2'}]}}",
			time.Now().Add(-age).UTC().Format(time.RFC3339))
	}
	young, old := nodeOf(time.Minute), nodeOf(2*time.Hour)
	foreign := func(change func(*x509.CertificateRequest)) []string {
		return []string{young, csr(request(t, change), "{}")}
	}
	for name, test := range map[string]struct {
		objects []string
		// reason is what is said of node-a; approved says that its request is approved.
		reason   string
		approved bool
	}{
		"what is its own is approved":                      {[]string{young, csr(own, "{}")}, "its serving certificate is approved, and not issued yet", true},
		"what was approved has to be issued":               {[]string{young, csr(own, "{conditions: [{type: Approved, status: 'True'}]}")}, "its serving certificate is approved, and not issued yet", true},
		"what was issued is there":                         {[]string{young, csr(own, "{certificate: YQ==, conditions: [{type: Approved, status: 'True'}]}")}, "", true},
		"what was refused stays refused":                   {[]string{young, csr(own, "{conditions: [{type: Denied, status: 'True', message: nope}]}")}, "its request for a serving certificate was refused: nope", false},
		"a new node has to ask":                            {[]string{young}, "has not asked for a serving certificate", false},
		"of an old one requests are gone":                  {[]string{old}, "", false},
		"a new request of an old one is approved":          {[]string{old, csr(own, "{}")}, "its serving certificate is approved, and not issued yet", true},
		"another's address is not approved":                {foreign(func(r *x509.CertificateRequest) { r.IPAddresses = []net.IP{net.ParseIP("172.18.0.3")} }), "asks for a serving certificate that is not its own: it names 172.18.0.3", false},
		"another's name is not approved":                   {foreign(func(r *x509.CertificateRequest) { r.DNSNames = []string{"node-a", "kubernetes"} }), "asks for a serving certificate that is not its own: it names kubernetes", false},
		"another node's certificate is not approved":       {foreign(func(r *x509.CertificateRequest) { r.Subject.CommonName = "system:node:node-b" }), "asks for a serving certificate that is not its own: it is for system:node:node-b of [system:nodes]", false},
		"a member of more groups is not approved":          {foreign(func(r *x509.CertificateRequest) { r.Subject.Organization = []string{"system:masters", "system:nodes"} }), "asks for a serving certificate that is not its own: it is for system:node:node-a of [system:nodes system:masters]", false},
		"a URI is not approved":                            {foreign(func(r *x509.CertificateRequest) { r.URIs = []*url.URL{{Scheme: "a", Host: "b"}} }), "asks for a serving certificate that is not its own: it names mail addresses or URIs", false},
		"something that is no request at all is no reason": {[]string{young, csr("YWJj", "{}")}, "asks for a serving certificate that is not its own: it is no certificate request", false},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []*unstructured.Unstructured
			for _, text := range test.objects {
				objects = append(objects, parse(t, text))
			}
			client, _ := fakeClient(t, objects...)
			pending, err := client.ServingCertificates(true, nil).Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var want []Pending
			if test.reason != "" {
				want = []Pending{{Object: "Node node-a", Reason: test.reason}}
			}
			if diff := cmp.Diff(want, pending); diff != "" {
				t.Errorf("pending (-want +have):\n%s", diff)
			}
			requests, err := client.servingRequests(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, request := range requests["node-a"] {
				if approved := hasCondition(&request, certificatesv1.CertificateApproved); approved != test.approved {
					t.Errorf("approved %t, want %t", approved, test.approved)
				}
			}
		})
	}
}

func TestACertificateOfAnotherAddress(t *testing.T) {
	const node = "{apiVersion: v1, kind: Node, metadata: {name: node-a}, status: {addresses: [{type: InternalIP, address: 172.18.0.4}]}}"
	issued := func(name, address, created string) string {
		own := request(t, func(r *x509.CertificateRequest) { r.IPAddresses = []net.IP{net.ParseIP(address)} })
		return fmt.Sprintf("{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: %s, creationTimestamp: %q}, spec: {signerName: "+
			"kubernetes.io/kubelet-serving, username: 'system:node:node-a', request: %s}, status: {certificate: YQ==}}", name, created, own)
	}
	first, second := "2026-12-01T00:00:00Z", "2026-12-01T01:00:00Z"
	for name, test := range map[string]struct {
		objects []string
		waits   bool
	}{
		"the address of now is named":                       {[]string{issued("a", "172.18.0.4", first)}, false},
		"a node that moved asks again":                      {[]string{issued("a", "172.18.0.2", first)}, true},
		"a node that moved has asked again":                 {[]string{issued("a", "172.18.0.4", second), issued("b", "172.18.0.2", first)}, false},
		"a node that moved back asks again, as it did once": {[]string{issued("a", "172.18.0.2", second), issued("b", "172.18.0.4", first)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []*unstructured.Unstructured{parse(t, node)}
			for _, text := range test.objects {
				objects = append(objects, parse(t, text))
			}
			client, _ := fakeClient(t, objects...)
			now := map[string][]netip.Addr{"node-a": {netip.MustParseAddr("172.18.0.4"), netip.MustParseAddr("fd00:10::4")}}
			pending, err := client.ServingCertificates(false, now).Check(t.Context())
			if err != nil || (len(pending) > 0) != test.waits {
				t.Errorf("pending %v, want that it waits: %t: %v", pending, test.waits, err)
			}
		})
	}
}

func TestLookingApprovesNothing(t *testing.T) {
	client, _ := fakeClient(t, parse(t, "{apiVersion: v1, kind: Node, metadata: {name: node-a}, status: {addresses: [{address: 172.18.0.2}, {address: 'fd00:10::2'}]}}"), parse(t, csr(request(t, nil), "{}")))
	pending, err := client.ServingCertificates(false, nil).Check(t.Context())
	if err != nil || len(pending) != 1 || pending[0].Reason != "its request for a serving certificate is not approved" {
		t.Errorf("pending %v, %v", pending, err)
	}
	requests, err := client.servingRequests(t.Context())
	if err != nil || hasCondition(&requests["node-a"][0], certificatesv1.CertificateApproved) {
		t.Errorf("it was approved, %v", err)
	}
}
