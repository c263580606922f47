// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	certutil "k8s.io/client-go/util/cert"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/access"
)

func TestServer(t *testing.T) {
	folder := t.TempDir()
	cert, key, err := certutil.GenerateSelfSignedCertKey("of.the.folder", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"tls.crt": cert, "tls.key": key} {
		testfile.Write(t, filepath.Join(folder, name), content)
	}
	for name, tc := range map[string]struct{ folder, host string }{
		"a certificate of its own": {host: "localhost"},
		"one of a folder":          {folder: folder, host: "of.the.folder"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			certificate, err := access.Certificate(tc.folder, logr.Discard())
			if err != nil {
				t.Fatal(err)
			}
			s, err := newServer("web", "127.0.0.1:0", access.TLS(certificate), http.NotFoundHandler(), logr.Discard())
			if err != nil {
				t.Fatal(err)
			}
			if s.NeedLeaderElection() {
				t.Error("the server waits for the leader's Lease")
			}
			ended := make(chan error)
			go func() { ended <- s.Start(ctx) }()
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
			r, err := client.Get("https://" + s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, r.Body)
			r.Body.Close()
			if err := r.TLS.PeerCertificates[0].VerifyHostname(tc.host); err != nil {
				t.Error(err)
			}
			if r.ProtoMajor != 1 || r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %v", r.Proto, r.Header)
			}
			client.CloseIdleConnections()
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServerSaysWhatIsWrong(t *testing.T) {
	if _, err := access.Certificate(t.TempDir(), logr.Discard()); err == nil {
		t.Error("a folder without a certificate has no error")
	}
	first, err := newServer("web", "127.0.0.1:0", nil, http.NotFoundHandler(), logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Listener.Close()
	if _, err := newServer("web", first.Listener.Addr().String(), nil, http.NotFoundHandler(), logr.Discard()); err == nil {
		t.Error("an address in use has no error")
	}
}
