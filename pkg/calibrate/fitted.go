// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// Fitted are the coefficients that a fit found.
type Fitted struct {
	runs []*Run
	axes axes
	// values are those on the axes, rounded.
	values []float64
	// Undetermined are those of which the runs say too little, in words for the user.
	Undetermined []string
}

// Of returns the coefficients of a run: of one that was fitted, those of its number of GPUs and
// what it gives; of another one, also what the first fitted run gives, or the first on as many
// GPUs.
func (f *Fitted) Of(r *Run) latency.RooflineCoefficients {
	c := f.axes.coefficients(f.values, r.Engine.TensorParallelism).roofline(r.Engine.Instance)
	if !slices.Contains(f.runs, r) {
		like := slices.IndexFunc(f.runs, func(o *Run) bool { return o.Engine.TensorParallelism == r.Engine.TensorParallelism })
		c = f.runs[max(like, 0)].Engine.Given.Over(c)
	}
	return r.Engine.Given.Over(c)
}

// First are the coefficients of the first run, which an entry of a catalogue has.
func (f *Fitted) First() latency.RooflineCoefficients { return f.Of(f.runs[0]) }
