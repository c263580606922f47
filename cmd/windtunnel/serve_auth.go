// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	certutil "k8s.io/client-go/util/cert"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
)

// Ways to know clients.
const (
	noAuthentication         = "none"
	kubernetesAuthentication = "kubernetes"
)

var authentications = []string{noAuthentication, kubernetesAuthentication}

// accessOptions are the flags of serve that say who may ask.
type accessOptions struct {
	authentication string
	// certificates is a folder; "" is none.
	certificates string
}

func (o *accessOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.authentication, "authentication", noAuthentication, "who may ask: "+noAuthentication+" is everyone who reaches the server; with "+kubernetesAuthentication+", over TLS, those whose bearer token a TokenReview knows and whom a SubjectAccessReview lets get or post the path")
	f.StringVar(&o.certificates, "tls-dir", "", "`FOLDER` with tls.crt and tls.key, which are read again when they change (default a certificate that the server signs)")
}

func (o *accessOptions) check() error {
	switch o.authentication {
	case noAuthentication:
		if o.certificates != "" {
			return fmt.Errorf("--tls-dir needs --authentication %s", kubernetesAuthentication)
		}
		return nil
	case kubernetesAuthentication:
		return nil
	default:
		return fmt.Errorf("--authentication %q: must be %s or %s", o.authentication, noAuthentication, kubernetesAuthentication)
	}
}

// open reports whether everyone may ask.
func (o *accessOptions) open() bool { return o.authentication == noAuthentication }

// secure puts TLS before a listener, and the cluster's answer to who may ask before a handler.
func (o *accessOptions) secure(ctx context.Context, l net.Listener, h http.Handler) (net.Listener, http.Handler, error) {
	logger := logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, nil))
	ctrl.SetLogger(logger)
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("find the API server: %w", err)
	}
	api, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, nil, err
	}
	filter, err := filters.WithAuthenticationAndAuthorization(config, api)
	if err != nil {
		return nil, nil, err
	}
	if h, err = filter(logger, h); err != nil {
		return nil, nil, err
	}
	// HTTP/2 has let strangers tie up servers more than once.
	settings := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if settings.GetCertificate, err = o.certificate(ctx, logger); err != nil {
		return nil, nil, err
	}
	return tls.NewListener(l, settings), h, nil
}

// certificate gives the certificate of the folder, or one that the server signs itself.
func (o *accessOptions) certificate(ctx context.Context, logger logr.Logger) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	if o.certificates == "" {
		cert, key, err := certutil.GenerateSelfSignedCertKey("localhost", []net.IP{{127, 0, 0, 1}}, nil)
		if err != nil {
			return nil, fmt.Errorf("sign a certificate: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }, err
	}
	w, err := certwatcher.New(filepath.Join(o.certificates, "tls.crt"), filepath.Join(o.certificates, "tls.key"))
	if err != nil {
		return nil, badInputError{fmt.Errorf("--tls-dir: %w", err)}
	}
	go func() {
		if err := w.Start(ctx); err != nil {
			logger.Error(err, "The certificate is not read again")
		}
	}()
	return w.GetCertificate, nil
}
