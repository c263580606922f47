// SPDX-License-Identifier: Apache-2.0

package run

import (
	"slices"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
)

// traceOptions are the flags of `run --trace`.
type traceOptions struct {
	// file is what the trace is written to; "" is none.
	file string
	// level is Decisions or Full, and sample the share of the requests; "" and 0 are those of the run.
	level  string
	sample float64
}

func (o *traceOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.file, "trace", "", "file to write the trace to: every routing decision with what came of it, and more with --trace-level; a Parquet table if it ends in .parquet, else JSON lines, compressed if it ends in .gz")
	f.StringVar(&o.level, "trace-level", "", "with --trace, what is written: Decisions, or Full for the records of admission, priorities, engine steps, preemptions, hand-overs, KV transfers and scaling, too (default that of spec.trace.level, or Decisions)")
	f.Float64Var(&o.sample, "trace-sample", 0, "with --trace, the share of the requests that are written, above 0 and at most 1, chosen by a hash; those that a rule on anomalies counts are always written (default that of spec.trace.sample, or 1)")
}

// check refuses values that are not allowed.
func (o *traceOptions) check() error {
	var faults cli.Faults
	levels := []v1alpha1.TraceLevel{v1alpha1.DecisionsTrace, v1alpha1.FullTrace}
	faults.If(o.level != "" && !slices.Contains(levels, v1alpha1.TraceLevel(o.level)), "--trace-level %q: must be %s", o.level, cli.OneOf(levels))
	faults.If(!(o.sample >= 0 && o.sample <= 1), "--trace-sample %v: must be greater than 0 and at most 1", o.sample)
	return faults.Err()
}

// of is what is traced of a run.
func (o *traceOptions) of(run local.Run) execute.Tracing {
	in := &run.Spec.Trace
	level, sample := v1alpha1.TraceLevel(o.level), o.sample
	if level == "" {
		level = in.Level
	}
	if sample == 0 {
		sample = in.Sample.Float()
	}
	return execute.Tracing{Full: level == v1alpha1.FullTrace, Sample: sample, Thresholds: run.Plan.Anomalies}
}
