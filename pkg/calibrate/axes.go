// SPDX-License-Identifier: Apache-2.0

package calibrate

import "slices"

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
	case stepOverhead:
		return !e.Given.has(stepName)
	case tokenOverhead:
		return !e.Given.has(tokenName)
	case sequenceOverhead:
		return !e.Given.has(sequenceName)
	case allReduceLatency:
		return e.TensorParallelism > 1 && len(e.Given.AllReduce) == 0 && !e.Given.has(allReduceName)
	default: // expertShare
		return e.Model.MoE != nil && !e.Given.has(expertName)
	}
}

// of returns the numbers of these coefficients.
func (a axes) of(c coefficients) []float64 {
	values := make([]float64, len(a))
	for k, i := range a {
		values[k] = c[i]
	}
	return values
}
