// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/live/kvevents"
	"windtunnel.dev/windtunnel/pkg/live/ports"
	"windtunnel.dev/windtunnel/pkg/live/rehearse"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
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
	// maxLateness ends the command where the machine is too slow.
	maxLateness time.Duration
	version     string
	// rehearsal serves what the replicas note of a rehearsal.
	rehearsal bool
	// kvEvents is the address of KV events, and kvReplay that where readers ask for missed ones; empty for none.
	kvEvents, kvReplay string
	// answerTokens is the length of answers; 0 is that of the workload.
	answerTokens int
	// tokenizer is bytes4 or the name of a file.
	tokenizer string
	server    vllm.Options
	limits    ports.Limits
	// notes, unless they are nil, take the part of the replicas in a rehearsal.
	notes *rehearse.Notes
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
	o.registerServer(f)
	f.Float64Var(&o.speed, "speed", 1, "how many seconds of the engine pass in a second: 1 is real time")
	f.DurationVar(&o.maxLateness, "max-lateness", time.Second, "how late a token may be; the command fails if one is later, as the machine is then too slow")
	f.BoolVar(&o.rehearsal, "rehearsal", false, "serve at "+recordPath+" what each replica noted since it was asked before: when its metrics were read, and the times of its requests by the engine's clock")
	f.StringVar(&o.version, "vllm-version", "", "release of vLLM whose metrics and errors to imitate, from "+vllm.OldestVersion.String()+" to "+vllm.NewestVersion.String()+" (default the pool's engine.version)")
	return cmd
}

func (o *engineOptions) registerPlaces(f *pflag.FlagSet) {
	f.StringSliceVar(&o.addresses, "address", []string{"127.0.0.1"}, "IP address to listen on; or one for each replica, all at the same port")
	f.IntVar(&o.port, "port", 8000, "port of the first replica, with that of the next one behind it; 0 is any free port for each")
	f.StringVar(&o.kvEvents, "kv-events", "", "address of KV events over ZMQ, as vLLM's publisher has it: with tcp://*:5557 each replica listens at its own address, those of one address at port 5557 and the next ones; with tcp://HOST:5557 each connects to a reader there")
	f.StringVar(&o.kvReplay, "kv-events-replay", "", "address at which each replica listens for readers that missed KV events, as in --kv-events, such as tcp://*:6557")
	f.IntVar(&o.limits.Connections, "max-connections", 4096, "connections that a replica has at once; more wait")
	f.DurationVar(&o.limits.HeadTimeout, "head-timeout", cli.HeadTimeout, "time for the head of a request")
	f.DurationVar(&o.limits.IdleTimeout, "idle-timeout", 5*time.Minute, "time between two requests of a connection")
}

func (o *engineOptions) registerServer(f *pflag.FlagSet) {
	f.StringSliceVar(&o.server.Names, "served-model-name", nil, "name of the model in requests, in place of the catalogue's; may be repeated, and answers have the first")
	f.StringVar(&o.tokenizer, "tokenizer", bytes4, bytes4+", or the `FILE` tokenizer.json of a model with byte-level BPE, such as Llama 3 and Qwen; "+bytes4+" has a token for every 4 bytes")
	f.IntVar(&o.answerTokens, "answer-tokens", 0, "length of answers, unless a request bounds it (default that of the workload's answers, drawn by the prompt)")
	f.BoolVar(&o.server.ForceUsage, "enable-force-include-usage", false, "as vLLM's: each stream ends with the usage")
	f.BoolVar(&o.server.PromptDetails, "enable-prompt-tokens-details", false, "as vLLM's: the usage has the tokens of the prompt that were cached")
	f.BoolVar(&o.server.EchoRequestID, "enable-request-id-headers", false, "as vLLM's: an answer has the header X-Request-Id of the request")
	limits := &o.server.Limits
	*limits = defaultServerLimits()
	f.Int64Var(&limits.BodyBytes, "max-body-bytes", limits.BodyBytes, "size of a request's body")
	f.IntVar(&limits.Requests, "max-requests", limits.Requests, "requests that a replica works on at once; the next ones get status 503. The engine's own bounds are in the scenario")
	f.IntVar(&limits.Choices, "max-answers", limits.Choices, "answers that one request may ask for")
	f.Int64Var(&limits.AnswerTokens, "max-answer-tokens", limits.AnswerTokens, "tokens of the answers that a replica works on at once, which take 16 bytes each; the next requests get status 503")
	f.IntVar(&limits.Adapters, "max-loaded-adapters", limits.Adapters, "LoRA adapters that may be loaded at once")
	f.DurationVar(&limits.WriteTimeout, "write-timeout", limits.WriteTimeout, "time that a client may take to send a body, and to read a piece of an answer; then its request is given up")
}

// defaultServerLimits are those of a replica's server, unless flags say otherwise.
func defaultServerLimits() vllm.Limits {
	return vllm.Limits{BodyBytes: 32 << 20, Requests: 8192, Choices: 128, Adapters: 1024, AnswerTokens: 16 << 20, WriteTimeout: 30 * time.Second}
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
	faults.If(o.maxLateness <= 0, "--max-lateness %s: must be above 0", o.maxLateness)
	faults.If(o.answerTokens < 0, "--answer-tokens %d: must be at least 1", o.answerTokens)
	faults.If(slices.Contains(o.server.Names, ""), "--served-model-name must not be empty")
	faults.If(o.kvReplay != "" && o.kvEvents == "", "--kv-events-replay needs --kv-events")
	limits := o.server.Limits
	faults.If(limits.BodyBytes < 1, "--max-body-bytes %d: must be at least 1", limits.BodyBytes)
	faults.If(limits.Requests < 1, "--max-requests %d: must be at least 1", limits.Requests)
	faults.If(limits.Choices < 1, "--max-answers %d: must be at least 1", limits.Choices)
	faults.If(limits.AnswerTokens < 1, "--max-answer-tokens %d: must be at least 1", limits.AnswerTokens)
	faults.If(limits.Adapters < 1, "--max-loaded-adapters %d: must be at least 1", limits.Adapters)
	faults.If(limits.WriteTimeout <= 0, "--write-timeout %s: must be above 0", limits.WriteTimeout)
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
	var err error
	if o.server.Tokenizer, err = readTokenizer(o.tokenizer); err != nil {
		return err
	}
	pools, err := o.scenario.load(ctx, stdin)
	if err != nil {
		return err
	}
	if o.replicas > 0 && o.scenario.plan != "" {
		pools.config.Pools[0].Replicas = o.replicas
	}
	if o.answerTokens > 0 {
		pools.lengths = []int{o.answerTokens}
	}
	if len(pools.lengths) == 0 {
		return cli.BadInput(errors.New("the workload has no request, and so no length of answers: state it with --answer-tokens"))
	}
	if o.rehearsal {
		o.notes = rehearse.NewNotes(pools.replicas(), mostNotes)
	}
	open, err := ports.Open(ctx, o.addresses, o.port, pools.replicas())
	if err != nil {
		return cli.BadInput(fmt.Errorf("--address, --port: %w", err))
	}
	defer ports.Close(open)
	e, err := o.newEngines(ctx, pools, open)
	if err != nil {
		return err
	}
	return e.serve(ctx, stdout, stderr)
}

// engines are replicas that serve at open ports.
type engines struct {
	pools
	options   *engineOptions
	servers   []vllm.Options
	open      []net.Listener
	publisher *kvevents.Publisher // nil where they publish nothing
}

func (o *engineOptions) newEngines(ctx context.Context, pools pools, open []net.Listener) (*engines, error) {
	versions, err := o.versions(pools)
	if err != nil {
		return nil, err
	}
	servers := o.servers(pools, versions)
	publisher, err := o.publisher(ctx, pools, servers, open)
	return &engines{pools, o, servers, open, publisher}, err
}

// servers are what the replicas of each pool serve.
func (o *engineOptions) servers(pools pools, versions []vllm.Version) []vllm.Options {
	var all []vllm.Options
	for i, pool := range pools.config.Pools {
		server := o.server
		server.Version, server.Root = versions[i], pools.scenario[i].Model
		server.Lengths, server.Now = pools.lengths, time.Now
		server.MaxModelLen = cmp.Or(pool.MaxModelLen, pool.KVBlocks*pool.BlockTokens)
		if len(server.Names) == 0 {
			server.Names = []string{server.Root}
		}
		if pool.Adapters != nil {
			server.Adapters = pools.config.Adapters()
		}
		all = append(all, server)
	}
	return all
}

// serve serves the replicas until the context ends, or they are too late.
func (e *engines) serve(ctx context.Context, stdout, stderr io.Writer) error {
	group, ctx := errgroup.WithContext(ctx)
	config := replicas.Config{Simulated: e.config, Speed: e.options.speed, MaxLateness: e.options.maxLateness}
	if e.publisher != nil {
		defer e.publisher.Close()
		config.BlockEvents = e.publisher.Hear
		group.Go(func() error { return e.publisher.Run(ctx) })
	}
	if e.options.notes != nil {
		config.Ended = e.options.notes.Ended
	}
	pool := replicas.New(config)
	var handlers []http.Handler
	for i, of := range e.config.Pools {
		for range of.Replicas {
			n := len(handlers)
			handlers = append(handlers, e.handler(i, replica{pool, n}))
			fmt.Fprintf(stdout, "%s replica %d: http://%s\n", of.Name, n, e.open[n].Addr())
			warnOfAddress(stderr, e.open[n].Addr())
		}
	}
	group.Go(func() error { return pool.Run(ctx) })
	group.Go(func() error { return ports.Serve(ctx, e.open, handlers, e.options.limits) })
	return group.Wait()
}

// handler is the server of a replica of a pool, with what it notes of a rehearsal, if it does, beside its paths.
func (e *engines) handler(pool int, r replica) http.Handler {
	server, notes := e.servers[pool], e.options.notes
	if notes != nil {
		server.Scraped = func(m *replicas.Metrics) { notes.Scraped(r.number, time.Now(), m) }
	}
	paths := vllm.New(server, r)
	if !e.options.rehearsal {
		return paths
	}
	mux := http.NewServeMux()
	mux.Handle("/", paths)
	mux.HandleFunc("POST "+recordPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(notes.Take(r.number)) // the client may be gone
	})
	mux.HandleFunc("GET "+readersPath, func(w http.ResponseWriter, r *http.Request) {
		if err := awaitReaders(r.Context(), e.publisher); err != nil {
			http.Error(w, err.Error(), http.StatusGatewayTimeout)
		}
	})
	return mux
}

// replica is one of a pool's.
type replica struct {
	pool   *replicas.Pool
	number int
}

// Submit implements [vllm.Engine].
func (r replica) Submit(of replicas.Request) (*replicas.Stream, error) {
	return r.pool.Submit(r.number, of)
}

// Metrics implements [vllm.Engine].
func (r replica) Metrics() replicas.Metrics { return r.pool.Metrics(r.number) }

// Lateness implements [vllm.Engine].
func (r replica) Lateness() prometheus.Histogram { return r.pool.Lateness() }

// recordPath is where a replica gives what it noted of a rehearsal since it was asked before, and readersPath where it
// answers when the KV events of all replicas have a reader.
const (
	recordPath  = "/rehearsal"
	readersPath = recordPath + "/readers"
)

// mostNotes is how many notes a replica keeps until it is asked for them: those of an hour, of an EPP that reads its
// metrics 20 times a second.
const mostNotes = 80_000

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
