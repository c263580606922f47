// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/access"
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

// open reports whether everyone may ask.
func (o *accessOptions) open() bool { return o.authentication == noAuthentication }

// secure puts TLS before a listener, and the cluster's answer to who may ask before a handler.
func (o *accessOptions) secure(ctx context.Context, l net.Listener, h http.Handler) (net.Listener, http.Handler, error) {
	logger := logr.FromSlogHandler(cli.NewLogHandler(os.Stderr, 0))
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
	certificate, err := access.Certificate(ctx, o.certificates, logger)
	if err != nil {
		return nil, nil, cli.BadInput(fmt.Errorf("--tls-dir: %w", err))
	}
	return tls.NewListener(l, access.TLS(certificate)), h, nil
}
