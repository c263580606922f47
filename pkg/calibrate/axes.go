// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// axes are the coefficients that a search varies, in ascending order. A point
// has one number for each.
type axes []int

// axesOf returns what the runs leave open: a coefficient that matters to one of
// them and that this run does not give.
func axesOf(runs []*Run) axes {
	var open axes
	for i := range len(coefficients{}) {
		if slices.ContainsFunc(runs, func(r *Run) bool { return r.Engine.leavesOpen(i) }) {
			open = append(open, i)
		}
	}
	return open
}

func (e *Engine) leavesOpen(coefficient int) bool {
	switch coefficient {
	case memoryShare:
		return !e.Given.has(memoryName)
	case flopsShare:
		return !e.Given.has(prefillName, decodeName)
	case layerOverhead:
		return !e.Given.has(stepName) && !e.Given.has(layerName)
	case tokenOverhead:
		return !e.Given.has(tokenName)
	case sequenceOverhead:
		return !e.Given.has(sequenceName)
	case allReduceLatency:
		return e.reducesByFormula() && !e.Given.has(allReduceName)
	case linkShare:
		return e.reducesByFormula()
	default: // expertShare
		return e.Model.MoE != nil && !e.Given.has(expertName)
	}
}

// reducesByFormula reports whether the GPUs' collectives take what a latency and
// the link's rate say, for want of a measured curve.
func (e *Engine) reducesByFormula() bool {
	_, measured := e.Accelerator.AllReduceOf(e.TensorParallelism)
	return e.TensorParallelism > 1 && len(e.Given.AllReduce) == 0 && (!measured || e.Given.has(allReduceName))
}

// over returns the coefficients with what the run gives, and with the catalogue's
// measured all-reduce among as many GPUs as the run has.
func (e *Engine) over(c latency.RooflineCoefficients) latency.RooflineCoefficients {
	if len(c.AllReduce) == 0 || e.Accelerator.Measured(c.AllReduce) {
		c.AllReduce = e.DefaultRoofline().AllReduce
	}
	return e.Given.Over(c)
}

// of returns the numbers of these coefficients.
func (a axes) of(c coefficients) []float64 {
	values := make([]float64, len(a))
	for k, i := range a {
		values[k] = c[i]
	}
	return values
}
