// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// certificateName is the name in the servers' certificate; clients ask for it whatever address they dial.
const certificateName = "kindling-lab"

// identity is a certificate with its key, in PEM. It lives as long as the laboratory.
type identity struct {
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key,omitempty"`
}

func newIdentity(now time.Time) (identity, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return identity{}, fmt.Errorf("making a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{certificateName},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return identity{}, fmt.Errorf("making a certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return identity{}, fmt.Errorf("writing a key: %w", err)
	}
	return identity{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}, nil
}

// server is what a server presents.
func (i identity) server() (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(i.Certificate, i.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	return &pair, nil
}

// trusted is what clients trust.
func (i identity) trusted() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(i.Certificate)
	return pool
}
