// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/access"
	"windtunnel.dev/windtunnel/pkg/kube"
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
func (o *accessOptions) secure(l net.Listener, h http.Handler) (net.Listener, http.Handler, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("find the API server: %w", err)
	}
	config.QPS = -1 // the API server limits clients by itself
	api, err := kube.New(config)
	if err != nil {
		return nil, nil, err
	}
	logger := logr.FromSlogHandler(cli.NewLogHandler(os.Stderr, 0))
	certificate, err := access.Certificate(o.certificates, logger)
	if err != nil {
		return nil, nil, cli.BadInput(fmt.Errorf("--tls-dir: %w", err))
	}
	return tls.NewListener(l, access.TLS(certificate)), access.New(api).Paths(logger, h), nil
}
