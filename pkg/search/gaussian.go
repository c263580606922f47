// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// gaussianProcess predicts outputs over the unit cube from those of some
// points. Outputs are of mean 0 and deviation about 1.
type gaussianProcess struct {
	kernel  kernel
	noise   float64 // variance of an observation as a share of the process's own
	scale   float64 // the process's own variance
	inputs  [][]float64
	outputs []float64
	factor  triangle  // of the inputs' kernel matrix with noise
	weights []float64 // the inverse of that matrix times the outputs
}

// newGaussianProcess conditions a process on outputs, one for each input; its
// scale is the likeliest. It returns nil where the matrix is singular, as far
// as floats can tell.
func newGaussianProcess(k kernel, noise float64, inputs [][]float64, outputs []float64) *gaussianProcess {
	g := &gaussianProcess{kernel: k, noise: noise}
	for i, x := range inputs {
		if !g.add(x, outputs[i]) {
			return nil
		}
	}
	half := g.factor.solve(g.outputs)
	g.scale = dot(half, half) / float64(len(outputs))
	g.weights = g.factor.solveTransposed(half)
	return g
}

// add takes an observation in, all but its weight.
func (g *gaussianProcess) add(x []float64, output float64) bool {
	factor, ok := g.factor.extend(append(g.covariances(x), 1+g.noise))
	if ok {
		g.factor, g.inputs, g.outputs = factor, append(g.inputs, x), append(g.outputs, output)
	}
	return ok
}

// covariances are those of x and each input.
func (g *gaussianProcess) covariances(x []float64) []float64 {
	row := make([]float64, len(g.inputs), len(g.inputs)+1)
	for i, y := range g.inputs {
		row[i] = g.kernel.at(x, y)
	}
	return row
}

// predict returns the mean and the deviation of the output at a point, without
// an observation's noise.
func (g *gaussianProcess) predict(x []float64) (mean, deviation float64) {
	covariances := g.covariances(x)
	explained := g.factor.solve(covariances)
	variance := math.Max(1-dot(explained, explained), 1e-12)
	return dot(covariances, g.weights), math.Sqrt(float64(g.scale * variance))
}

// believe takes in that a point will turn out as predicted, so that the next
// proposal keeps away from it (the kriging believer of Ginsbourger, Le Riche,
// Carraro: Kriging Is Well-Suited to Parallelize Optimization, 2010).
func (g *gaussianProcess) believe(x []float64) {
	mean, _ := g.predict(x)
	if g.add(x, mean) {
		g.weights = g.factor.solveTransposed(g.factor.solve(g.outputs))
	}
}

// lowest is the least mean at a point observed or believed: the best of them
// once noise is taken off.
func (g *gaussianProcess) lowest() float64 {
	lowest := math.Inf(1)
	for i, output := range g.outputs {
		// K·w = outputs, and the mean leaves out the noise on K's diagonal.
		lowest = math.Min(lowest, output-float64(g.noise*g.weights[i]))
	}
	return lowest
}

// logLikelihood is that of the outputs, but for a constant.
func (g *gaussianProcess) logLikelihood() float64 {
	n := float64(len(g.outputs))
	return float64(-0.5*g.factor.logDeterminant()) - float64(0.5*float64(n*stats.Log(g.scale)))
}
