// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// specOptions are the flags of trace generate that concern a workload.
type specOptions struct {
	local       local.Options
	blockTokens int
	// limited and seeded say that --requests and --seed were given.
	limited, seeded bool
}

func (o *specOptions) register(f *pflag.FlagSet) {
	o.local.Parallelism = 1
	o.local.RegisterFiles(f, ", with a SimulationRun")
	o.local.RegisterInputs(f)
	f.StringVar(&o.local.Name, "name", "", "take only the object of this name")
	f.IntVar(&o.blockTokens, "block-tokens", 16, "size of the blocks of prompts, in tokens, with -f")
}

// writeWorkload writes the workload of a SimulationRun as a trace.
func (o *generateOptions) writeWorkload(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if o.blockTokens < 1 {
		return cli.BadInput(fmt.Errorf("--block-tokens must be at least 1, got %d", o.blockTokens))
	}
	run, err := o.local.CompileOne(ctx, stdin, "-f")
	if err != nil {
		return err
	}
	seed := run.Plan.Seeds[0]
	if o.seeded {
		seed = o.seed
	}
	config, err := execute.Config(run.Plan, run.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: seed})
	if err != nil {
		return err
	}
	answers := config.Listener != nil
	if answers && !o.limited {
		return cli.BadInput(fmt.Errorf("SimulationRun %s: some requests wait for answers, which a trace takes to come at once: say with --requests after how many it ends", run.Name))
	}
	most := math.MaxInt
	if o.limited {
		most = o.requests
	}
	written := 0
	write := func(w io.Writer) error {
		written, err = writeRequests(contextWriter{ctx, w}, &config, most, o.blockTokens)
		return err
	}
	if err := cli.WriteOutput(stdout, o.output, compressedByName(o.output, write)); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d requests of SimulationRun %s, seed %d\n", written, run.Name, seed)
	if answers {
		fmt.Fprintln(stderr, "requests that wait for answers are written as if each request were answered at once")
	}
	return nil
}

// writeRequests writes the requests that arrive until the horizon, up to a maximum, and
// returns their number. Blocks of 0 tokens write nothing of what prompts share.
func writeRequests(w io.Writer, config *simulator.Config, most, blockTokens int) (int, error) {
	source := config.Source
	if config.Listener != nil {
		source = workload.AnsweredAtOnce(config.Listener)
	}
	if config.Horizon.Requests > 0 {
		most = min(most, config.Horizon.Requests)
	}
	out, err := trace.NewRequestWriter(w, source.Labels(), blockTokens)
	if err != nil {
		return 0, cli.BadInput(fmt.Errorf("--block-tokens: %w", err))
	}
	for out.Rows() < most {
		r, ok := source.Next()
		if !ok || config.Horizon.Duration > 0 && r.Arrival >= simtime.Time(config.Horizon.Duration) {
			break
		}
		if err := out.Write(&r); err != nil {
			return 0, err
		}
	}
	if err := workload.Close(source); err != nil {
		return 0, err
	}
	if out.Rows() == 0 {
		return 0, cli.BadInput(fmt.Errorf("no request arrives before the horizon"))
	}
	return out.Rows(), out.Close()
}
