// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	nodeUserPrefix = "system:node:"
	nodesGroup     = "system:nodes"
	// requestsAreKept is a little less than the hour after which Kubernetes removes requests that were granted: a node that is older
	// than that may have its certificate, and no request any more.
	requestsAreKept = 50 * time.Minute
)

// ServingCertificates holds when no kubelet waits for the certificate that it serves with. Until it has one, it answers neither logs nor
// exec. With approve, what kubelets ask for is approved as far as it is their own: nobody else does in Kubernetes.
//
// A certificate that names none of a node's present addresses is one of before a restart: kubelet asks for another as soon as it knows. Nodes that
// addresses does not hold are not compared.
func (c *Client) ServingCertificates(approve bool, addresses map[string][]netip.Addr) Condition {
	return Condition{"serving certificates of kubelets", func(ctx context.Context) ([]Pending, error) {
		nodes, err := c.nodes(ctx)
		if err != nil {
			return nil, err
		}
		requests, err := c.servingRequests(ctx)
		if err != nil {
			return nil, err
		}
		var pending []Pending
		for i := range nodes {
			reason, err := c.servingCertificate(ctx, &nodes[i], requests[nodes[i].Name], addresses[nodes[i].Name], approve)
			if err != nil {
				return nil, err
			}
			if reason != "" {
				pending = append(pending, Pending{Object: "Node " + nodes[i].Name, Reason: reason})
			}
		}
		return pending, nil
	}}
}

// servingRequests returns the requests of kubelets for serving certificates, by node.
func (c *Client) servingRequests(ctx context.Context) (map[string][]certificatesv1.CertificateSigningRequest, error) {
	all, err := list[certificatesv1.CertificateSigningRequest](ctx, c, Reference("certificates.k8s.io/v1", "CertificateSigningRequest", "", ""))
	if err != nil {
		return nil, err
	}
	requests := map[string][]certificatesv1.CertificateSigningRequest{}
	for _, request := range all {
		node, isNode := strings.CutPrefix(request.Spec.Username, nodeUserPrefix)
		if isNode && request.Spec.SignerName == certificatesv1.KubeletServingSignerName {
			requests[node] = append(requests[node], request)
		}
	}
	return requests, nil
}

// servingCertificate says why a node has no certificate to serve with; nothing when it has, as far as can be known.
func (c *Client) servingCertificate(ctx context.Context, node *corev1.Node, requests []certificatesv1.CertificateSigningRequest, addresses []netip.Addr, approve bool) (string, error) {
	issued, reason := false, ""
	slices.SortStableFunc(requests, func(a, b certificatesv1.CertificateSigningRequest) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	for i := range requests {
		request := &requests[i]
		switch {
		case len(request.Status.Certificate) > 0 && namesNone(request, addresses):
			issued, reason = false, "its serving certificate names addresses of before its restart"
		case len(request.Status.Certificate) > 0:
			issued = true
		case hasCondition(request, certificatesv1.CertificateApproved):
			reason = "its serving certificate is approved, and not issued yet"
		case hasCondition(request, certificatesv1.CertificateDenied), hasCondition(request, certificatesv1.CertificateFailed):
			reason = "its request for a serving certificate was refused: " + request.Status.Conditions[0].Message
		default:
			if unfit := notOwn(request, node); unfit != "" {
				return "asks for a serving certificate that is not its own: " + unfit, nil
			}
			if !approve {
				return "its request for a serving certificate is not approved", nil
			}
			return "its serving certificate is approved, and not issued yet", c.approve(ctx, request)
		}
	}
	switch {
	case issued, time.Since(node.CreationTimestamp.Time) > requestsAreKept && len(requests) == 0:
		return "", nil
	case reason == "":
		return "has not asked for a serving certificate", nil
	default:
		return reason, nil
	}
}

// namesNone says whether a request names other addresses than these, if there are any.
func namesNone(request *certificatesv1.CertificateSigningRequest, addresses []netip.Addr) bool {
	block, _ := pem.Decode(request.Spec.Request)
	if block == nil || len(addresses) == 0 {
		return false
	}
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil || len(parsed.IPAddresses) == 0 {
		return false
	}
	return !slices.ContainsFunc(parsed.IPAddresses, func(ip net.IP) bool {
		address, ok := netip.AddrFromSlice(ip)
		return ok && slices.Contains(addresses, address.Unmap())
	})
}

func hasCondition(request *certificatesv1.CertificateSigningRequest, kind certificatesv1.RequestConditionType) bool {
	return slices.ContainsFunc(request.Status.Conditions, func(condition certificatesv1.CertificateSigningRequestCondition) bool { return condition.Type == kind })
}

// notOwn says what in a request is not the node's: its name, its group, or names and addresses that the node has not.
func notOwn(request *certificatesv1.CertificateSigningRequest, node *corev1.Node) string {
	block, _ := pem.Decode(request.Spec.Request)
	if block == nil {
		return "it is no certificate request"
	}
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return err.Error()
	}
	known := []string{node.Name}
	for _, address := range node.Status.Addresses {
		known = append(known, address.Address)
	}
	asked := slices.Clone(parsed.DNSNames)
	for _, ip := range parsed.IPAddresses {
		asked = append(asked, ip.String())
	}
	foreign := slices.IndexFunc(asked, func(name string) bool { return !slices.Contains(known, name) })
	switch {
	case parsed.Subject.CommonName != nodeUserPrefix+node.Name || !slices.Equal(parsed.Subject.Organization, []string{nodesGroup}):
		return fmt.Sprintf("it is for %s of %v", parsed.Subject.CommonName, parsed.Subject.Organization)
	case len(asked) == 0:
		return "it names no address"
	case foreign >= 0:
		return "it names " + asked[foreign]
	case len(parsed.EmailAddresses) > 0 || len(parsed.URIs) > 0:
		return "it names mail addresses or URIs"
	default:
		return ""
	}
}

// approve approves a request, as kubectl certificate approve does.
func (c *Client) approve(ctx context.Context, request *certificatesv1.CertificateSigningRequest) error {
	approved := request.DeepCopy()
	approved.Status.Conditions = append(approved.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "KindlingApproved",
		Message: "the kubelet asks for names and addresses of its own node", LastUpdateTime: metav1.Now(),
	})
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(approved)
	if err != nil {
		return fmt.Errorf("writing the approval of %s: %w", request.Name, err)
	}
	live := &unstructured.Unstructured{Object: object}
	live.SetAPIVersion("certificates.k8s.io/v1")
	live.SetKind("CertificateSigningRequest")
	resource, err := c.resource(ctx, live)
	if err != nil {
		return describeError("looking up", live, err)
	}
	if _, err := resource.Update(quiet(ctx), live, metav1.UpdateOptions{FieldManager: FieldManager}, "approval"); err != nil {
		return describeError("approving", live, err)
	}
	return nil
}
