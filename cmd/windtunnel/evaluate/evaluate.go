// SPDX-License-Identifier: Apache-2.0

// Package evaluate scores policies for programs that search for policies: the verbs evaluate and serve.
package evaluate

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// scenarioOptions are the flags that say what policies are evaluated in.
type scenarioOptions struct {
	// manifests hold the scenarios.
	manifests  local.Options
	objectives []string
	model      string
}

func (o *scenarioOptions) register(f *pflag.FlagSet) {
	f.StringSliceVar(&o.manifests.Files, "scenario", nil, "manifest with SimulationRuns and PolicySweeps, in whose scenarios the policy takes the place of the router's (required); may be repeated")
	o.manifests.RegisterInputs(f)
	f.StringArrayVar(&o.objectives, "objective", nil, "`METRIC[=WEIGHT][,min|max][,target=VALUE]` that scores the policy (default the gates of a run, the objectives and constraints of a sweep, or the goodput); may be repeated")
	f.StringVar(&o.model, "model", "", "name, or else base model, of the router that the policy takes the place of, in scenarios with several routers")
}

// load reads the scenarios, in the order of the files.
func (o *scenarioOptions) load(ctx context.Context, stdin io.Reader) ([]*evaluate.Scenario, error) {
	if len(o.manifests.Files) == 0 {
		return nil, cli.BadInput(errors.New("a scenario is required: --scenario FILE"))
	}
	var objectives []evaluate.Objective
	var faults []error
	for _, text := range o.objectives {
		objective, err := evaluate.ParseObjective(text)
		objectives, faults = append(objectives, objective), append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, cli.BadInput(err)
	}
	o.manifests.Parallelism = 1 // Load asks for a number, and simulates nothing
	set, err := o.manifests.Load(stdin)
	if err != nil {
		return nil, err
	}
	var all []*evaluate.Scenario
	for _, run := range set.Runs {
		s, errs, err := evaluate.NewScenario(ctx, run, o.model, objectives, o.manifests.Inputs(set, run))
		if err := local.Compiled(v1alpha1.SimulationRunKind, run.Name, asFlags(errs), err); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	for _, sweep := range set.Sweeps {
		s, errs, err := evaluate.NewSweepScenario(ctx, sweep, o.model, objectives, o.manifests.Inputs(set, sweep))
		if err := local.Compiled(v1alpha1.PolicySweepKind, sweep.Name, asFlags(errs), err); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, o.manifests.NothingFound(set, v1alpha1.SimulationRunKind)
	}
	return all, nil
}

// asFlags names the flag where errors are about objectives or the model.
func asFlags(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		if e.Field == "model" {
			e.Field = "--model"
		}
		if number, is := strings.CutPrefix(e.Field, "objectives"); is {
			e.Field = "--objective" + number
		}
	}
	return errs
}

// evaluateOptions are the flags of evaluate.
type evaluateOptions struct {
	scenarios   scenarioOptions
	policy      string
	component   string
	signals     []string
	seeds       []int64
	summary     string
	output      cli.Format
	parallelism int
	check       bool
}

// NewCommand is the verb evaluate.
func NewCommand() *cobra.Command {
	o := evaluateOptions{output: cli.Table}
	cmd := &cobra.Command{
		Use:   "evaluate --policy FILE --scenario FILE",
		Short: "Score a policy in scenarios, for programs that search for policies",
		Long: `Score a policy from 0 to 1 in scenarios, in place of their router's policy.

Reads a PolicyBundle, a program in Starlark (.star) or a WebAssembly module (.wasm), and
manifests with scenarios. What the policy lacks stays as the scenario has it.

Writes a table. -o json prints an answer for each scenario and seed, as docs/policy-abi.md
describes.

Exit codes: 0 for each answer, also if the policy has a fault (then ok is false and error
says why), 1 failure, 2 faults of the flags or of a scenario.`,
		Example: `  windtunnel evaluate --policy config/samples/policies/prefix-and-load.star --scenario config/samples/simulationrun-poisson.yaml
  windtunnel evaluate --policy bundle.yaml --scenario a.yaml,b.yaml --seed 1,2,3 -o json
  windtunnel evaluate --policy p.star --scenario a.yaml --objective goodput=2 --objective ttft.p99,target=300ms`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.policy, "policy", "", "PolicyBundle (.yaml, .yml, .json), program in Starlark (.star) or WebAssembly module (.wasm) to score (required)")
	f.StringVar(&o.component, "component", "", "what a program decides: admission, priority, routing, scheduler or autoscale (default routing)")
	f.StringSliceVar(&o.signals, "signal", nil, "what a routing program sees of each endpoint in addition to its scrape (default "+evaluate.DefaultSignals[0]+"); may be repeated")
	o.scenarios.register(f)
	f.Int64SliceVar(&o.seeds, "seed", nil, "seed of a simulation (default those of each run); may be repeated")
	f.StringVar(&o.summary, "summary", "", "how answers say what went wrong: "+cli.OneOf(append(insight.StrategyNames(), string(evaluate.NoSummary)))+" (default "+string(evaluate.Summaries[0])+"; none for a table)")
	cli.OutputFlag(f, &o.output, cli.DocumentFormats, "")
	cli.ParallelismFlag(f, &o.parallelism, "simulations")
	f.BoolVar(&o.check, "check-invariants", false, "check the simulator's invariants at every event, and stop if one is broken; slow, and changes no result")
	return cmd
}

// checkFlags refuses flags that mean nothing.
func (o *evaluateOptions) checkFlags() error {
	var faults cli.Faults
	faults.If(o.policy == "", "a policy is required: --policy FILE")
	faults.If(o.parallelism < 1, "--parallelism must be at least 1")
	_, err := o.strategy()
	faults.If(err != nil, "--%w", err)
	for _, seed := range o.seeds {
		faults.If(seed < 0, "--seed %d: must be at least 0", seed)
	}
	return faults.Err()
}

func (o *evaluateOptions) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	policy, err := o.readPolicy()
	if err != nil {
		return cli.BadInput(err)
	}
	scenarios, err := o.scenarios.load(ctx, stdin)
	if err != nil {
		return err
	}
	e := evaluate.Evaluator{CheckInvariants: o.check, Fence: fence.NewForCandidates(o.parallelism), Now: time.Now}
	if e.Summary, err = o.strategy(); err != nil {
		return err
	}
	answers, err := e.EvaluateEach(ctx, policy, scenarios, o.seeds, o.parallelism)
	switch {
	case err != nil:
		return err
	case o.output == cli.Table:
		return printAnswers(stdout, answers)
	case len(answers) == 1:
		return o.output.Write(stdout, answers[0])
	default:
		return o.output.Write(stdout, answers)
	}
}

// strategy is how answers are summarized. A table has no place for a summary that was not
// requested.
func (o *evaluateOptions) strategy() (insight.Strategy, error) {
	if o.summary == "" && o.output == cli.Table {
		return "", nil
	}
	return evaluate.SummaryOf(insight.Strategy(o.summary))
}

func (o *evaluateOptions) readPolicy() (*evaluate.Policy, error) {
	language, err := evaluate.LanguageOf(o.policy)
	if err != nil {
		return nil, err
	}
	raw, err := input.Read(o.policy)
	if err != nil {
		return nil, err
	}
	return evaluate.ReadPolicy(raw, language, evaluate.Program{Component: sandbox.Component(o.component), Signals: o.signals}, o.scenarios.manifests.Programs.Limits)
}
