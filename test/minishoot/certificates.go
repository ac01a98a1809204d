// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// pair is a certificate with its key.
type pair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// crt and pem are both in PEM.
	crt, keyPEM []byte
}

// identity is all that the parts of a shoot know each other by.
type identity struct {
	cluster, frontProxy, vpn                 *pair
	apiServer, kubeletClient, proxyClient    *pair
	vpnServer, vpnSeedClient, vpnShootClient *pair
	admin, kubelet, kubeProxy                *pair
	serviceAccounts                          *pair
}

func newIdentity(dns []string, addresses []netip.Addr) (*identity, error) {
	i := &identity{}
	for _, authority := range []struct {
		into **pair
		name string
	}{{&i.cluster, "ca"}, {&i.frontProxy, "ca-front-proxy"}, {&i.vpn, "ca-vpn"}, {&i.serviceAccounts, "service-account-key"}} {
		var err error
		if *authority.into, err = issue(nil, subject{name: authority.name}); err != nil {
			return nil, err
		}
	}
	servers := []string{"vpn-seed-server", "vpn-seed-server-0", "vpn-seed-server-1"}
	for _, one := range []struct {
		into **pair
		by   *pair
		of   subject
	}{
		{&i.apiServer, i.cluster, subject{name: "kube-apiserver", dns: dns, addresses: addresses}},
		{&i.kubeletClient, i.cluster, subject{name: "system:kube-apiserver:kubelet"}},
		{&i.admin, i.cluster, subject{name: "system:cluster-admin", groups: []string{"system:masters"}}},
		{&i.kubelet, i.cluster, subject{name: "system:node:" + machineName, groups: []string{"system:nodes"}}},
		{&i.kubeProxy, i.cluster, subject{name: "system:kube-proxy"}},
		{&i.proxyClient, i.frontProxy, subject{name: "front-proxy-client"}},
		{&i.vpnServer, i.vpn, subject{name: "vpn-seed-server", dns: servers}},
		{&i.vpnSeedClient, i.vpn, subject{name: "vpn-seed-client"}},
		{&i.vpnShootClient, i.vpn, subject{name: "vpn-shoot-client"}},
	} {
		var err error
		if *one.into, err = issue(one.by, one.of); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// subject is who a certificate is for.
type subject struct {
	name      string
	groups    []string
	dns       []string
	addresses []netip.Addr
}

// issue makes a certificate; without an issuer it is an authority's.
func issue(by *pair, of subject) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key for %s: %w", of.name, err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, fmt.Errorf("making a serial number for %s: %w", of.name, err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: of.name, Organization: of.groups}, DNSNames: of.dns,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(certificatesLive), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	for _, address := range of.addresses {
		template.IPAddresses = append(template.IPAddresses, net.IP(address.AsSlice()))
	}
	parent, signer := template, key
	if by == nil {
		template.IsCA, template.KeyUsage, template.ExtKeyUsage = true, x509.KeyUsageCertSign|x509.KeyUsageDigitalSignature, nil
	} else {
		parent, signer = by.certificate, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, fmt.Errorf("making the certificate of %s: %w", of.name, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of %s: %w", of.name, err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("writing the key of %s: %w", of.name, err)
	}
	return &pair{
		certificate: certificate, key: key, crt: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		keyPEM: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}, nil
}

// kubeconfig is for a user of the shoot's API server at an address.
func (i *identity) kubeconfig(server string, user *pair) ([]byte, error) {
	const name = "shoot"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: i.cluster.crt}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: user.crt, ClientKeyData: user.keyPEM}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	data, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("writing a kubeconfig for %s: %w", user.certificate.Subject.CommonName, err)
	}
	return data, nil
}
