// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	pages "windtunnel.dev/windtunnel/pkg/dashboard/cluster"
	"windtunnel.dev/windtunnel/pkg/dashboard/folder"
)

// dashboardOptions are the flags of dashboard.
type dashboardOptions struct {
	cluster cluster.Options
	listen  string
	all     bool
}

// NewDashboardCommand is the verb dashboard.
func NewDashboardCommand() *cobra.Command {
	o := dashboardOptions{cluster: cluster.Options{Instead: ", or name a folder or files with results"}}
	cmd := &cobra.Command{
		Use:   "dashboard [FOLDER | FILE...]",
		Short: "Show runs and sweeps in a browser, from files or a cluster",
		Long: `Serve pages over runs and sweeps on this machine: lists, progress as it is made, reports,
and the way from a sweep to a point, a seed and a request. The pages only read, and nothing
is simulated.

FILE is the output of run -o json or sweep -o json, and FOLDER has such files. Without
them the pages show the cluster of the kubeconfig, with the rights of its user.

The server listens on the loopback interface only. It has no authentication, so all
programs of this machine can read the pages.`,
		Example: `  windtunnel dashboard results/
  windtunnel dashboard -n experiments
  windtunnel dashboard --all-namespaces --listen 127.0.0.1:9000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8088", "loopback address to listen on; port 0 is any free port")
	o.cluster.Register(cmd)
	f.BoolVarP(&o.all, "all-namespaces", "A", false, "show all namespaces, which needs the right to list and watch in all of them")
	cli.Rules(cmd, cli.FlagRule{Flag: "all-namespaces", Why: "selects every namespace", Without: []string{"namespace"}})
	return cmd
}

func (o *dashboardOptions) run(ctx context.Context, paths []string, stdout, stderr io.Writer) error {
	if err := o.check(paths); err != nil {
		return err
	}
	logger := logr.FromSlogHandler(slog.NewTextHandler(stderr, nil))
	klog.SetLogger(logger) // that of informers
	options := dashboard.Options{Guard: dashboard.Everyone{}, Hosts: loopbackHosts, Ended: ctx.Done(), Log: logger}
	var err error
	if len(paths) > 0 {
		options.Source, err = filesSource(paths, stderr)
		options.About = strings.Join(paths, ", ")
	} else {
		options.Source, options.About, err = o.watched(ctx)
	}
	if err != nil {
		return err
	}
	listener, err := cli.Listen(ctx, o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "The dashboard is at http://%s/\n", listener.Addr())
	return servePages(ctx, listener, dashboard.New(options).Handler())
}

// loopbackHosts are the names by which browsers of this machine call it.
var loopbackHosts = []string{"localhost", "127.0.0.1", "::1", "[::1]"}

func (o *dashboardOptions) check(paths []string) error {
	var faults cli.Faults
	address, err := net.ResolveTCPAddr("tcp", o.listen)
	faults.If(err != nil, "--listen %s: %w", o.listen, err)
	faults.If(err == nil && !address.IP.IsLoopback(), "--listen %s: must be a loopback address, such as 127.0.0.1:8088: the pages have no authentication", o.listen)
	if len(paths) > 0 {
		faults = append(faults, o.cluster.Unused())
		faults.If(o.all, "--all-namespaces is for the pages of a cluster, not of files")
	}
	return faults.Err()
}

// filesSource has the objects of files, and says which of them have none.
func filesSource(paths []string, stderr io.Writer) (dashboard.Source, error) {
	for _, path := range paths {
		if input.Address.MatchString(path) {
			return nil, input.FileError(path, fs.ErrNotExist)
		}
	}
	s := folder.New(clock.RealClock{}, paths...)
	without, err := s.Check()
	for _, name := range without {
		fmt.Fprintf(stderr, "%s has no results: left out\n", name)
	}
	return s, cli.BadInput(err)
}

// watched has the objects of the kubeconfig's cluster, each kind watched once.
func (o *dashboardOptions) watched(ctx context.Context) (_ dashboard.Source, about string, err error) {
	c, err := o.cluster.Connect()
	if err != nil {
		return nil, "", err
	}
	source, namespace := &pages.Source{ConfigMaps: cluster.ConfigMaps(c.Client)}, ""
	about = "all namespaces of " + c.Host
	if !o.all {
		about = "namespace " + c.Namespace + " of " + c.Host
		source.Namespaces, namespace = []string{c.Namespace}, c.Namespace
	}
	source.Objects = pages.Watch(ctx, c.Client, namespace)
	return source, about, nil
}

// servePages serves until the context ends. Streams of events end with it.
func servePages(ctx context.Context, listener net.Listener, handler http.Handler) error {
	s := &http.Server{Handler: handler, ReadHeaderTimeout: cli.HeadTimeout, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
