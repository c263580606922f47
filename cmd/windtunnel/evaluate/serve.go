// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/evaluate/server"
	"windtunnel.dev/windtunnel/pkg/fence"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	scenarios   scenarioOptions
	access      accessOptions
	listen      string
	budget      int
	concurrency int
}

// NewServeCommand is the verb serve.
func NewServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve --scenario FILE",
		Short: "Score policies over HTTP, for programs that search for policies",
		Long: `Read scenarios once, and answer questions about policies over HTTP as evaluate does:
POST /v1/evaluate, /v1/evaluate_examples and /v1/validate, GET /v1/status and /v1/task.
docs/policy-abi.md describes them.

The server listens on the loopback interface only, unless --listen names another
address. A client that can reach it can have it run programs, behind limits, unless
--authentication kubernetes has the cluster say who may ask. All clients share the budget.`,
		Example: `  windtunnel serve --scenario config/samples/simulationrun-poisson.yaml
  windtunnel serve --scenario a.yaml,b.yaml --budget 5000 --concurrency 4 --listen 127.0.0.1:9000`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	o.scenarios.register(f)
	o.access.register(f)
	_ = cmd.RegisterFlagCompletionFunc("authentication", cobra.FixedCompletions(authentications, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address to listen on; port 0 is any free port")
	f.IntVar(&o.budget, "budget", 0, "simulations that clients may ask for, kept answers not counted; then the server answers with status 429 (default no bound)")
	f.IntVar(&o.concurrency, "concurrency", runtime.GOMAXPROCS(0), "simulations that run at once; other questions wait")
	cli.Rules(cmd, cli.FlagRule{Flag: "tls-dir", Needs: []string{"authentication=" + kubernetesAuthentication}})
	return cmd
}

func (o *serveOptions) checkFlags() error {
	var faults cli.Faults
	faults.If(o.budget < 0, "--budget %d: must be at least 0", o.budget)
	faults.If(o.concurrency < 1, "--concurrency %d: must be at least 1", o.concurrency)
	faults.If(!slices.Contains(authentications, o.access.authentication), "--authentication %q: must be %s", o.access.authentication, cli.OneOf(authentications))
	_, err := net.ResolveTCPAddr("tcp", o.listen)
	faults.If(err != nil, "--listen %s: %w", o.listen, err)
	return faults.Err()
}

func (o *serveOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	scenarios, err := o.scenarios.load(ctx, stdin)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, s := range scenarios {
		if names[s.Name] {
			return cli.BadInput(fmt.Errorf("there are two scenarios of the name %s, by which clients select a scenario", s.Name))
		}
		names[s.Name] = true
	}
	listener, err := cli.Listen(ctx, o.listen)
	if err != nil {
		return err
	}
	if address, is := listener.Addr().(*net.TCPAddr); is && !address.IP.IsLoopback() && o.access.open() {
		fmt.Fprintf(stderr, "warning: the server has no authentication, and %s is not a loopback address\n", address)
	}
	behind := fence.NewForCandidates(o.concurrency)
	defer behind.StartAhead(o.concurrency)()
	evaluator := &evaluate.Evaluator{Fence: behind, Now: time.Now, Limits: o.scenarios.manifests.Programs.Limits}
	handler := server.New(evaluator, scenarios, o.budget, o.concurrency).Handler()
	scheme := "http"
	if !o.access.open() {
		scheme = "https"
		if listener, handler, err = o.access.secure(listener, handler); err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "listening on %s://%s\n", scheme, listener.Addr())
	return cli.ServeUntil(ctx, listener, handler)
}
