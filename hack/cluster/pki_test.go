// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

func TestOwnersOfCertificatesTrustEachOther(t *testing.T) {
	dir := t.TempDir()
	ca, err := newAuthority(dir, "ca")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []identity{
		{file: "server", name: "server", hosts: []string{"127.0.0.1"}},
		{file: "client", name: "system:node:here", groups: []string{"system:nodes"}},
	} {
		if err := ca.issue(dir, id); err != nil {
			t.Fatal(err)
		}
	}
	pool, server, client := load(t, dir)
	var user *x509.Certificate
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		user = r.TLS.PeerCertificates[0]
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{server}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	s.StartTLS()
	defer s.Close()

	if err := get(t.Context(), s.URL, &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{client}}); err != nil {
		t.Fatal(err)
	}
	if user.Subject.CommonName != "system:node:here" || len(user.Subject.Organization) != 1 || user.Subject.Organization[0] != "system:nodes" {
		t.Errorf("the server sees %s", user.Subject)
	}
	if err := get(t.Context(), s.URL, &tls.Config{RootCAs: pool}); err == nil {
		t.Error("a client without a certificate is let in")
	}
}

func load(t *testing.T, dir string) (*x509.CertPool, tls.Certificate, tls.Certificate) {
	t.Helper()
	ca := testfile.Read(t, filepath.Join(dir, "ca.crt"))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	pair := func(name string) tls.Certificate {
		certificate, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		return certificate
	}
	return pool, pair("server"), pair("client")
}
