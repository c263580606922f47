// SPDX-License-Identifier: Apache-2.0

package main

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
	"os"
	"path/filepath"
	"strings"
	"time"
)

// authority signs the certificates of those who trust each other.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// identity is what a certificate says of its owner.
type identity struct {
	file   string   // NAME.crt and NAME.key
	name   string   // the user, for a client
	groups []string // of the user
	hosts  []string // names and addresses, for a server
}

// lifetime is longer than any cluster of these lives.
const lifetime = 365 * 24 * time.Hour

// newAuthority makes a certificate authority and writes it to dir as NAME.crt
// and NAME.key.
func newAuthority(dir, name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := certificateTemplate(name)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	certificate, err := sign(dir, name, template, template, key, key)
	if err != nil {
		return nil, err
	}
	return &authority{certificate, key}, nil
}

// issue writes a key and a certificate for clients, and for servers where there
// are hosts.
func (a *authority) issue(dir string, id identity) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template, err := certificateTemplate(id.name)
	if err != nil {
		return err
	}
	template.Subject.Organization = id.groups
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if len(id.hosts) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	for _, host := range id.hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	_, err = sign(dir, id.file, template, a.certificate, key, a.key)
	return err
}

func certificateTemplate(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour), // clocks differ
		NotAfter:     now.Add(lifetime),
	}, nil
}

// sign writes FILE.crt and FILE.key.
func sign(dir, file string, template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", file, err)
	}
	if err := writePEM(filepath.Join(dir, file+".crt"), "CERTIFICATE", der); err != nil {
		return nil, err
	}
	if err := writeKey(filepath.Join(dir, file+".key"), key); err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// writeServiceAccountKeys makes the pair with which tokens of service accounts
// are signed and checked.
func writeServiceAccountKeys(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := writePEM(filepath.Join(dir, "service-account.pub"), "PUBLIC KEY", public); err != nil {
		return err
	}
	return writeKey(filepath.Join(dir, "service-account.key"), key)
}

// kubeconfig lets the owner of a certificate talk to the API server.
func kubeconfig(server, pkiDir, user string) string {
	return strings.NewReplacer("SERVER", server, "PKI", pkiDir, "USER", user).Replace(`apiVersion: v1
kind: Config
current-context: windtunnel
contexts:
- name: windtunnel
  context: {cluster: windtunnel, user: USER}
clusters:
- name: windtunnel
  cluster: {server: "SERVER", certificate-authority: PKI/ca.crt}
users:
- name: USER
  user: {client-certificate: PKI/USER.crt, client-key: PKI/USER.key}
`)
}
