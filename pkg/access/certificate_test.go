// SPDX-License-Identifier: Apache-2.0

package access

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	certutil "k8s.io/client-go/util/cert"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// The steps are what happens to the files of a certificate. Three clients come after each.
func TestTheCertificateIsReadAgain(t *testing.T) {
	folder, logged := t.TempDir(), 0
	changes := time.Unix(0, 0)
	write := func(name string, raw []byte) {
		t.Helper()
		file := filepath.Join(folder, name)
		changes = changes.Add(time.Second)
		testfile.Write(t, file, raw)
		if err := os.Chtimes(file, changes, changes); err != nil {
			t.Fatal(err)
		}
	}
	pair := func(host string) func() {
		cert, key, err := certutil.GenerateSelfSignedCertKey(host, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			write("tls.crt", cert)
			write("tls.key", key)
		}
	}
	pair("first.example")()
	current, err := Certificate(folder, funcr.New(func(string, string) { logged++ }, funcr.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name   string
		change func()
		want   string
		logged int
	}{
		{"nothing", func() {}, "first.example", 0},
		{"a new pair", pair("second.example"), "second.example", 0},
		{"a faulty certificate", func() { write("tls.crt", []byte("no certificate")) }, "second.example", 1},
		{"another faulty one", func() { write("tls.crt", []byte("none either")) }, "second.example", 1},
		{"no key", func() { _ = os.Remove(filepath.Join(folder, "tls.key")) }, "second.example", 1},
		{"no certificate either", func() { _ = os.Remove(filepath.Join(folder, "tls.crt")) }, "second.example", 1},
		{"a third pair", pair("third.example"), "third.example", 0},
	} {
		step.change()
		logged = 0
		for range 3 {
			served, err := current(&tls.ClientHelloInfo{})
			if err != nil {
				t.Fatal(err)
			}
			if got := served.Leaf.DNSNames[0]; got != step.want {
				t.Errorf("%s: the certificate is of %s, want %s", step.name, got, step.want)
			}
		}
		if logged != step.logged {
			t.Errorf("%s: %d errors are logged, want %d", step.name, logged, step.logged)
		}
	}
}
