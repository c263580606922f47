// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/live/load"
)

// loadOptions are the flags of load.
type loadOptions struct {
	local       local.Options
	target, epp string
	log         string
	api         string
	model       string
	speed       float64
	seed        int64
}

// NewLoadCommand is the verb load.
func NewLoadCommand() *cobra.Command {
	var o loadOptions
	cmd := &cobra.Command{
		Use:   "load -f FILE (--target URL | --epp ADDRESS)",
		Short: "Send the workload of a SimulationRun to servers, and measure the answers",
		Long: `Send the requests of a SimulationRun to servers of the OpenAI API in real time: those that a
simulation of the run has under the same seed, at the same times, with the time-outs and retries of
the clients. With --epp, an Endpoint Picker of llm-d chooses the server of each request, and needs
no gateway. docs/rehearse.md describes it.

` + local.ManifestHelp + `

A prompt has four characters for each of its tokens; equal beginnings are equal text. Answers have
the length of the simulated ones where the server knows ignore_eos, as vLLM does. Times are those of
the client's clock, from when a request is sent.

Exit codes: 0 some requests were served, refused or given up, 1 each of them failed, 2 invalid input.`,
		Example: `  windtunnel load -f config/samples/simulationrun-poisson.yaml --target http://127.0.0.1:8000
  windtunnel load -f run.yaml --epp 127.0.0.1:9002 -o benchmark-report`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	registerRun(cmd, &o.local)
	f := cmd.Flags()
	o.local.RegisterRequests(cmd)
	o.registerLog(f)
	o.local.Output = cli.Table
	cli.OutputFlag(f, &o.local.Output, append(slices.Clone(cli.DocumentFormats), cli.BenchmarkReport), "")
	f.StringVar(&o.target, "target", "", "URL of the server or gateway, without the path of the API")
	f.StringVar(&o.epp, "epp", "", "address of an EPP, as host:port, that chooses the server of each request; without TLS")
	f.StringVar(&o.api, "api", string(load.Completions), "what requests ask for: "+cli.OneOf(load.APIs()))
	f.StringVar(&o.model, "model", "", "model that requests ask for which name none (default the first pool's)")
	f.Float64Var(&o.speed, "speed", 1, "how many seconds of the workload pass in a second: 1 is real time")
	f.Int64Var(&o.seed, "seed", -1, "seed of the requests (default the run's first one)")
	return cmd
}

// check refuses values of flags.
func (o *loadOptions) check() error {
	var faults cli.Faults
	faults.If((o.target == "") == (o.epp == ""), "name one of --target and --epp")
	faults.If(!slices.Contains(load.APIs(), load.API(o.api)), "--api %s: must be %s", o.api, cli.OneOf(load.APIs()))
	faults.If(!(o.speed > 0 && o.speed <= 1000), "--speed %v: must be above 0, and at most 1000", o.speed)
	faults.If(o.seed < -1, "--seed %d: must be at least 0", o.seed)
	if o.target != "" {
		at, err := url.Parse(o.target)
		faults.If(err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "", "--target %q: must be a URL, as http://127.0.0.1:8000", o.target)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return cli.CheckFolders(map[string]string{"--log": o.log, "--requests": o.local.Requests})
}

func (o *loadOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	run, err := compileAsSet(ctx, stdin, &o.local)
	if err != nil {
		return err
	}
	m, err := o.newMeasurement(run)
	if err != nil {
		return err
	}
	if err := m.send(ctx, o); err != nil {
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	}
	if late := m.behind(); late != "" {
		fmt.Fprintf(stderr, "warning: %s\n", late)
	}
	if err := m.print(stdout, o); err != nil {
		return err
	}
	if m.failed > 0 && m.failed == m.summary.Sent {
		return fmt.Errorf("each of the %d requests failed", m.failed)
	}
	return nil
}
