// SPDX-License-Identifier: Apache-2.0

// Package compare is the verb compare: the difference of two runs, EPP configurations or results, and its
// verdict.
package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/cmd/windtunnel/results"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/result"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	local.Options
	cluster  cluster.Options
	scenario string
	gates    gateOptions
	// log is the file of --log, and replayed what it says; nil without one.
	log      string
	replayed *replayedLog
}

// Output is what `compare -o json` prints.
type Output struct {
	Contrast *result.Contrast `json:"contrast"`
	// StepTimes say what the step times of A and of B rest on; of results that do
	// not say, nothing.
	StepTimes [2][]string `json:"stepTimes"`
	// Change says how far what tells B from A was exercised.
	Change *result.Change `json:"change,omitempty"`
	// Gates and Verdict are there where gates are stated.
	Gates   []result.GateResult `json:"gates,omitempty"`
	Verdict string              `json:"verdict,omitempty"`
	// Replay is there where both sides replay a log.
	Replay *Replay `json:"replay,omitempty"`
	// Requests is there where both sides were simulated.
	Requests *requestContrast `json:"requests,omitempty"`
}

// side is one of the two that are compared.
type side struct {
	name      string
	rows      []result.Row
	stepTimes []string
	// scenario is nil where rows were read.
	scenario experiment.Tree
	// requests are those that completed, by row; nil where rows were read.
	requests requestLogs
}

// NewCommand is the verb compare.
func NewCommand() *cobra.Command {
	o := compareOptions{cluster: cluster.Options{Instead: ", or name two files"}}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two runs, EPP configurations or results, and judge the second by gates",
		Long: `Compare B with A under the same seeds, and judge B by gates.

Reads A and B, which are each
  - the output of run or sweep -o json; FILE#3 is point 3 of a sweep
  - a manifest with one SimulationRun, or with --scenario an EPP configuration, to simulate
  - an object of a cluster that has results: NAME, TYPE/NAME or NAME#3
  - a Benchmark Report v0.2 of llm-d-benchmark

Writes the verdict, then each metric that differs, the most certain first, with its
significance after Holm's correction, and the requests that became slower if both sides are
simulated. Against a Benchmark Report, it says which measured values a simulation predicts.

With --log, A and B replay real requests: what would B have done with yesterday? How far A
is from what was measured then is the error that a difference of B has to exceed.

Gates come from the manifest of --scenario and from --gate. A signed percentage is a change
from A: 'ttft.p99<=+5%' lets B be worse by 5 % at most.

Exit codes: 0 all gates pass, or there are none, 1 a gate fails or no request completed,
2 invalid input, 3 undecided: more seeds are needed, or the simulations exercise nothing of
what tells B from A.`,
		Example: `  windtunnel compare before.json after.json
  windtunnel compare epp-old.yaml epp-new.yaml --scenario run.yaml --gate 'ttft.p99<=+5%'
  windtunnel compare epp-old.yaml epp-new.yaml --scenario run.yaml --log access.jsonl
  windtunnel compare my-sweep#0 my-sweep#3 -n experiments`,
		Args: cli.Arguments(2, 2, "needs two files or objects, A and B"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.compare(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	o.Register(cmd)
	o.cluster.Register(cmd)
	cmd.ValidArgsFunction = o.cluster.CompleteObjects("", 2, true)
	f := cmd.Flags()
	f.StringVar(&o.scenario, "scenario", "", "manifest with a SimulationRun or a PolicySweep; its scenario is used to simulate the EPP configurations A and B")
	f.StringVar(&o.log, "log", "", "log of real requests and how they were served, such as a gateway's access log or vLLM's spans; A and B replay it in place of their own traffic, and the error of A on it is printed")
	o.gates.register(f)
	for _, hidden := range []string{"filename", "name"} {
		_ = f.MarkHidden(hidden) // they are there
	}
	return cmd
}

func (o *compareOptions) compare(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(o.Files) > 0 {
		return cli.BadInput(errors.New("compare has no -f: name A and B as arguments"))
	}
	if err := o.checkCluster(args); err != nil {
		return err
	}
	var err error
	if o.replayed, err = o.readLog(); err != nil {
		return err
	}
	asked, err := o.scenarioRequest(stdin)
	if err != nil {
		return err
	}
	if err := o.gates.read(asked.gates, asked.metrics); err != nil {
		return err
	}
	reports, some, err := benchmarkSides(args)
	if err != nil {
		return err
	}
	if some && o.replayed != nil {
		return cli.BadInput(errors.New("--log needs two sides to simulate, and a Benchmark Report is measured"))
	}
	if some {
		if err := o.checkMeasured(); err != nil {
			return err
		}
	}
	sides, err := o.sides(ctx, args, reports, stdin)
	if err != nil {
		return err
	}
	if some {
		return o.printMeasured(stdout, contrastMeasured(args, reports, sides), sides)
	}
	contrast, err := result.NewContrast([2]string{sides[0].name, sides[1].name}, sides[0].rows, sides[1].rows, nil)
	if err != nil {
		return cli.BadInput(err)
	}
	contrast.PutFirst(slices.Concat(o.gates.measures(), asked.objectives))
	out := Output{
		Contrast:  contrast,
		StepTimes: [2][]string{sides[0].stepTimes, sides[1].stepTimes},
		Requests:  contrastRequests(sides),
	}
	if o.replayed != nil {
		out.Replay = o.replayed.contrast(sides)
	}
	judged, change, err := o.gates.verdict(sides)
	if err != nil {
		return err
	}
	out.Change = change
	if judged != nil {
		out.Gates, out.Verdict = judged.Results, sentence(judged, change, contrast)
	}
	if err := o.gates.writeReport(contrast, judged, change, sides); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	ends := checkBothServed(sides)
	if judged != nil {
		ends = cli.MoreSevere(ends, cli.CheckPassed("compare", &judged.Verdict))
	}
	if judged == nil && change.Unexercised != "" {
		ends = cli.MoreSevere(ends, cli.NotPassed("compare", unexercised(change)))
	}
	if o.Output != cli.Table {
		return errors.Join(o.Output.Write(stdout, out), ends)
	}
	served := checkBothServed(sides)
	if served != nil {
		fmt.Fprintf(stdout, "%v.\n\n", served)
	}
	fmt.Fprintf(stdout, "verdict: %s\n\n", sentence(judged, change, contrast))
	if change.Unexercised == "" {
		fmt.Fprintf(stdout, "decisions: %s\n\n", change)
	}
	if out.Replay != nil {
		if err := out.Replay.table(stdout); err != nil {
			return err
		}
	}
	if err := o.Legend.Table(stdout, report.Contrast(contrast)); err != nil {
		return err
	}
	printStepTimesOf(stdout, sides)
	if !contrast.Same() {
		if err := out.Requests.table(stdout); err != nil {
			return err
		}
	}
	local.PrintGates(stdout, judged)
	o.Legend.End(stdout)
	if served == nil && ends != nil {
		return cli.Reported(ends)
	}
	return ends
}

// sides gets the rows of A and B; nil of those that are reports.
func (o *compareOptions) sides(ctx context.Context, args []string, reports [2]*benchmark.Report, stdin io.Reader) ([2]*side, error) {
	var sides [2]*side
	var work [2]func() (*side, error)
	for i, name := range args {
		if reports[i] != nil {
			continue
		}
		do, err := o.side(ctx, name, stdin)
		if err != nil {
			return sides, err
		}
		work[i] = do
	}
	for i, do := range work {
		if do == nil {
			continue
		}
		s, err := do()
		if err != nil {
			return sides, err
		}
		sides[i] = s
	}
	return sides, nil
}

// checkBothServed says of which side no request completed.
func checkBothServed(sides [2]*side) error {
	var errs []error
	for _, s := range sides {
		errs = append(errs, cli.CheckServed(s.name, s.rows, nil))
	}
	return errors.Join(errs...)
}

// side finds out what a file is, and returns what gets its rows: nothing is
// simulated before both files are known to be right.
func (o *compareOptions) side(ctx context.Context, name string, stdin io.Reader) (func() (*side, error), error) {
	file, point, err := splitPointSuffix(name)
	if err != nil {
		return nil, err
	}
	if o.isObject(file) {
		if o.replayed != nil {
			return nil, cli.BadInput(fmt.Errorf("%s is an object of a cluster: --log needs two manifests or EPP configurations to simulate", name))
		}
		return o.clusterSide(ctx, name, file, point)
	}
	if set, err := results.ReadFile(file); err == nil {
		if o.replayed != nil {
			return nil, cli.BadInput(fmt.Errorf("%s has results: --log needs two manifests or EPP configurations to simulate", name))
		}
		if names := set.Objects(); len(names) > 1 {
			return nil, cli.BadInput(fmt.Errorf("%s has results of several objects (%s); compare needs a file with one", file, strings.Join(names, ", ")))
		}
		rows := set.Rows
		if point >= 0 {
			rows = slices.DeleteFunc(rows, func(r result.Row) bool { return r.Point != point })
		}
		return func() (*side, error) { return &side{name: name, rows: rows, stepTimes: set.StepTimes}, nil }, nil
	} else if point >= 0 {
		return nil, err
	}
	run, err := o.compiledSide(ctx, name, stdin)
	if err != nil {
		return nil, err
	}
	return func() (*side, error) { return o.simulated(ctx, name, run) }, nil
}

// splitPointSuffix divides FILE#POINT; the point is -1 without a suffix.
func splitPointSuffix(name string) (file string, point int, err error) {
	file, text, found := strings.Cut(name, "#")
	if !found {
		return name, -1, nil
	}
	point, err = strconv.Atoi(text)
	if err != nil || point < 0 {
		return "", 0, cli.BadInput(fmt.Errorf("%s: after # a file name must have the number of a point", name))
	}
	return file, point, nil
}

// eppNeedScenario is the hint for who names EPP configurations alone.
const eppNeedScenario = "(to compare EPP configurations, name the manifest of a SimulationRun with --scenario)"

// compiledSide is the run of a manifest, or the scenario's with the file's EPP
// configuration.
func (o *compareOptions) compiledSide(ctx context.Context, name string, stdin io.Reader) (*local.Run, error) {
	flags := o.Options
	flags.Files = []string{name}
	if o.scenario != "" {
		flags.Files = []string{o.scenario}
	}
	set, err := flags.Load(stdin)
	if err != nil && o.scenario == "" {
		return nil, fmt.Errorf("%w\n%s", err, eppNeedScenario)
	}
	if err != nil {
		return nil, err
	}
	if o.scenario != "" && len(set.Runs) == 0 && len(set.Sweeps) == 1 {
		set.Runs = []*v1alpha1.SimulationRun{sweepAsRun(set.Sweeps[0])}
	}
	if len(set.Runs) == 0 && o.scenario == "" {
		return nil, cli.BadInput(fmt.Errorf("%s has no SimulationRun; for a PolicySweep, compare the output of sweep -o json\n%s", name, eppNeedScenario))
	}
	if len(set.Runs) != 1 {
		return nil, cli.BadInput(fmt.Errorf("%s has %d SimulationRuns, but compare needs one; for a PolicySweep, compare the output of sweep -o json", flags.Files[0], len(set.Runs)))
	}
	run := set.Runs[0]
	if o.scenario != "" {
		if err := local.WithPicker(run, name, stdin); err != nil {
			return nil, err
		}
	}
	if o.replayed != nil {
		o.replayed.replayIn(run)
	}
	return o.compileRun(ctx, &flags, set, run, name)
}

// sweepAsRun is a run of a sweep's scenario, under its seeds.
func sweepAsRun(sweep *v1alpha1.PolicySweep) *v1alpha1.SimulationRun {
	run := &v1alpha1.SimulationRun{TypeMeta: sweep.TypeMeta, ObjectMeta: sweep.ObjectMeta}
	run.Spec.Scenario, run.Spec.Replications, run.Spec.Metrics = sweep.Spec.Scenario, sweep.Spec.Replications, sweep.Spec.Metrics
	return run
}

// compareRequest is what a scenario's manifest asks of results.
type compareRequest struct {
	gates   []v1alpha1.Gate
	metrics []v1alpha1.DerivedMetric
	// objectives are the metrics of a sweep's, in its order.
	objectives []string
}

// scenarioRequest returns what the manifest of --scenario requests.
func (o *compareOptions) scenarioRequest(stdin io.Reader) (compareRequest, error) {
	if o.scenario == "" || o.scenario == "-" {
		return compareRequest{}, nil
	}
	flags := o.Options
	flags.Files = []string{o.scenario}
	set, err := flags.Load(stdin)
	if err != nil {
		return compareRequest{}, err
	}
	switch {
	case len(set.Runs) == 1:
		of := compareRequest{metrics: set.Runs[0].Spec.Metrics}
		for _, g := range set.Runs[0].Spec.Gates {
			of.gates = append(of.gates, g.Gate())
		}
		return of, nil
	case len(set.Runs) == 0 && len(set.Sweeps) == 1:
		spec := &set.Sweeps[0].Spec
		of := compareRequest{gates: spec.Gates, metrics: spec.Metrics}
		for _, objective := range spec.Objectives {
			of.objectives = append(of.objectives, objective.Metric)
		}
		return of, nil
	}
	return compareRequest{}, cli.BadInput(fmt.Errorf("%s has %d SimulationRuns and %d PolicySweeps; --scenario takes a manifest with one object", o.scenario, len(set.Runs), len(set.Sweeps)))
}

// compileRun compiles the run of one side, which has the EPP configuration of a file if there is a scenario.
func (o *compareOptions) compileRun(ctx context.Context, flags *local.Options, set *manifest.Set, run *v1alpha1.SimulationRun, file string) (*local.Run, error) {
	gates := o.gates.gates
	if o.scenario == "" {
		// What a run's own gates name is measured, whatever B is held to.
		for _, g := range run.Spec.Gates {
			gates = append(slices.Clip(gates), g.Gate())
		}
	}
	c, errs, err := compile.Compared(ctx, run, gates, flags.Inputs(set, run))
	errs = o.gates.withFlagPaths(errs)
	if o.scenario != "" {
		local.NameFile(errs, local.PickerPath+".inline", file)
	}
	if err := local.CompiledFrom(set, run, errs, err); err != nil {
		return nil, err
	}
	return &local.Run{SimulationRun: run, Compiled: c}, nil
}

// simulated runs one side and looks at each request.
func (o *compareOptions) simulated(ctx context.Context, name string, run *local.Run) (*side, error) {
	var seen requestLogs
	conducted, err := o.Execute(ctx, name, run.Compiled, local.Executor{Began: seen.grow, Requests: seen.open})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &side{name: name, rows: conducted.Rows(), stepTimes: run.Plan.StepTimes, scenario: run.Plan.Scenario, requests: seen}, nil
}

// printStepTimesOf says what the step times of two sides rest on, once where it
// is the same.
func printStepTimesOf(w io.Writer, sides [2]*side) {
	if slices.Equal(sides[0].stepTimes, sides[1].stepTimes) {
		local.PrintStepTimes(w, sides[0].stepTimes)
		return
	}
	for _, s := range sides {
		for _, text := range s.stepTimes {
			fmt.Fprintf(w, "Step times in %s: %s.\n", s.name, text)
		}
	}
}
