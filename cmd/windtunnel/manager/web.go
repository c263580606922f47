// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/access"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	pages "windtunnel.dev/windtunnel/pkg/dashboard/cluster"
	"windtunnel.dev/windtunnel/pkg/gate"
	"windtunnel.dev/windtunnel/pkg/kube"
)

// turnedOff is the address of a server that does not run.
const turnedOff = "0"

// mostRowsInManager is how many rows an object may have to be shown by the manager, whose memory is
// for all users.
const mostRowsInManager = 10_000

// webOptions are the flags of manager for what users read over HTTPS.
type webOptions struct {
	address string
	// certificates is a folder; "" is none.
	certificates string
	flagger      string
	// dashboard serves pages, too.
	dashboard bool
}

func (o *webOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.address, "web-bind-address", turnedOff, "address of what users read, over TLS, each with the rights that the cluster gives them; 0 turns it off")
	f.StringVar(&o.certificates, "web-tls-dir", "", "`FOLDER` with tls.crt and tls.key for --web-bind-address, which are read again when they change (default a certificate that the manager signs)")
	f.BoolVar(&o.dashboard, "dashboard", false, "serve pages over runs and sweeps at --web-bind-address, too")
	f.StringVar(&o.flagger, "flagger-bind-address", turnedOff, "address of the webhooks for Flagger, without TLS and authentication: they say yes or no about objects with the annotation "+gate.OpenAnnotation+"; 0 turns it off")
}

// check refuses flags of a server that does not run.
func (o *webOptions) check() error {
	if o.address != turnedOff {
		return nil
	}
	var faults cli.Faults
	faults.If(o.dashboard, "--dashboard needs --web-bind-address")
	faults.If(o.certificates != "", "--web-tls-dir needs --web-bind-address")
	return faults.Err()
}

// add adds the servers to a manager.
func (o *webOptions) add(ctx context.Context, mgr ctrl.Manager, namespaces []string) error {
	if err := o.addFlagger(mgr); err != nil {
		return err
	}
	if o.address == turnedOff {
		return nil
	}
	api, err := kube.New(mgr.GetConfig())
	if err != nil {
		return err
	}
	guard := access.New(api)
	certificate, err := access.Certificate(o.certificates, mgr.GetLogger())
	if err != nil {
		return cli.BadInput(fmt.Errorf("--web-tls-dir: %w", err))
	}
	// Each handler asks the guard for the rights of the user on what it shows.
	mux := http.NewServeMux()
	gate.Handler{Guard: guard, Live: mgr.GetAPIReader()}.Mount(mux)
	if o.dashboard {
		// The pages read runs and sweeps from the manager's cache, so that no reader costs the API server a watch.
		readers := pages.Guard{Access: guard}
		mux.Handle("/", dashboard.New(dashboard.Options{
			Source: &pages.Source{Objects: cached{mgr.GetCache()}, ConfigMaps: configMaps(mgr.GetAPIReader()), Namespaces: namespaces},
			Guard:  readers, Login: &dashboard.Login{Check: readers.Check}, MostRows: mostRowsInManager,
			Ended: ctx.Done(), Log: mgr.GetLogger().WithName("dashboard"),
		}).Handler())
	}
	server, err := newServer("web", o.address, access.TLS(certificate), mux, mgr.GetLogger())
	if err != nil {
		return cli.BadInput(fmt.Errorf("--web-bind-address: %w", err))
	}
	return mgr.Add(server)
}

// addFlagger adds the server for Flagger, on a port of its own that a NetworkPolicy can open to
// Flagger alone.
func (o *webOptions) addFlagger(mgr ctrl.Manager) error {
	if o.flagger == turnedOff {
		return nil
	}
	mux := http.NewServeMux()
	gate.Flagger{Live: mgr.GetAPIReader()}.Mount(mux)
	server, err := newServer("flagger", o.flagger, nil, mux, mgr.GetLogger())
	if err != nil {
		return cli.BadInput(fmt.Errorf("--flagger-bind-address: %w", err))
	}
	return mgr.Add(server)
}
