// SPDX-License-Identifier: Apache-2.0

// Package manager has the verb of the operator. Its controllers, with the API machinery below them,
// are in no other program than windtunnel-manager.
package manager

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/controllers"
)

// leaderElectionID names the Lease that managers compete for.
const leaderElectionID = "manager.windtunnel.dev"

// garbagePercent is how much garbage the manager's heap may hold, of what lives in it:
// half of Go's default, since it works little and its memory is always there.
const garbagePercent = 50

// Environment variables of manager.
const (
	imageVariable     = "WINDTUNNEL_IMAGE"
	namespaceVariable = "POD_NAMESPACE"
)

// options are the flags of manager.
type options struct {
	leaderElect bool
	image       string
	probes      string
	metrics     string
	perObject   bool
	pprof       string
	concurrency int
	namespaces  []string
	state       string
	web         webOptions
	qps         float32
	burst       int
	verbosity   int
	programs    local.ProgramLimits
}

// NewCommand is the verb manager.
func NewCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "manager",
		Short: "Run the operator",
		Long: `Run the operator. It watches SimulationRuns and PolicySweeps, runs each as a Job
whose pods simulate its shards, and summarises the results.`,
		Example: `  windtunnel manager --image registry.example/windtunnel:v1
  windtunnel manager --image windtunnel:dev --namespace team-a -v 1`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.leaderElect, "leader-elect", false, "work only while this manager holds a Lease, so that several managers can run")
	f.StringVar(&o.image, "image", os.Getenv(imageVariable), "image of worker pods, whose entry point is windtunnel (default $"+imageVariable+")")
	f.StringVar(&o.probes, "health-probe-bind-address", ":8081", "address of /healthz and /readyz; 0 turns them off")
	f.StringVar(&o.metrics, "metrics-bind-address", ":8443", "address of /metrics, over TLS, for clients with the right to read it; 0 turns it off")
	f.BoolVar(&o.perObject, "object-metrics", true, "export each object's gates and each sweep's objectives as metrics; turn it off for tens of thousands of objects")
	f.StringVar(&o.pprof, "pprof-bind-address", "0", "address of Go's profiles, without authentication; 0 turns them off")
	f.IntVar(&o.concurrency, "concurrency", 10, "number of objects of each kind that the manager reconciles at once")
	f.StringSliceVar(&o.namespaces, "namespace", nil, "namespaces to watch (default all)")
	f.StringVar(&o.state, "state-dir", "", "folder that outlives a restart, for marks of current compilations; the manager does not compile an object again that has killed it twice (default none)")
	o.programs.Register(f)
	o.web.register(f)
	f.Float32Var(&o.qps, "kube-api-qps", -1, "greatest number of requests per second to the API server; below 0 only the server's priority and fairness limits them")
	f.IntVar(&o.burst, "kube-api-burst", 100, "greatest number of requests at once, if --kube-api-qps limits them")
	f.IntVarP(&o.verbosity, "verbosity", "v", 0, "detail of the log: 1 shows each write and change of state, 4 each decision, 5 and above the messages of client libraries")
	return cmd
}

func (o options) run(ctx context.Context) error {
	if o.image == "" {
		return cli.BadInput(fmt.Errorf("--image must name the image of worker pods, or %s", imageVariable))
	}
	if o.concurrency < 1 {
		return cli.BadInput(fmt.Errorf("--concurrency must be at least 1"))
	}
	if err := o.web.check(); err != nil {
		return err
	}
	if o.qps == 0 {
		return cli.BadInput(errors.New("--kube-api-qps must not be 0, which selects the client's default; set a number, or -1 for no limit"))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	logger := logr.FromSlogHandler(cli.NewLogHandler(os.Stderr, o.verbosity))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	config.QPS, config.Burst = o.qps, o.burst
	served := controllers.NewServerClock(clock.RealClock{})
	config.Wrap(served.Listen)
	mgr, err := o.manager(ctx, config, served)
	if err != nil {
		return err
	}
	logger.Info("Starting", "version", cli.Version(), "image", o.image, "namespaces", o.namespaces)
	return mgr.Start(ctx)
}

// manager makes a manager with the controllers and the probes.
func (o options) manager(ctx context.Context, config *rest.Config, now clock.PassiveClock) (ctrl.Manager, error) {
	mgr, err := ctrl.NewManager(config, o.settings())
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	if err := controllers.Setup(ctx, mgr, controllers.Options{
		Image: o.image, Concurrency: o.concurrency, Clock: now, Metrics: ctrlmetrics.Registry, ObjectMetrics: o.perObject,
		StateFolder: o.state, ProgramLimits: o.programs.Limits,
	}); err != nil {
		return nil, err
	}
	if err := o.web.add(ctx, mgr, o.namespaces); err != nil {
		return nil, err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, mgr.AddReadyzCheck("caches", cachesInSync(mgr.GetCache()))
}

func (o options) settings() ctrl.Options {
	settings := ctrl.Options{
		Scheme:                        controllers.Scheme(),
		Cache:                         controllers.CacheOptions(),
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              leaderElectionID,
		LeaderElectionNamespace:       os.Getenv(namespaceVariable),
		LeaderElectionReleaseOnCancel: true,
		HealthProbeBindAddress:        o.probes,
		PprofBindAddress:              o.pprof,
		Metrics: metricsserver.Options{
			BindAddress:    o.metrics,
			SecureServing:  true,
			FilterProvider: filters.WithAuthenticationAndAuthorization,
			// HTTP/2 has let clients tie up servers more than once, and
			// scraping gains nothing from it.
			TLSOpts: []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }},
		},
	}
	if len(o.namespaces) > 0 {
		settings.Cache.DefaultNamespaces = map[string]cache.Config{}
	}
	for _, namespace := range o.namespaces {
		settings.Cache.DefaultNamespaces[namespace] = cache.Config{}
	}
	return settings
}

// cachesInSync is ready when the cache holds what it watches: never where the
// CRDs are not installed or may not be read.
func cachesInSync(c cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !c.WaitForCacheSync(ctx) {
			return errors.New("the cache is not in sync")
		}
		return nil
	}
}
