// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
)

// shutdownTimeout is how long requests may take to end after the server receives the signal.
const shutdownTimeout = 5 * time.Second

// newServer returns a server for a manager, which runs on all replicas. A handler of a stream moves
// its write deadline by http.ResponseController; all others have 30 s. The server listens when this
// function returns, so that an address in use is an error at the start.
func newServer(name, address string, settings *tls.Config, h http.Handler, log logr.Logger) (*ctrlmanager.Server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if settings != nil {
		l = tls.NewListener(l, settings)
	}
	timeout := shutdownTimeout
	return &ctrlmanager.Server{
		Name: name, Listener: l, ShutdownTimeout: &timeout,
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
