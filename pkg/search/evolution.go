// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// evolution is a normal distribution over real coordinates that moves to where
// its better samples lie, and takes their shape: the covariance matrix
// adaptation of Hansen (The CMA Evolution Strategy: A Tutorial, 2016), with its
// settings, positive weights only. The matrix is factored by Cholesky in place
// of its square root, which turns the samples and nothing else.
type evolution struct {
	mean       []float64
	step       float64 // standard deviation of the coordinates, times the factor
	least      []float64
	covariance triangle
	factor     triangle

	stepPath, shapePath []float64
	generation          int

	population             int
	weights                []float64 // of the better half, the best first
	effective              float64   // how many samples the weights are worth
	stepRate, stepDamping  float64
	shapeRate              float64 // of the path
	pathWeight, rankWeight float64 // of new shapes against the old
	expectedNorm           float64 // of a standard normal vector
}

// newEvolution starts about a mean. least holds for each coordinate a deviation
// below which it does not fall: where values are discrete, samples must go on
// reaching the next one (as in Hamano et al.: CMA-ES with Margin, 2022).
func newEvolution(mean []float64, step float64, least []float64, population int) *evolution {
	n := len(mean)
	e := &evolution{mean: mean, step: step, least: least, population: population}
	e.stepPath, e.shapePath = make([]float64, n), make([]float64, n)
	e.covariance, e.factor = identity(n), identity(n)
	e.weigh()
	d, mu := float64(n), e.effective
	e.stepRate = (mu + 2) / (d + mu + 5)
	e.stepDamping = 1 + float64(2*math.Max(0, math.Sqrt((mu-1)/(d+1))-1)) + e.stepRate
	e.shapeRate = (4 + mu/d) / (d + 4 + 2*mu/d)
	e.pathWeight = 2 / (float64((d+1.3)*(d+1.3)) + mu)
	e.rankWeight = math.Min(1-e.pathWeight, 2*(mu-2+1/mu)/(float64((d+2)*(d+2))+mu))
	e.expectedNorm = float64(math.Sqrt(d) * (1 - 1/(4*d) + 1/(21*d*d)))
	return e
}

// weigh gives the better half weights that fall with the logarithm of the rank.
func (e *evolution) weigh() {
	sum, squares := 0., 0.
	middle := stats.Log(float64(e.population+1) / 2)
	for rank := 1; rank <= e.population/2; rank++ {
		w := middle - stats.Log(float64(rank))
		e.weights = append(e.weights, w)
		sum += w
		squares += float64(w * w)
	}
	for i := range e.weights {
		e.weights[i] /= sum
	}
	e.effective = float64(sum*sum) / squares
}

func identity(n int) triangle {
	t := make(triangle, n)
	for i := range t {
		t[i] = make([]float64, i+1)
		t[i][i] = 1
	}
	return t
}

// sample draws coordinates, and returns the standard normal vector that they
// come from.
func (e *evolution) sample(s *stats.Stream) (x, z []float64) {
	z = make([]float64, len(e.mean))
	for i := range z {
		z[i] = s.Normal()
	}
	x = e.factor.times(z)
	for i := range x {
		x[i] = e.mean[i] + float64(e.step*x[i])
	}
	return x, z
}

// evolve moves the distribution, given the standard normal vectors of a whole
// population, the best first. It returns false where the shape is no longer one
// that floats can hold.
func (e *evolution) evolve(zs [][]float64) bool {
	e.generation++
	ys := make([][]float64, len(e.weights))
	z, y := make([]float64, len(e.mean)), make([]float64, len(e.mean))
	for i, w := range e.weights {
		ys[i] = e.factor.times(zs[i])
		addScaled(z, w, zs[i])
		addScaled(y, w, ys[i])
	}
	addScaled(e.mean, e.step, y)
	steady := e.lengthenPaths(z, y)
	e.reshape(ys, steady)
	excess := math.Sqrt(dot(e.stepPath, e.stepPath))/e.expectedNorm - 1
	e.step = float64(e.step * stats.Exp(math.Min(1, float64(e.stepRate/e.stepDamping*excess))))
	e.keepLeast()
	var ok bool
	e.factor, ok = cholesky(e.covariance)
	return ok && e.step < 1e6
}

// lengthenPaths adds a move of the mean to the paths, and says whether the path
// of the shape took it in full: not where the step is about to grow fast.
func (e *evolution) lengthenPaths(z, y []float64) bool {
	scale(e.stepPath, 1-e.stepRate)
	addScaled(e.stepPath, math.Sqrt(e.stepRate*(2-e.stepRate)*e.effective), z)
	unbiased := 1 - stats.Pow(1-e.stepRate, float64(2*e.generation))
	norm := math.Sqrt(dot(e.stepPath, e.stepPath) / unbiased)
	steady := norm/e.expectedNorm < 1.4+2/float64(len(e.mean)+1)
	scale(e.shapePath, 1-e.shapeRate)
	if steady {
		addScaled(e.shapePath, math.Sqrt(e.shapeRate*(2-e.shapeRate)*e.effective), y)
	}
	return steady
}

// reshape mixes the covariance with that of the path and of the better samples.
func (e *evolution) reshape(ys [][]float64, steady bool) {
	keep := 1 - e.pathWeight - e.rankWeight
	if !steady {
		keep += float64(e.pathWeight * float64(e.shapeRate*(2-e.shapeRate)))
	}
	for i, row := range e.covariance {
		for j := range row {
			rank := 0.
			for k, w := range e.weights {
				rank += float64(w * float64(ys[k][i]*ys[k][j]))
			}
			row[j] = float64(keep*row[j]) + float64(e.pathWeight*float64(e.shapePath[i]*e.shapePath[j])) + float64(e.rankWeight*rank)
		}
	}
}

// keepLeast widens coordinates that became narrower than their least deviation.
func (e *evolution) keepLeast() {
	for i, row := range e.covariance {
		least := e.least[i] / e.step
		row[i] = math.Max(row[i], float64(least*least))
	}
}

// widest is the greatest standard deviation of a coordinate.
func (e *evolution) widest() float64 {
	widest := 0.
	for i, row := range e.covariance {
		widest = math.Max(widest, row[i])
	}
	return float64(e.step * math.Sqrt(widest))
}

func scale(xs []float64, by float64) {
	for i := range xs {
		xs[i] = float64(xs[i] * by)
	}
}

// addScaled adds the multiple of a vector to another.
func addScaled(to []float64, by float64, xs []float64) {
	for i, x := range xs {
		to[i] += float64(by * x)
	}
}
