// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/live/ports"
	"windtunnel.dev/windtunnel/pkg/live/vllm"
)

// engineOptions are the flags of engine.
type engineOptions struct {
	scenario scenarioOptions
	// addresses and port say where the replicas are, one endpoint each.
	addresses []string
	port      int
	replicas  int
	speed     float64
	version   string
	limits    ports.Limits
}

// NewEngineCommand is the verb engine.
func NewEngineCommand() *cobra.Command {
	var o engineOptions
	cmd := &cobra.Command{
		Use:   "engine -f FILE",
		Short: "Serve simulated replicas over HTTP in real time, as vLLM does",
		Long: `Serve the replicas of a scenario's pools over HTTP, each at a port of its own, with the paths and
the metrics of vLLM's OpenAI-compatible server. The simulator's engine says when tokens come;
the text has no meaning. docs/live.md describes it.

` + local.ManifestHelp + `

The servers listen on the loopback interface only, unless --address names another address. They
have no authentication.`,
		Example: `  windtunnel engine -f config/samples/simulationrun-poisson.yaml
  windtunnel engine -f run.yaml --pool llama --replicas 2 --port 9000
  windtunnel engine -f run.yaml --replicas 2 --address 127.0.0.1,127.0.0.2`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.scenario.register(cmd)
	f := cmd.Flags()
	f.IntVar(&o.replicas, "replicas", 0, "number of replicas, in place of the pool's (default the pool's)")
	o.registerPlaces(f)
	f.Float64Var(&o.speed, "speed", 1, "how many seconds of the engine pass in a second: 1 is real time")
	f.StringVar(&o.version, "vllm-version", "", "release of vLLM whose metrics and errors to imitate, from "+vllm.OldestVersion.String()+" to "+vllm.NewestVersion.String()+" (default the pool's engine.version)")
	return cmd
}

func (o *engineOptions) registerPlaces(f *pflag.FlagSet) {
	f.StringSliceVar(&o.addresses, "address", []string{"127.0.0.1"}, "IP address to listen on; or one for each replica, all at the same port")
	f.IntVar(&o.port, "port", 8000, "port of the first replica, with that of the next one behind it; 0 is any free port for each")
	f.IntVar(&o.limits.Connections, "max-connections", 4096, "connections that a replica has at once; more wait")
	f.DurationVar(&o.limits.HeadTimeout, "head-timeout", cli.HeadTimeout, "time for the head of a request")
	f.DurationVar(&o.limits.IdleTimeout, "idle-timeout", 5*time.Minute, "time between two requests of a connection")
}

// check refuses values of flags.
func (o *engineOptions) check() error {
	var faults cli.Faults
	faults.If(o.replicas < 0, "--replicas %d: must be at least 1", o.replicas)
	faults.If(o.port < 0 || o.port > 65535, "--port %d: must be from 0 to 65535", o.port)
	faults.If(!(o.speed > 0 && o.speed <= 1000), "--speed %v: must be above 0, and at most 1000", o.speed)
	faults.If(o.limits.Connections < 1, "--max-connections %d: must be at least 1", o.limits.Connections)
	faults.If(o.limits.HeadTimeout <= 0, "--head-timeout %s: must be above 0", o.limits.HeadTimeout)
	faults.If(o.limits.IdleTimeout <= 0, "--idle-timeout %s: must be above 0", o.limits.IdleTimeout)
	for _, address := range o.addresses {
		faults.If(net.ParseIP(address) == nil, "--address %q: must be an IP address", address)
	}
	return faults.Err()
}

func (o *engineOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.replicas > 0 {
		if len(o.scenario.pools) != 1 {
			return cli.BadInput(fmt.Errorf("--replicas needs --pool, once: it is the number of a pool"))
		}
		o.scenario.local.Settings = append(o.scenario.local.Settings, compile.Setting{
			Path: "pools[" + o.scenario.pools[0] + "].replicas", Value: strconv.Itoa(o.replicas),
		})
	}
	pools, err := o.scenario.load(ctx, stdin)
	if err != nil {
		return err
	}
	versions, err := o.versions(pools)
	if err != nil {
		return err
	}
	open, err := ports.Open(ctx, o.addresses, o.port, pools.replicas())
	if err != nil {
		return cli.BadInput(fmt.Errorf("--address, --port: %w", err))
	}
	defer ports.Close(open)
	var handlers []http.Handler
	for i, pool := range pools.config.Pools {
		for range pool.Replicas {
			server := vllm.New(vllm.Options{
				Names: []string{pools.scenario[i].Model}, Version: versions[i], MaxModelLen: pool.MaxModelLen, Started: time.Now(),
			})
			address := open[len(handlers)].Addr()
			fmt.Fprintf(stdout, "%s replica %d: http://%s\n", pool.Name, len(handlers), address)
			warnOfAddress(stderr, address)
			handlers = append(handlers, server)
		}
	}
	return ports.Serve(ctx, open, handlers, o.limits)
}

// versions are those of the pools.
func (o *engineOptions) versions(pools pools) ([]vllm.Version, error) {
	if o.version != "" {
		v, err := vllm.ParseVersion(o.version)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("--vllm-version: %w", err))
		}
		return slices.Repeat([]vllm.Version{v}, len(pools.scenario)), nil
	}
	var versions []vllm.Version
	for _, pool := range pools.scenario {
		written := pool.Engine.Version
		if written == "" {
			written = defaultVersion.String()
		}
		v, err := vllm.ParseVersion(written)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("pool %s: engine.version: %w: name another one with --vllm-version", pool.Name, err))
		}
		versions = append(versions, v)
	}
	return versions, nil
}

func warnOfAddress(stderr io.Writer, address net.Addr) {
	if at, is := address.(*net.TCPAddr); is && !at.IP.IsLoopback() {
		fmt.Fprintf(stderr, "warning: the server has no authentication, and %s is not a loopback address\n", at)
	}
}
