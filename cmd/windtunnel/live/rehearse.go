// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/live/rehearse"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// rehearseOptions are the flags of rehearse.
type rehearseOptions struct {
	engine engineOptions
	load   loadOptions
	// binary is the file of the EPP, or an image of it.
	binary  string
	cluster cluster.Options
	// args are more flags of the EPP.
	args []string
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
	registerRun(cmd, &o.engine.scenario.local)
	f := cmd.Flags()
	f.StringVar(&o.binary, "epp", "", "program of the EPP, or its image with a tag or a digest, which runs on a cluster")
	o.cluster.Register(cmd)
	f.StringArrayVar(&o.args, "epp-arg", nil, "more `FLAG` of the EPP behind those of the run's execution.live.args, such as --epp-arg=--allow-experimental-plugins; may be repeated")
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
	config, loaded, err := o.picker(pools.run.Plan)
	if err != nil {
		return err
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
	live, err := o.recording(m, pools.replicas(), func() (*recording, error) { return o.onThisMachine(ctx, pools, config, m, stderr) })
	if err != nil {
		return err
	}
	r, err := live.compare(ctx, m, o.limits, "")
	if err != nil {
		return err
	}
	r.EPPConfig = o.config
	return r.print(stdout, o.output)
}

// recording returns what was live: read from --recorded, or of a rehearsal now, which it writes to --record. A file that
// cannot be written is an error before anything starts.
func (o *rehearseOptions) recording(m *measurement, replicas int, now func() (*recording, error)) (r *recording, err error) {
	switch {
	case o.recorded != "":
		return readRecording(o.recorded, m, replicas)
	case o.record == "":
		return now()
	}
	began := false
	err = cli.WriteWhole(o.record, func(w io.Writer) error {
		began = true
		if r, err = now(); err != nil {
			return err
		}
		return r.write(w)
	})
	if !began {
		err = cli.BadInput(fmt.Errorf("--record: %w", err))
	}
	return r, err
}

// check refuses values of flags.
func (o *rehearseOptions) check() error {
	var faults cli.Faults
	if o.recorded == "" {
		faults.If(o.binary == "", "the program of the EPP is required: --epp BINARY")
		_, err := os.Stat(o.binary)
		faults.If(o.binary != "" && err != nil, "--epp: %v; an image is named with its tag or digest", err)
	} else {
		faults.If(o.binary != "" || o.record != "" || len(o.args) > 0, "--recorded is in place of --epp, --epp-arg and --record")
		faults.If(o.speed != 1 || o.load.log != "", "--recorded sends nothing: leave out --speed and --log")
	}
	if errs := compile.CheckPickerArgs(o.args, field.NewPath("--epp-arg")); len(errs) > 0 {
		faults = append(faults, errs.ToAggregate())
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
