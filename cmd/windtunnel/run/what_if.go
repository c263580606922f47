// SPDX-License-Identifier: Apache-2.0

package run

import (
	"time"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
)

// whatIfOptions are the flags of `run --explain --what-if`.
type whatIfOptions struct {
	asked  bool
	window time.Duration
	flips  int
}

// register defines the flags.
func (o *whatIfOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.asked, "what-if", false, "with --explain REQUEST, also compare the latency of the request, and of those after it, with runs in which the request goes to each other candidate")
	f.DurationVar(&o.window, "what-if-window", whatif.DefaultWindow, "with --what-if, how long from the request on others arrive that are compared")
	f.IntVar(&o.flips, "what-if-flips", whatif.DefaultFlips, "with --what-if, how many runs with another pick for one later request show which differences are noise")
}

// check refuses values that are not allowed.
func (o *ExplainOptions) check() error {
	var faults cli.Faults
	if w := &o.whatIf; w.asked {
		faults.If(o.Request == scalingDecisions, "--what-if is about a request: use it with --explain REQUEST")
		faults.If(w.window <= 0, "--what-if-window %v: must be greater than 0", w.window)
		faults.If(w.flips < 1, "--what-if-flips %d: must be at least 1", w.flips)
	}
	return faults.Err()
}
