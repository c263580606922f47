// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// axis is a coefficient that a search varies: that of the runs on gpus GPUs, or of all runs
// where gpus is 0.
type axis struct{ coefficient, gpus int }

// axes are what a search varies. A point has one number for each.
type axes []axis

// axesOf returns what the runs leave open: a coefficient that matters to one of
// them and that this run does not give.
func axesOf(runs []*Run) axes {
	several := len(gpusOf(runs)) > 1
	var open axes
	for i := range len(coefficients{}) {
		first := len(open)
		for _, r := range runs {
			if !r.Engine.leavesOpen(i) {
				continue
			}
			a := axis{coefficient: i}
			if several && r.Engine.dependsOnGPUs(i) {
				a.gpus = r.Engine.TensorParallelism
			}
			if !slices.Contains(open[first:], a) {
				open = append(open, a)
			}
		}
	}
	return open
}

// gpusOf are the numbers of GPUs that runs were measured on.
func gpusOf(runs []*Run) []int {
	var all []int
	for _, r := range runs {
		if gpus := r.Engine.TensorParallelism; !slices.Contains(all, gpus) {
			all = append(all, gpus)
		}
	}
	return all
}

// dependsOnGPUs reports whether runs on another number of GPUs tell nothing of a coefficient:
// the latency of a collective, or, where that is measured, what more workers cost in each
// layer. Of both together only the sum is known.
func (e *Engine) dependsOnGPUs(coefficient int) bool {
	switch coefficient {
	case allReduceLatency:
		return true
	case layerOverhead:
		return e.TensorParallelism > 1 && !e.leavesOpen(allReduceLatency)
	}
	return false
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
	_, measured := e.AllReduce()
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

// of returns the numbers of these coefficients, whatever the number of GPUs.
func (a axes) of(c coefficients) []float64 {
	values := make([]float64, len(a))
	for k, axis := range a {
		values[k] = c[axis.coefficient]
	}
	return values
}

// coefficients are those of runs on a number of GPUs: their own, else those that runs share,
// else those of the nearest number of GPUs, for runs that were not fitted.
func (a axes) coefficients(values []float64, gpus int) coefficients {
	var c coefficients
	var taken [len(c)]int // how far what c has is from the GPUs, from 1 on
	for k, axis := range a {
		far := 1
		switch {
		case gpus == 1 && axis.coefficient == allReduceLatency:
			continue // one GPU has no collectives
		case axis.gpus == 0:
			far = 2
		case axis.gpus != gpus:
			far = 2 + max(axis.gpus, gpus) - min(axis.gpus, gpus)
		}
		if i := axis.coefficient; taken[i] == 0 || far < taken[i] {
			c[i], taken[i] = values[k], far
		}
	}
	return c
}
