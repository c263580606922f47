// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/cmd/windtunnel/start"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/starter"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// sizeOptions are the flags of size.
type sizeOptions struct {
	sweep sweepOptions
	// first makes a scenario where none is given.
	first start.InitOptions
	size  starter.SizeOptions
	slos  []string
	// headroom is that of size, and made says which flags make a scenario.
	headroom string
	made     []string
	// print is whether the sweep is printed and not simulated.
	print bool
}

// flagsOfFirst are those that make a scenario.
var flagsOfFirst = []string{"trace", "preset", "rate", "model", "accelerator", "epp", "epp-version"}

// NewSizeCommand is the verb size.
func NewSizeCommand() *cobra.Command {
	o := sizeOptions{first: start.NewInitOptions(), size: starter.SizeOptions{MaxReplicas: 64}}
	o.first.Output, o.first.Replicas = "-", 1
	cmd := &cobra.Command{
		Use:   "size {-f FILE | --trace FILE | --preset NAME --rate N} --slo METRIC=BOUND",
		Short: "Find the smallest pool that meets the SLOs at your load",
		Long: `Find the smallest pool that meets the SLOs at your load, how much more load it can take, and
how many replicas may fail.

Reads a manifest (-f), or makes a scenario of a trace or a preset and the flags of init. The
load is the trace as recorded, or the rate of the clients.

Writes the sizes that were tried, and the smallest that suffices: one replica less does not.
A pool meets an SLO if all seeds together show it with a confidence of 95 %. If they do not
decide, the command takes up to four times as many seeds. --print writes a PolicySweep that
does the same on a cluster.

Exit codes: 0 a pool suffices, 1 no pool suffices, 2 invalid input, 3 undecided for every pool.`,
		Example: `  windtunnel size --preset Chatbot --rate 40 --accelerator a100-80gb --slo goodput=99%
  windtunnel size -f scenario.yaml --slo ttft.p99=500ms --slo tpot.p99=30ms --headroom 30% --survive 1
  windtunnel size --trace gateway.csv --csv time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion --slo ttft.p99=500ms`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range flagsOfFirst {
				if cmd.Flags().Changed(name) {
					o.made = append(o.made, name)
				}
			}
			return o.run(cmd)
		},
	}
	o.sweep.Register(cmd)
	o.sweep.RegisterSettings(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.slos, "slo", nil, "`METRIC=BOUND` that the pool must meet, such as ttft.p99=500ms or goodput=95%; may be repeated (default: the gates of the run)")
	f.StringVar(&o.headroom, "headroom", "", "how much more load the pool must bear, such as 30%")
	f.IntVar(&o.size.Survive, "survive", 0, "number of replicas that may fail: without them, the pool still meets the SLOs")
	f.IntVar(&o.size.MaxReplicas, "max-replicas", o.size.MaxReplicas, "greatest number of replicas to try")
	f.StringVar(&o.size.Pool, "pool", "", "pool to size (default: the only one)")
	f.StringVar(&o.size.Load, "load", "", "path of the rate to raise, such as workload.clients[chat].arrivals.rate (default: the only one)")
	f.BoolVar(&o.print, "print", false, "simulate nothing; print the PolicySweep that gives the same answer, for a file next to the scenario")
	f.StringVar(&o.sweep.report, "report", "", "file to write a report to; a page with charts if it ends in .html, else Markdown")
	o.first.RegisterScenario(f)
	return cmd
}

func (o *sizeOptions) run(cmd *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
	ctx, stdout := cmd.Context(), cmd.OutOrStdout()
	set, run, err := o.scenario(ctx, cmd.InOrStdin(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if _, errs, err := compile.Run(ctx, run, o.sweep.Inputs(set, run), o.sweep.Settings...); err != nil || len(errs) > 0 {
		return local.CompiledFrom(set, run, errs, err)
	}
	if o.size.Constraints, err = o.constraints(run); err != nil {
		return err
	}
	sweep, errs := starter.Size(run, &o.size)
	if len(errs) > 0 {
		return local.CompiledFrom(set, run, errs, nil)
	}
	made := sweep
	if set, err = asRead(sweep, set.FileOf(run), set.ConfigMaps); err != nil {
		return err
	}
	sweep = set.Sweeps[0]
	c, errs, err := compile.Sweep(ctx, sweep, o.sweep.Inputs(set, sweep), o.sweep.Settings...)
	if err := local.Compiled("size of", run.Name, o.withFlags(errs), err); err != nil {
		return err
	}
	if o.print {
		return printSweep(stdout, made, set.ConfigMaps)
	}
	return o.answer(ctx, local.Sweep{PolicySweep: sweep, Compiled: c, Named: sweep.Name}, stdout, cmd.ErrOrStderr())
}

// check refuses flags that do not go together, and numbers that are none.
func (o *sizeOptions) check() error {
	var faults cli.Faults
	file := len(o.sweep.Files) > 0
	faults.If(file && len(o.made) > 0, "-f FILE has a scenario of its own: use it without --%s", strings.Join(o.made, " and --"))
	faults.If(!file && !slices.Contains(o.made, "trace") && !slices.Contains(o.made, "preset"), "a scenario is required: -f FILE, --trace FILE, or --preset NAME --rate N")
	faults.If(slices.Contains(o.made, "preset") && !slices.Contains(o.made, "rate"), "--preset needs --rate: the requests a second that the pool has to bear")
	faults.If(o.size.Survive < 0, "--survive must not be negative")
	faults.If(o.size.MaxReplicas < 1 || o.size.MaxReplicas > 16384, "--max-replicas must be from 1 to 16384")
	faults.If(o.size.Survive >= o.size.MaxReplicas, "--survive %d: must be less than --max-replicas, which is %d", o.size.Survive, o.size.MaxReplicas)
	percent := strings.TrimSuffix(o.headroom, "%")
	faults.If(o.headroom != "" && (percent == o.headroom || !isPositiveDecimal(percent)), "--headroom %q: must be a percentage greater than 0, such as 30%%", o.headroom)
	faults.If(len(o.slos) == 0 && !file, "an SLO is required, such as --slo ttft.p99=500ms")
	o.size.Headroom = v1alpha1.Percentage(o.headroom)
	if err := faults.Err(); err != nil {
		return err
	}
	return cli.CheckFolders(map[string]string{"--report": o.sweep.report})
}

// isPositiveDecimal says whether a text is a number as the API has them, above 0.
func isPositiveDecimal(text string) bool {
	for _, r := range text {
		if (r < '0' || r > '9') && r != '.' {
			return false
		}
	}
	return v1alpha1.PositiveDecimal(text).Float() > 0
}

// scenario is the run whose pool is sized: of a file, or made of the flags.
func (o *sizeOptions) scenario(ctx context.Context, stdin io.Reader, stderr io.Writer) (*manifest.Set, *v1alpha1.SimulationRun, error) {
	if len(o.sweep.Files) > 0 {
		return o.given(stdin)
	}
	text, err := o.first.Write(ctx, stderr)
	if err != nil {
		return nil, nil, err
	}
	set, err := manifest.Read(bytes.NewReader(text), local.StandardInput)
	if err != nil {
		return nil, nil, cli.BadInput(err)
	}
	return set, set.Runs[0], nil
}

// given is the run of the files, or one of the scenario of their PolicySweep.
func (o *sizeOptions) given(stdin io.Reader) (*manifest.Set, *v1alpha1.SimulationRun, error) {
	set, err := o.sweep.Load(stdin)
	if err != nil {
		return nil, nil, err
	}
	runs := selected(set.Runs, o.sweep.Name)
	sweeps := selected(set.Sweeps, o.sweep.Name)
	switch {
	case len(runs) == 1:
		return set, runs[0], nil
	case len(runs) == 0 && len(sweeps) == 1:
		run := &v1alpha1.SimulationRun{
			TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SimulationRunKind},
			ObjectMeta: metav1.ObjectMeta{Name: sweeps[0].Name, Namespace: sweeps[0].Namespace},
			Spec:       v1alpha1.SimulationRunSpec{Scenario: sweeps[0].Spec.Scenario, Replications: sweeps[0].Spec.Replications, Metrics: sweeps[0].Spec.Metrics},
		}
		set, err = asRead(run, set.FileOf(sweeps[0]), set.ConfigMaps)
		if err != nil {
			return nil, nil, err
		}
		return set, set.Runs[0], nil
	case len(runs)+len(sweeps) == 0:
		return nil, nil, o.sweep.NothingFound(set, v1alpha1.SimulationRunKind)
	default:
		return nil, nil, cli.BadInput(fmt.Errorf("size is about one scenario, but there are %d objects: select one with --name", len(runs)+len(sweeps)))
	}
}

// selected are the objects of a name; all where it is empty.
func selected[T manifest.Object](objects []T, name string) []T {
	return slices.DeleteFunc(slices.Clone(objects), func(o T) bool { return name != "" && o.GetName() != name })
}

// constraints are the SLOs of the flags, or the bounds of the run's gates.
func (o *sizeOptions) constraints(run *v1alpha1.SimulationRun) ([]v1alpha1.Constraint, error) {
	var all []v1alpha1.Constraint
	if len(o.slos) == 0 {
		for i := range run.Spec.Gates {
			if g := run.Spec.Gates[i].Gate(); g.Value != "" {
				all = append(all, v1alpha1.Constraint{Metric: g.Metric, Operator: g.Operator, Value: g.Value})
			}
		}
		if len(all) == 0 {
			return nil, cli.BadInput(errors.New("an SLO is required, such as --slo ttft.p99=500ms: the run has no gates that state one"))
		}
	}
	for _, text := range o.slos {
		c, err := parseSLO(text)
		if err != nil {
			return nil, cli.BadInput(err)
		}
		if slices.ContainsFunc(all, func(d v1alpha1.Constraint) bool { return d.Metric == c.Metric }) {
			return nil, cli.BadInput(fmt.Errorf("--slo %q: %s has a bound already", text, c.Metric))
		}
		all = append(all, c)
	}
	return all, nil
}

// parseSLO reads an SLO such as ttft.p99=500ms: at most the bound where less is better, else
// at least. <= and >= say which.
func parseSLO(text string) (v1alpha1.Constraint, error) {
	wrong := fmt.Errorf("--slo %q: must be a metric, = and a bound, such as ttft.p99=500ms or goodput=95%%", text)
	// The selector of a metric has a = of its own: ttft.p99{class=chat}=500ms.
	at := strings.LastIndexByte(text, '=')
	if at < 1 || strings.Contains(text[at:], "}") {
		return v1alpha1.Constraint{}, wrong
	}
	name, bound := text[:at], strings.TrimSpace(text[at+1:])
	c := v1alpha1.Constraint{Metric: strings.TrimSpace(strings.TrimRight(name, "<>")), Value: v1alpha1.MetricBound(bound)}
	if c.Metric == "" || bound == "" {
		return v1alpha1.Constraint{}, wrong
	}
	metric, errs := result.ParseMetric(c.Metric, field.NewPath(fmt.Sprintf("--slo %q", text)))
	if len(errs) > 0 {
		return v1alpha1.Constraint{}, errs.ToAggregate()
	}
	if _, errs := result.ParseBound(bound, metric.Unit(), field.NewPath(fmt.Sprintf("--slo %q", text))); len(errs) > 0 {
		return v1alpha1.Constraint{}, errs.ToAggregate()
	}
	c.Operator = v1alpha1.AtMost
	if strings.HasSuffix(name, ">") || !strings.HasSuffix(name, "<") && metric.Direction() == result.Maximize {
		c.Operator = v1alpha1.AtLeast
	}
	return c, nil
}

// asRead has an object defaulted and validated as if it stood in a file.
func asRead(object manifest.Object, file string, configMaps []*corev1.ConfigMap) (*manifest.Set, error) {
	text, err := yaml.Marshal(object)
	if err != nil {
		return nil, err
	}
	set, err := manifest.Read(bytes.NewReader(text), file)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	set.ConfigMaps = configMaps
	return set, nil
}

// printSweep writes a sweep without what only a cluster knows, and its ConfigMaps.
func printSweep(w io.Writer, sweep *v1alpha1.PolicySweep, configMaps []*corev1.ConfigMap) error {
	objects := []any{struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        cli.IdentityMetadata     `json:"metadata"`
		Spec            v1alpha1.PolicySweepSpec `json:"spec"`
	}{sweep.TypeMeta, cli.IdentityMetadata{Name: sweep.Name, Namespace: sweep.Namespace}, sweep.Spec}}
	for _, cm := range configMaps {
		objects = append(objects, cm)
	}
	for i, object := range objects {
		text, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// withFlags has errors of the sweep name the flags that they are about.
func (o *sizeOptions) withFlags(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		for i := range o.slos {
			if rest, is := strings.CutPrefix(e.Field, field.NewPath("spec", "constraints").Index(i).String()); is {
				e.Field = fmt.Sprintf("--slo %q", o.slos[i]) + rest
			}
		}
		if strings.HasPrefix(e.Field, "spec.search.capacity.demand.load") {
			e.Field = "--headroom"
		}
	}
	return errs
}

// answer looks for the pool and prints what it found.
func (o *sizeOptions) answer(ctx context.Context, sweep local.Sweep, stdout, stderr io.Writer) error {
	if err := o.sweep.CheckMemory(stderr, sweep.Label(), sweep.Plan); err != nil {
		return err
	}
	conducted, err := o.sweep.executeSweep(ctx, sweep)
	if err != nil {
		return fmt.Errorf("%s: %w", sweep.Label(), err)
	}
	board, err := conducted.Top(0)
	if err != nil {
		return err
	}
	defer o.sweep.Legend.End(stdout)
	if o.sweep.Output != cli.Table {
		err = o.sweep.print(stdout, sweep, conducted, nil)
	} else {
		err = o.table(stdout, sweep, board)
	}
	if err != nil {
		return err
	}
	if o.sweep.report != "" {
		if err := o.sweep.writeSweepReport(ctx, sweep, conducted.Study); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	return cli.CheckPassed(sweep.Name, sizeVerdict(board))
}

func (o *sizeOptions) table(stdout io.Writer, sweep local.Sweep, board *result.Leaderboard) error {
	fmt.Fprintf(stdout, "verdict: %s\n\n", sizeVerdict(board).Sentence())
	if n := o.besideLoad(sweep.PolicySweep); n > 0 {
		fmt.Fprintf(stdout, "The demand is that of %s alone; the pool serves it in addition to the requests of %s, which stay as they are.\n\n", o.size.Load, figure.Plural(n, "more source"))
	}
	local.PrintWarnings(stdout, sweep.Plan.Warnings, sweep.Plan.Findings...)
	if err := o.sweep.Legend.Table(stdout, report.Leaderboard(board)); err != nil {
		return err
	}
	local.PrintStepTimes(stdout, sweep.Plan.StepTimes)
	local.PrintApproximations(stdout, sweep.Plan.Approximations)
	return nil
}

// besideLoad counts the sources of requests in addition to the load that --load names.
func (o *sizeOptions) besideLoad(sweep *v1alpha1.PolicySweep) int {
	if o.size.Load == "" {
		return 0
	}
	return starter.BesideLoad(&sweep.Spec.Scenario.Workload, strings.TrimPrefix(o.size.Load, "spec.scenario."))
}

// sizeVerdict is a pass if a pool suffices.
func sizeVerdict(board *result.Leaderboard) *verdict.Verdict {
	v := &verdict.Verdict{Outcome: verdict.Fail, Message: report.LeaderboardVerdict(board)}
	for i := range board.Candidates {
		switch c := &board.Candidates[i]; {
		case c.Capacity == nil || c.Capacity.Demand == nil:
		case c.Capacity.Demand.Suffices():
			v.Outcome = verdict.Pass
			return v
		case c.Standing == result.Feasible && c.Capacity.Demand.Verdict == result.LoadUndecided:
			v.Outcome = verdict.Undecided
		}
	}
	return v
}
