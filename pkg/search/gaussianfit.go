// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Modes of the priors of a process's parameters, and deviations of their
// logarithms, which are normal. Lengths grow with the square root of the number
// of coordinates, as distances do (Hvarfner, Hellsten, Nardi: Vanilla Bayesian
// Optimization Performs Great in High Dimensions, 2024); noise is small but for
// evidence.
const (
	logLengthMode, logLengthDeviation = math.Sqrt2 - 3, 1.7320508075688772
	logNoiseMode, logNoiseDeviation   = -5., 2.
)

// maxFits bounds how many processes are tried for the likeliest one; a try
// takes time in the cube of the number of observations.
const maxFits = 160

// fitGaussianProcess returns the process whose lengths and noise are the most
// probable given the outputs, nearly: by a pattern search of their logarithms,
// which needs no derivatives and takes the same steps on any machine (Hooke,
// Jeeves: "Direct Search" Solution of Numerical and Statistical Problems,
// 1961). It returns nil where the outputs are all the same.
func fitGaussianProcess(choice []bool, inputs [][]float64, outputs []float64) *gaussianProcess {
	f := &gaussianFit{choice: choice, inputs: inputs, outputs: outputs, best: math.Inf(-1)}
	start := make([]float64, len(choice)+1)
	for i := range choice {
		start[i] = stats.Log(0.5)
	}
	start[len(choice)] = logNoiseMode
	f.climb(start)
	return f.process
}

// gaussianFit is the search for a process: logarithms of the lengths, and of
// the noise as the last.
type gaussianFit struct {
	choice  []bool
	inputs  [][]float64
	outputs []float64

	tried   int
	best    float64
	process *gaussianProcess
}

func (f *gaussianFit) climb(logs []float64) {
	f.improves(logs)
	for step := 1.6; step > 0.1 && f.tried < maxFits; {
		moved := false
		for i := range logs {
			moved = f.move(logs, i, step) || f.move(logs, i, -step) || moved
		}
		if !moved {
			step /= 2
		}
	}
}

// move changes one of the logarithms by a step, if that is better.
func (f *gaussianFit) move(logs []float64, i int, step float64) bool {
	old := logs[i]
	logs[i] += step
	if logs[i] >= stats.Log(1e-6) && f.improves(logs) {
		return true
	}
	logs[i] = old
	return false
}

// improves tries a process and keeps it if it is the most probable yet.
func (f *gaussianFit) improves(logs []float64) bool {
	f.tried++
	n := len(f.choice)
	k := kernel{choice: f.choice, lengths: make([]float64, n)}
	for i := range k.lengths {
		k.lengths[i] = stats.Exp(logs[i])
	}
	g := newGaussianProcess(k, stats.Exp(logs[n]), f.inputs, f.outputs)
	if g == nil || g.scale == 0 {
		return false
	}
	probability := g.logLikelihood() + logPrior(logs)
	if !(probability > f.best) {
		return false
	}
	f.best, f.process = probability, g
	return true
}

func logPrior(logs []float64) float64 {
	n := len(logs) - 1
	sum := logNormalDensity(logs[n], logNoiseMode, logNoiseDeviation)
	mode := logLengthMode + float64(0.5*stats.Log(float64(n)))
	for _, x := range logs[:n] {
		sum += logNormalDensity(x, mode, logLengthDeviation)
	}
	return sum
}

// logNormalDensity leaves out what does not depend on x.
func logNormalDensity(x, mode, deviation float64) float64 {
	z := (x - mode) / deviation
	return float64(-0.5 * float64(z*z))
}
