// SPDX-License-Identifier: Apache-2.0

package start

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/cmd/windtunnel/trace"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/profile"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// importOptions are the flags of import.
type importOptions struct {
	format     string
	stage      int
	saturation float64
	dataset    string
	output     string
}

// NewImportCommand is the verb import.
func NewImportCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import PROFILE",
		Short: "Convert a profile of inference-perf, guidellm or inference-sim to a workload",
		Long: `Read a profile of the load generators inference-perf and guidellm, the flags of vllm bench
serve and aiperf as profiles of llm-d-benchmark list them, or a workload of the simulator
inference-sim (BLIS), and write the horizon, the workload and the latency targets of a
scenario that sends the same traffic, as YAML to put below spec.scenario. Comments say where
the traffic differs.

A field that a workload cannot say is an error with the field's path, and so is a marker
of a template (REPLACE_ENV_...) where traffic depends on it. What concerns endpoints,
reports and the like is left out.`,
		Example: `  windtunnel import shared_prefix.yaml
  windtunnel import guidellm.yaml --stage 2 -o traffic.yaml
  windtunnel import sharegpt.yaml --dataset ShareGPT_V3.json`,
		Args: cli.Arguments(1, 1, "needs one profile"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.InOrStdin(), cmd.OutOrStdout(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "what the profile is for: "+cli.OneOf(profile.Formats())+" (default: detected from its fields)")
	f.Float64Var(&o.saturation, "saturation", 0, "rate in requests/s at which a search of inference-perf for rates (load.sweep) ends")
	f.StringVar(&o.dataset, "dataset", "", "ShareGPT file that a profile takes its prompts from")
	f.IntVar(&o.stage, "stage", 0, "the one stage or benchmark to take, from 1 on (default: all stages of a load)")
	cli.FileFlag(f, &o.output, "")
	return cmd
}

func (o *importOptions) run(stdin io.Reader, stdout io.Writer, name string) error {
	if o.stage < 0 {
		return cli.BadInput(fmt.Errorf("--stage must not be negative"))
	}
	if !(o.saturation >= 0 && o.saturation <= 1e9) {
		return cli.BadInput(fmt.Errorf("--saturation must be between 0 and 1e+09 requests/s, got %g", o.saturation))
	}
	in, name, err := trace.OpenTrace(stdin, name)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxProfileBytes+1))
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	if len(text) > maxProfileBytes {
		return cli.BadInput(fmt.Errorf("%s: longer than %d bytes", name, maxProfileBytes))
	}
	dataset, err := o.readDataset()
	if err != nil {
		return cli.BadInput(err)
	}
	traffic, errs := profile.Convert(text, profile.Options{Format: profile.Format(o.format), Stage: o.stage, Saturation: o.saturation, Dataset: dataset})
	if len(errs) > 0 {
		measured, _ := input.AsResult(text)
		if other := input.Unfit(name, text, "windtunnel import reads profiles of "+cli.OneOf(profile.Formats())); other != nil && (errs[0].Field == "profile" || measured != "") {
			return other
		}
		return cli.BadInput(fmt.Errorf("%s is invalid:\n%s", name, cli.BulletList(errs)))
	}
	if errs := checkTraffic(traffic); len(errs) > 0 {
		return cli.BadInput(fmt.Errorf("%s becomes an invalid workload:\n%s", name, cli.BulletList(errs)))
	}
	out, err := cli.CommentedYAML(traffic.Notes, traffic)
	if err != nil {
		return err
	}
	return cli.WriteOutput(stdout, o.output, cli.Content(out))
}

// maxProfileBytes bounds a profile, and maxDatasetBytes a ShareGPT file, of which the usual one has 673 MB.
const maxProfileBytes, maxDatasetBytes = 1 << 20, 1 << 30

// readDataset reads the ShareGPT file; nil without one.
func (o *importOptions) readDataset() ([]byte, error) {
	if o.dataset == "" {
		return nil, nil
	}
	in, err := os.Open(o.dataset)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxDatasetBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.dataset, err)
	}
	if len(text) > maxDatasetBytes {
		return nil, fmt.Errorf("%s: longer than %d bytes", o.dataset, maxDatasetBytes)
	}
	return text, nil
}

// checkTraffic checks a workload in a run that has a pool: against the schema, and then as
// a simulation does, but for the names of models and adapters, which are the scenario's.
func checkTraffic(traffic *profile.Traffic) field.ErrorList {
	run := trace.RunOf("imported", v1alpha1.Scenario{Horizon: traffic.Horizon, Workload: *traffic.Workload.DeepCopy(), SLOs: traffic.SLOs})
	if errs := manifest.Validate(run); len(errs) > 0 {
		return errs
	}
	clients := run.Spec.Scenario.Workload.Clients
	for i := range clients {
		clients[i].Model, clients[i].Adapter = "", ""
	}
	_, errs := new(setup.Builder).Build(setup.WithTenants(&run.Spec.Scenario), nil, nil, 0, field.NewPath("spec", "scenario"))
	return errs
}
