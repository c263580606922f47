// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/live/ports"
	"windtunnel.dev/windtunnel/pkg/live/rehearse"
	"windtunnel.dev/windtunnel/pkg/live/tokens"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// rehearseOptions are the flags of rehearse.
type rehearseOptions struct {
	engine engineOptions
	times  rehearse.EngineTimes
	load   loadOptions
	// binary is the file of the EPP, or an image of it.
	binary  string
	cluster cluster.Options
	// config is the file of an EndpointPickerConfig for the EPP, in place of the run's.
	config string
	speed  float64
	// record is the file that takes what was live, and recorded one of a rehearsal before; empty for none.
	record, recorded string
	limits           rehearse.Limits
	output           cli.Format
}

// NewRehearseCommand is the verb rehearse.
func NewRehearseCommand() *cobra.Command {
	o := rehearseOptions{output: cli.Table}
	cmd := &cobra.Command{
		Use:   "rehearse -f FILE --epp BINARY|IMAGE",
		Short: "Run a real EPP before simulated replicas, and compare it with the simulation",
		Long: `Start the replicas of a SimulationRun on the loopback interface, and before them the program of an
Endpoint Picker of llm-d with the run's EndpointPickerConfig, without Kubernetes. Send the run's
workload in real time, and simulate the same with the choices of the EPP: each decision is compared
after the same decisions before it, and so are the latencies. docs/rehearse.md describes it.

` + local.ManifestHelp + `

The program cmd/epp of llm-d-router takes its endpoints from a file from v0.9.0 on. It listens on
all addresses of the machine while the rehearsal lasts.

With the image of an EPP, the rehearsal runs on the cluster of the kubeconfig, as a SimulationRun with
spec.execution.live, which is deleted at the end.

Exit codes: 0 all is within the limits, 1 something is not, 2 invalid input.`,
		Example: `  windtunnel rehearse -f config/samples/simulationrun-poisson.yaml --epp bin/epp
  windtunnel rehearse -f run.yaml --epp bin/epp --set horizon.requests=5000 -o json
  windtunnel rehearse -f run.yaml --recorded rehearsal.json.gz`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if isImage(o.binary) {
				return o.onCluster(cmd)
			}
			if err := o.cluster.Unused(); err != nil {
				return err
			}
			if o.config != "" && !cmd.Flags().Changed("decisions") {
				o.limits.Decisions = 0
			}
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.engine.scenario.local.Parallelism = 1
	f := cmd.Flags()
	files := &o.engine.scenario.local
	files.RegisterFiles(f, ", with a SimulationRun (required)")
	files.RegisterInputs(f)
	files.RegisterSettings(cmd)
	f.StringVar(&files.Name, "name", "", "take only the SimulationRun of this name")
	f.StringVar(&o.binary, "epp", "", "program of the EPP, or its image with a tag or a digest, which runs on a cluster")
	o.cluster.Register(cmd)
	f.StringVar(&o.config, "epp-config", "", "`FILE` with the EndpointPickerConfig of the EPP, if it has plugins that Windtunnel does not know; the simulation keeps that of the run, and decisions have no limit unless --decisions states one")
	f.Float64Var(&o.speed, "speed", 1, "how many seconds of the replicas, the load and the EPP pass in a second: below 1, a busy machine is late by less")
	f.StringVar(&o.record, "record", "", "write what the EPP did and what was measured to a `FILE`, for --recorded")
	f.StringVar(&o.recorded, "recorded", "", "compare the rehearsal of a `FILE` with the simulation, in place of a new one: no EPP runs")
	o.load.registerLog(f)
	cli.OutputFlag(f, &o.output, cli.DocumentFormats, "")
	o.limits = rehearse.DefaultLimits()
	f.Float64Var(&o.limits.Decisions, "decisions", o.limits.Decisions, "least share of decisions that are equal or tied")
	f.Float64Var(&o.limits.TTFT, "ttft", o.limits.TTFT, "greatest relative difference of engineTtft.p50 and engineTtft.p99")
	f.Float64Var(&o.limits.TPOT, "tpot", o.limits.TPOT, "greatest relative difference of tpot.mean")
	f.Float64Var(&o.limits.Shares, "shares", o.limits.Shares, "greatest difference of the hit rate, the rejection rate and the completion rate")
	return cmd
}

// rehearsal is what the verb prints.
type rehearsal struct {
	cli.Identity
	Within bool `json:"within"`
	// Moved says how the endpoints changed; decisions are then not compared.
	Moved       string                `json:"moved,omitempty"`
	EPPConfig   string                `json:"eppConfig,omitempty"`
	Limits      rehearse.Limits       `json:"limits"`
	Share       float64               `json:"decisionShare"`
	Decisions   rehearse.Decisions    `json:"decisions"`
	BySimulated rehearse.Decisions    `json:"decisionsBySimulatedMetrics"`
	Figures     []rehearse.Figure     `json:"figures"`
	Differences []rehearse.Difference `json:"differences,omitempty"`
	Client      client                `json:"client"`
}

func (o *rehearseOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	o.setEngine()
	pools, err := o.engine.scenario.load(ctx, stdin)
	if err != nil {
		return err
	}
	if errs := compile.CheckRehearsed(&pools.run.Spec.Scenario, field.NewPath("spec", "scenario")); len(errs) > 0 {
		return cli.BadInput(errs.ToAggregate())
	}
	config, loaded, err := compile.PickerText(pools.run.Plan)
	if err != nil {
		return cli.BadInput(err)
	}
	if o.config != "" {
		if config, err = os.ReadFile(o.config); err != nil {
			return cli.BadInput(fmt.Errorf("--epp-config: %w", err))
		}
		config = compile.UnwrappedPicker(config)
		if loaded, err = eventsOf(config, loaded.Dialect.Name); err != nil {
			return cli.BadInput(fmt.Errorf("--epp-config %s: %w", o.config, err))
		}
	}
	if err := o.engine.publishAsRead(loaded, pools.replicas()); err != nil {
		return err
	}
	m, err := o.load.newMeasurement(pools.run)
	if err != nil {
		return err
	}
	_, m.options.Objective = objectivesOf(pools.priorities)
	warnOfRoles(stderr, pools.scenario)
	r, err := o.recording(ctx, pools, config, m, stderr)
	if err != nil {
		return err
	}
	simulated, err := rehearse.Compare(ctx, m.simulation, r.EPP.Choices, r.EPP.Scrapes)
	if err != nil {
		return err
	}
	return o.print(stdout, o.rehearsed(m.run, r, simulated))
}

// recording returns what the EPP did: read from --recorded, or from a rehearsal, which it writes to --record.
// A file that cannot be written is an error before anything starts.
func (o *rehearseOptions) recording(ctx context.Context, pools pools, config []byte, m *measurement, stderr io.Writer) (r *recording, err error) {
	switch {
	case o.recorded != "":
		return readRecording(o.recorded, pools.replicas())
	case o.record == "":
		return o.rehearse(ctx, pools, config, m, stderr)
	}
	began := false
	err = cli.WriteWhole(o.record, func(w io.Writer) error {
		began = true
		if r, err = o.rehearse(ctx, pools, config, m, stderr); err != nil {
			return err
		}
		return r.write(w)
	})
	if !began {
		err = cli.BadInput(fmt.Errorf("--record: %w", err))
	}
	return r, err
}

// rehearse runs the replicas, the EPP and the load.
func (o *rehearseOptions) rehearse(ctx context.Context, pools pools, config []byte, m *measurement, stderr io.Writer) (*recording, error) {
	open, err := ports.Open(ctx, o.engine.addresses, 0, pools.replicas())
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("listen for the replicas: %w", err))
	}
	defer ports.Close(open)
	if o.binary, err = filepath.Abs(o.binary); err != nil { // so that no other program of this name is found in the PATH
		return nil, err
	}
	choices, scrapes := rehearse.NewChoices(addresses(open)), rehearse.NewScrapes(len(open))
	o.engine.scraped = scrapes.Read
	if err := o.live(ctx, pools, open, config, m, choices, stderr); err != nil {
		return nil, err
	}
	return &recording{rehearse.Recording{Choices: choices, Scrapes: scrapes}, []result.Metrics{o.times.Metrics(), m.row.Metrics}, m.client(&o.load)}, nil
}

// check refuses values of flags.
func (o *rehearseOptions) check() error {
	var faults cli.Faults
	if o.recorded == "" {
		faults.If(o.binary == "", "the program of the EPP is required: --epp BINARY")
		_, err := os.Stat(o.binary)
		faults.If(o.binary != "" && err != nil, "--epp: %v; an image is named with its tag or digest", err)
	} else {
		faults.If(o.binary != "" || o.record != "", "--recorded is in place of --epp and --record")
		faults.If(o.speed != 1 || o.load.log != "", "--recorded sends nothing: leave out --speed and --log")
	}
	faults.If(!(o.speed >= 0.01 && o.speed <= 1), "--speed %v: must be from 0.01 to 1", o.speed)
	l := &o.limits
	faults.If(!(l.Decisions >= 0 && l.Decisions <= 1), "--decisions %v: must be from 0 to 1", l.Decisions)
	faults.If(!(l.TTFT >= 0), "--ttft %v: must be at least 0", l.TTFT)
	faults.If(!(l.TPOT >= 0), "--tpot %v: must be at least 0", l.TPOT)
	faults.If(!(l.Shares >= 0), "--shares %v: must be at least 0", l.Shares)
	if err := faults.Err(); err != nil {
		return err
	}
	return cli.CheckFolders(map[string]string{"--log": o.load.log, "--record": o.record})
}

// simulation makes the input of the simulation that is compared.
func (m *measurement) simulation() (simulator.Config, error) {
	return execute.Config(m.run.Plan, m.run.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: m.seed})
}

// objective names the InferenceObjective of a request, by its priority.
func objective(q *workload.Request) string { return fmt.Sprintf("priority-%d", q.Priority) }

// objectivesOf are the InferenceObjectives of a workload, and what names that of a request; nil where all priorities
// are 0: then a request names its class.
func objectivesOf(priorities map[int]bool) (of map[string]int, name func(*workload.Request) string) {
	if len(priorities) == 0 || len(priorities) == 1 && priorities[0] {
		return nil, nil
	}
	of = map[string]int{}
	for priority := range priorities {
		of[objective(&workload.Request{Priority: priority})] = priority
	}
	return of, objective
}

// warnOfRoles says that no replica computes a prompt for another, if some should.
func warnOfRoles(stderr io.Writer, pools []v1alpha1.Pool) {
	for i := range pools {
		if pools[i].Role == v1alpha1.DecodeRole {
			fmt.Fprintf(stderr, "warning: spec.scenario.pools[%d].role: a rehearsal has no sidecar of llm-d: the replica that decodes computes the prompt too, and latencies differ from those of the simulation\n", i)
			return
		}
	}
}

// setEngine sets what the flags of engine and load would.
func (o *rehearseOptions) setEngine() {
	e := &o.engine
	e.speed, e.maxLateness, e.addresses = o.speed, time.Second, []string{"127.0.0.1"}
	e.limits = ports.Limits{Connections: 4096, HeadTimeout: cli.HeadTimeout, IdleTimeout: 5 * time.Minute}
	e.server.PromptDetails, e.server.Tokenizer = true, tokens.Bytes4{}
	e.submitted = o.times.Submitted
	e.server.Limits = defaultServerLimits()
	o.load.api, o.load.speed, o.load.seed = string(load.Completions), o.speed, -1
}

// live runs the replicas, the EPP and the load until the last request has ended.
func (o *rehearseOptions) live(ctx context.Context, pools pools, open []net.Listener, config []byte, m *measurement, choices *rehearse.Choices, stderr io.Writer) error {
	versions, err := o.engine.versions(pools)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "windtunnel-rehearse-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // nothing of the result is there
	group, groupCtx := errgroup.WithContext(ctx)
	served, stop := context.WithCancel(groupCtx)
	servers := o.engine.servers(pools, versions)
	objectives, _ := objectivesOf(pools.priorities)
	publisher, err := o.engine.publisher(served, pools, servers, open)
	if err != nil {
		stop()
		return err
	}
	group.Go(func() error {
		return o.engine.serve(served, pools, servers, open, publisher, io.Discard, stderr)
	})
	group.Go(func() error {
		defer stop()
		p, err := epp.Start(groupCtx, epp.Options{
			Binary: o.binary, Args: epp.KnownFlags(groupCtx, o.binary), Config: config, Endpoints: endpointsOf(pools, open),
			Objectives: objectives, Renderer: "http://" + open[0].Addr().String(), Folder: folder,
			Refresh: pools.run.Spec.Scenario.Router.MetricsRefreshInterval.Duration(), Speed: o.speed,
		})
		if err != nil {
			return cli.BadInput(err)
		}
		defer p.Stop()
		running, cancel := whileRuns(groupCtx, p)
		defer cancel()
		if err := awaitReaders(running, publisher); err != nil {
			return cli.BadInput(err)
		}
		o.load.epp = p.Address
		m.began = func(start time.Time) { choices.Start, choices.Speed = start, o.speed }
		m.heard = func(e *load.Outcome) { o.hear(m, choices, e) }
		if err := m.send(running, &o.load); err != nil {
			return err
		}
		p.Stop() // which tells the last moments
		choices.SetMoments(momentsOf(p, m.seed))
		return nil
	})
	return group.Wait()
}

// hear takes a request that has ended.
func (o *rehearseOptions) hear(m *measurement, choices *rehearse.Choices, e *load.Outcome) {
	choices.Add(e)
	if e.Measured {
		o.times.Measure(load.RequestID(m.seed, e.ID))
	}
}

// whileRuns is a context that ends with the EPP at the latest.
func whileRuns(ctx context.Context, p *epp.Process) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.Over():
			cancel(cli.BadInput(p.Ended()))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// momentsOf are what an EPP that has ended told of the requests of a seed.
func momentsOf(p *epp.Process, seed int64) func(request int) (chosen, ended time.Time) {
	told := p.Moments.ByRequest()
	return func(request int) (chosen, ended time.Time) {
		of := told[load.RequestID(seed, request)]
		return of.Chosen, of.Ended
	}
}

func addresses(open []net.Listener) []string {
	var all []string
	for _, l := range open {
		all = append(all, l.Addr().String())
	}
	return all
}

// endpointsOf are the replicas as the EPP finds them.
func endpointsOf(pools pools, open []net.Listener) []epp.Endpoint {
	var all []epp.Endpoint
	for i := range pools.config.Pools {
		pool := &pools.config.Pools[i]
		for _, name := range pool.EndpointNames() {
			e := epp.Endpoint{Name: strings.ReplaceAll(name, "/", "-"), Address: netip.MustParseAddrPort(open[len(all)].Addr().String())}
			if role := pools.scenario[i].Role; role != "" {
				e.Labels = map[string]string{"llm-d.ai/role": strings.ToLower(string(role))}
			}
			all = append(all, e)
		}
	}
	return all
}

// rehearsed holds a run against its simulations.
func (o *rehearseOptions) rehearsed(run local.Run, live *recording, s *rehearse.Simulated) *rehearsal {
	r := &rehearsal{
		Identity: cli.Identify(run.TypeMeta, run.ObjectMeta), EPPConfig: o.config, Limits: o.limits, Share: s.Decisions.Share(), Decisions: s.Decisions, BySimulated: s.BySimulated,
		Figures: rehearse.Figures(s, o.limits, live.Metrics...), Differences: s.Differences, Client: live.Client,
	}
	r.Within = r.Share >= o.limits.Decisions
	for _, f := range r.Figures {
		r.Within = r.Within && f.Within
	}
	return r
}

func (o *rehearseOptions) print(w io.Writer, r *rehearsal) error {
	if err := o.write(w, r); err != nil || r.Within {
		return err
	}
	return errors.New("the rehearsal is not within the limits")
}

func (o *rehearseOptions) write(w io.Writer, r *rehearsal) error {
	if o.output != cli.Table {
		return o.output.Write(w, r)
	}
	fmt.Fprintf(w, "SimulationRun %s\n\n", r.Metadata.Name)
	r.writeDecisions(w)
	if err := writeFigures(w, r.Figures); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nsimulated is with the EPP's choices, by itself without them. %d requests were sent, p50 %.2f ms and p99 %.2f ms after their times.\n",
		r.Client.Sent, r.Client.LateP50Millis, r.Client.LateP99Millis)
	for _, x := range r.Differences[:min(len(r.Differences), 3)] {
		fmt.Fprintf(w, "request %d at %.3f s: the EPP chose endpoint %d%s, the simulation %d%s\n", x.Request, x.AtSeconds, x.Live, scores(x.LiveScores), x.Simulated, scores(x.Scores))
	}
	return nil
}

func (r *rehearsal) writeDecisions(w io.Writer) {
	if r.Moved != "" {
		fmt.Fprintf(w, "decisions are not compared, as the number of replicas changed: %s\n\n", r.Moved)
		return
	}
	d, least := &r.Decisions, "no limit"
	if r.Limits.Decisions > 0 {
		least = fmt.Sprintf("at least %.2f %%", 100*r.Limits.Decisions)
	}
	fmt.Fprintf(w, "decisions: %.2f %% equal or tied (%s): %d equal, %d tied, %d different, %d without an endpoint on one side, %d asked on one side\n",
		100*r.Share, least, d.Equal, d.Tied, d.Different, d.NotRouted, d.OneSided)
	if r.EPPConfig != "" {
		fmt.Fprintf(w, "The EPP has the configuration %s, and the simulation that of the run: decisions also differ because of this.\n", r.EPPConfig)
	}
	fmt.Fprintf(w, "with metrics of replicas that were scraped at the simulation's moments: %.2f %%\n\n", 100*r.BySimulated.Share())
}

// scores are those of endpoints in words; nothing where there are none.
func scores(of map[int]float64) string {
	if len(of) == 0 {
		return ""
	}
	var each []string
	for _, endpoint := range slices.Sorted(maps.Keys(of)) {
		each = append(each, fmt.Sprintf("%d: %s", endpoint, figure.Fixed(of[endpoint], 3)))
	}
	return " (" + strings.Join(each, ", ") + ")"
}

func writeFigures(w io.Writer, figures []rehearse.Figure) error {
	if len(figures) == 0 {
		_, err := fmt.Fprintln(w, "No request was measured behind the warm-up.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "metric\tlive\tsimulated\tapart\tlimit\tby itself\t\t")
	for _, f := range figures {
		limit, within := "none", ""
		if f.Limit != nil {
			limit = fmt.Sprintf("%.1f %%", 100**f.Limit)
		}
		if !f.Within {
			within = "over the limit"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.1f %%\t%s\t%s\t%s\t\n", f.Metric, number(f.Live), number(f.Simulated), 100*f.Apart, limit, number(f.Own), within)
	}
	return table.Flush()
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', 4, 64) }
