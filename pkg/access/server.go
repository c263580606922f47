// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	certutil "k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// shutdownTimeout is how long requests may take to end after the server receives the signal.
const shutdownTimeout = 5 * time.Second

// Certificate gives the certificate of a folder with tls.crt and tls.key, which are read again when
// they change, until the context ends; without a folder, one that the server signs itself.
func Certificate(ctx context.Context, folder string, log logr.Logger) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	if folder == "" {
		cert, key, err := certutil.GenerateSelfSignedCertKey("localhost", []net.IP{{127, 0, 0, 1}}, nil)
		if err != nil {
			return nil, fmt.Errorf("sign a certificate: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }, err
	}
	w, err := certwatcher.New(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"))
	if err != nil {
		return nil, err
	}
	go func() {
		if err := w.Start(ctx); err != nil {
			log.Error(err, "The certificate is not read again")
		}
	}()
	return w.GetCertificate, nil
}

// TLS returns the settings of a server with a certificate.
func TLS(certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *tls.Config {
	// HTTP/2 has let clients tie up servers more than once.
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: certificate}
}

// NewServer returns a server for a manager, which runs on all replicas. A handler of a stream moves
// its write deadline by http.ResponseController; all others have 30 s. The server listens when this
// function returns, so that an address in use is an error at the start.
func NewServer(name, address string, settings *tls.Config, h http.Handler, log logr.Logger) (*manager.Server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if settings != nil {
		l = tls.NewListener(l, settings)
	}
	patience := shutdownTimeout
	return &manager.Server{
		Name: name, Listener: l, ShutdownTimeout: &patience,
		Server: &http.Server{
			Handler:           private(h),
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       10 * time.Second,
			WriteTimeout:      30 * time.Second,
			IdleTimeout:       90 * time.Second,
			MaxHeaderBytes:    32 << 10,
			BaseContext: func(net.Listener) context.Context {
				return logr.NewContext(context.Background(), log.WithName(name))
			},
		},
	}, nil
}

// private has no browser and no proxy keep an answer, take it for another type, or tell others
// its address.
func private(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		h.ServeHTTP(w, r)
	})
}
