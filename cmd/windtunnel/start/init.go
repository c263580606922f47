// SPDX-License-Identifier: Apache-2.0

// Package start has the verbs for the first minutes: init, doctor and import.
package start

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/cmd/windtunnel/trace"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/preset"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/files"
	"windtunnel.dev/windtunnel/pkg/starter"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

// InitOptions are the flags of init.
type InitOptions struct {
	Output, kind       string
	model, accelerator string
	Replicas           int
	ttft               time.Duration
	epp, eppVersion    string
	trace              string
	traceFile          trace.FileFlags
	imitate            bool
	preset             string
	rate               float64
	force              bool
	pool               string
	// cluster is what manifests say; nil without them.
	cluster *deployment.Cluster
}

// Kinds of first scenarios.
const (
	kindOfRun   = "run"
	kindOfSweep = "sweep"
)

// NewInitOptions returns the defaults.
func NewInitOptions() InitOptions {
	return InitOptions{
		Output: "scenario.yaml", kind: kindOfRun, model: "meta-llama/Llama-3.1-8B-Instruct", accelerator: "h100-sxm",
		Replicas: 4, ttft: 2 * time.Second, preset: string(v1alpha1.ChatbotPreset),
	}
}

// RegisterScenario defines the flags about the cluster and its traffic.
func (o *InitOptions) RegisterScenario(f *pflag.FlagSet) {
	f.StringVar(&o.model, "model", o.model, "model that the replicas serve; windtunnel catalogue lists them")
	f.StringVar(&o.accelerator, "accelerator", o.accelerator, "accelerator of a replica; windtunnel catalogue lists them")
	f.StringVar(&o.epp, "epp", "", "`FILE` with the EPP's configuration")
	f.StringVar(&o.eppVersion, "epp-version", "", "version of the EPP, such as router-v0.10 (default auto with --epp: the newest that accepts the file)")
	f.StringVar(&o.trace, "trace", "", "`FILE` of recorded traffic")
	o.traceFile.Add(f)
	f.StringVar(&o.preset, "preset", o.preset, "traffic without a trace: "+strings.Join(presetNames(), ", "))
	f.Float64Var(&o.rate, "rate", 0, "arrivals a second of the preset (default one for each replica)")
}

// NewInitCommand is the verb init.
func NewInitCommand() *cobra.Command {
	o := NewInitOptions()
	cmd := &cobra.Command{
		Use:   "init [MANIFESTS...]",
		Short: "Write a first scenario from your manifests or EPP configuration and a trace, with questions or flags",
		Long: `Write a first scenario: a SimulationRun, or a PolicySweep that varies the weights of the EPP
configuration. Comments in the file explain each value and where it comes from. On a terminal,
the command asks for what the flags leave open.

MANIFESTS are files, folders, or - for standard input, with what runs in your cluster: the output
of helm template or kubectl get -o yaml, or Helm values of llm-d's charts. init reads the engines
(Deployments, StatefulSets, LeaderWorkerSets and DisaggregatedSets of vLLM, LLMInferenceServices),
InferencePools, the EPP with its configuration, its replicas and its flags, autoscalers and
objectives. It prints one line about each part that the scenario does not have. Where manifests do
not tell the model, the accelerator or the replicas, a flag says them.

--epp is the file of the EPP's configuration: the configuration itself, a ConfigMap or Helm
values. Without it, the scenario has llm-d's default. --trace is recorded traffic, which the
scenario replays; the comments describe its lengths, its rate and its anomalies. With --imitate,
the scenario has clients that imitate the trace, as trace fit writes them. Without a trace, the
traffic is a preset.

The command validates what it writes, and simulates nothing. It overwrites a file only with
--force.`,
		Example: `  windtunnel init
  helm template my-release CHART -f values.yaml | windtunnel init - --accelerator h100-sxm
  windtunnel init --epp values.yaml --trace gateway.csv --csv time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion
  windtunnel init --kind sweep --epp epp.yaml --preset RAG --rate 2 -o sweep.yaml`,
		RunE: o.run,
	}
	f := cmd.Flags()
	cli.FileFlag(f, &o.Output, "")
	f.StringVar(&o.kind, "kind", o.kind, "what to write: run or sweep")
	f.IntVar(&o.Replicas, "replicas", o.Replicas, "number of replicas")
	f.DurationVar(&o.ttft, "ttft", o.ttft, "greatest time to first token that users accept")
	o.RegisterScenario(f)
	f.StringVar(&o.pool, "pool", "", "name of the InferencePool to simulate, where MANIFESTS have several")
	f.BoolVar(&o.imitate, "imitate", false, "write clients that imitate the trace, in place of the trace")
	f.BoolVar(&o.force, "force", false, "replace the file if it is there")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]cobra.Completion{kindOfRun, kindOfSweep}, cobra.ShellCompDirectiveNoFileComp)) // the flags are there
	_ = cmd.RegisterFlagCompletionFunc("preset", cobra.FixedCompletions(presetNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func presetNames() []string {
	var names []string
	for _, n := range preset.Names() {
		names = append(names, string(n))
	}
	return names
}

func (o *InitOptions) run(cmd *cobra.Command, args []string) error {
	manifests, err := manifestFiles(args, cmd.InOrStdin(), o.Output)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		if err := o.readManifests(manifests, cmd.Flags()); err != nil {
			return err
		}
	}
	if isTerminal(cmd.InOrStdin()) {
		if err := o.Ask(newQuestions(cmd.InOrStdin(), cmd.ErrOrStderr(), cmd.Flags())); err != nil {
			return err
		}
		if len(args) > 0 {
			if err := o.readManifests(manifests, cmd.Flags()); err != nil {
				return err
			}
		}
	}
	if err := o.check(cmd.Flags()); err != nil {
		return err
	}
	if o.cluster != nil {
		if err := o.unanswered(); err != nil {
			return err
		}
		o.said(cmd.ErrOrStderr())
	}
	text, err := o.Write(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := o.validate(cmd.Context(), text); err != nil {
		return err
	}
	if o.Output == "-" {
		_, err := cmd.OutOrStdout().Write(text)
		return err
	}
	if err := cli.WriteWhole(o.Output, cli.Content(text)); err != nil {
		return cli.BadInput(err)
	}
	verb := map[string]string{kindOfRun: "run", kindOfSweep: "sweep"}[o.kind]
	fmt.Fprintf(cmd.ErrOrStderr(), "%s has a first scenario. next: %s %s -f %s\n", o.Output, cmd.Root().CommandPath(), verb, cli.ShellWord(o.Output))
	return nil
}

// check refuses flags that do not go together, and a file that is there.
func (o *InitOptions) check(f *pflag.FlagSet) error {
	var faults cli.Faults
	faults.If(o.kind != kindOfRun && o.kind != kindOfSweep, "--kind %s: must be run or sweep", o.kind)
	faults.If(o.Replicas < 1, "--replicas must be at least 1")
	faults.If(o.ttft <= 0, "--ttft must be greater than 0")
	faults.If(o.rate < 0 || math.IsNaN(o.rate) || math.IsInf(o.rate, 0), "--rate must be greater than 0")
	faults.If(!slices.Contains(presetNames(), o.preset), "--preset %s: must be one of %s", o.preset, strings.Join(presetNames(), ", "))
	faults.If(o.trace != "" && (f.Changed("preset") || f.Changed("rate")), "--preset and --rate are for traffic without a trace: use them without --trace")
	faults.If(o.trace == "" && o.imitate, "--imitate needs --trace FILE")
	faults.If(o.pool != "" && o.cluster == nil, "--pool needs MANIFESTS")
	faults.If(o.kind == kindOfSweep && o.cluster != nil && len(o.cluster.Routers) > 1, "--kind sweep varies the weights of one EPP: name its InferencePool with --pool")
	faults.If(o.cluster != nil && f.Changed("replicas") && !o.cluster.Described, "--replicas is for manifests without an engine: change replicas of the pools in the file")
	faults.If(o.trace == "-" || o.epp == "-", "--trace and --epp need files: the scenario names them")
	if err := faults.Err(); err != nil || o.Output == "-" {
		return err
	}
	if at, err := os.Stat(o.Output); err == nil && (at.IsDir() || !o.force) {
		return cli.BadInput(fmt.Errorf("%s is there: name another file with -o, or replace it with --force", o.Output))
	}
	return cli.CheckFolders(map[string]string{"--output": o.Output})
}

// Write makes the text of the scenario.
func (o *InitOptions) Write(ctx context.Context, stderr io.Writer) ([]byte, error) {
	s := &starter.Options{
		Sweep: o.kind == kindOfSweep, Name: "first", File: o.Output, Model: o.model, Accelerator: o.accelerator, Replicas: o.Replicas,
		TTFT: o.ttft.String(), EPPVersion: o.eppVersion,
	}
	if o.Output == "-" {
		s.File = "scenario.yaml"
	}
	var err error
	if o.cluster != nil {
		if s.Cluster, err = o.inScenario(o.cluster); err != nil {
			return nil, err
		}
	}
	if o.epp != "" {
		if s.Picker, err = o.readPicker(); err != nil {
			return nil, cli.BadInput(fmt.Errorf("--epp: %w", err))
		}
		if s.PickerFile, err = o.inFolder(o.epp); err != nil {
			return nil, err
		}
	}
	if s.Traffic, err = o.traffic(ctx, stderr); err != nil {
		return nil, err
	}
	text, err := starter.Write(s)
	return text, cli.BadInput(err)
}

// traffic is that of the trace, or of the preset.
func (o *InitOptions) traffic(ctx context.Context, stderr io.Writer) (starter.Traffic, error) {
	if o.trace == "" {
		rate := o.rate
		if rate == 0 {
			rate = float64(o.replicas())
		}
		return starter.Preset(v1alpha1.PresetName(o.preset), rate, o.objectives()...), nil
	}
	format, recorded, err := o.traceFile.Open(ctx, nil, o.trace)
	if err != nil {
		return starter.Traffic{}, cli.BadInput(fmt.Errorf("--trace: %w", err))
	}
	if message := recorded.UnsharedPrompts(); message != "" {
		fmt.Fprintf(stderr, "windtunnel: --trace: %s\n", message)
	}
	if o.imitate {
		imitation, comparison, err := trace.Imitate(ctx, recorded, 1)
		if err != nil {
			return starter.Traffic{}, err
		}
		trace.WarnOfImitation(stderr, comparison)
		return starter.Imitate(imitation), nil
	}
	file, err := o.inFolder(o.trace)
	if err != nil {
		return starter.Traffic{}, err
	}
	spec, err := o.traceFile.Spec()
	if err != nil {
		return starter.Traffic{}, cli.BadInput(err)
	}
	spec.Format, spec.File = v1alpha1.TraceFormat(format), &file
	t, err := starter.Replay(spec, recorded)
	return t, cli.BadInput(err)
}

// inFolder is the path of a file from the folder of the scenario.
func (o *InitOptions) inFolder(file string) (string, error) {
	to, err := filepath.Abs(o.folder())
	if err != nil {
		return "", err
	}
	from, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	return filepath.Rel(to, from)
}

func (o *InitOptions) folder() string {
	if o.Output == "-" {
		return "."
	}
	return filepath.Dir(o.Output)
}

// validate compiles what is to be written, as run and sweep do.
func (o *InitOptions) validate(ctx context.Context, text []byte) error {
	set, err := manifest.Read(bytes.NewReader(text), o.Output)
	if err != nil {
		return cli.BadInput(err)
	}
	inputs := local.Inputs{Folder: o.folder()}
	for _, run := range set.Runs {
		_, errs, err := compile.Run(ctx, run, inputs)
		local.NameFile(errs, local.PickerPath+".file", "--epp "+o.epp)
		if err := local.Compiled(v1alpha1.SimulationRunKind, run.Name, errs, err); err != nil {
			return err
		}
	}
	for _, sweep := range set.Sweeps {
		_, errs, err := compile.Sweep(ctx, sweep, inputs)
		local.NameFile(errs, local.PickerPath+".file", "--epp "+o.epp)
		if err := local.Compiled(v1alpha1.PolicySweepKind, sweep.Name, errs, err); err != nil {
			return err
		}
	}
	return nil
}

// readPicker reads the file of --epp.
func (o *InitOptions) readPicker() ([]byte, error) {
	content, err := input.Read(o.epp)
	if err != nil {
		return nil, err
	}
	if found, _ := files.Find(content); len(found) == 0 && len(content) > 0 {
		return content, input.Unfit(o.epp, content, "--epp names an "+input.PickerKind)
	}
	return content, nil
}
