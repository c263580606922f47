// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// evolution searches for the least value of a rugged function of a few
// variables by drawing generations of points from a normal distribution, which
// moves to where the better half of each generation lies and takes its shape:
// CMA-ES (Hansen, The CMA evolution strategy: a tutorial, 2016), with the
// Cholesky factor of the covariance in place of its root (Krause, Arbonès and
// Igel, CMA-ES with optimal covariance update and storage complexity, 2016).
// What it needs of a value is only which of two points has the lower one.
//
// Draws come from a named stream and no product is fused, so that a search
// takes the same way on every architecture.
type evolution struct {
	stream *stats.Stream
	rates
	weights []float64 // of the better half, best first; their sum is 1

	mean       []float64
	sigma      float64     // overall step
	covariance [][]float64 // of the shape
	factor     [][]float64 // lower triangle, factor·factorᵀ == covariance
	// stepPath and shapePath are the recent moves of mean, without and with
	// the shape in them.
	stepPath, shapePath []float64
}

// rates are how fast the distribution learns; names as in the tutorial.
type rates struct{ muEff, cSigma, dSigma, cc, c1, cMu, chi float64 }

// newEvolution starts a search at a mean, with a standard deviation along each
// axis, in generations of size points.
func newEvolution(name string, mean, deviation []float64, size int) *evolution {
	n := len(mean)
	e := &evolution{
		stream:    stats.NewStream(1, name),
		mean:      slices.Clone(mean),
		sigma:     1,
		stepPath:  make([]float64, n),
		shapePath: make([]float64, n),
	}
	for i, d := range deviation {
		e.covariance = append(e.covariance, make([]float64, n))
		e.factor = append(e.factor, make([]float64, n))
		e.covariance[i][i] = d * d
	}
	e.weigh(size / 2)
	e.learn(float64(n))
	e.factorise()
	return e
}

// weigh sets the weights of the mu better points.
func (e *evolution) weigh(mu int) {
	sum, squares := 0.0, 0.0
	for i := range mu {
		w := stats.Log(float64(mu)+0.5) - stats.Log(float64(i+1))
		e.weights = append(e.weights, w)
		sum += w
	}
	for i := range e.weights {
		e.weights[i] /= sum
		squares += float64(e.weights[i] * e.weights[i])
	}
	e.muEff = 1 / squares
}

// learn sets the rates that the tutorial recommends for n dimensions.
func (e *evolution) learn(n float64) {
	m := e.muEff
	e.cSigma = (m + 2) / (n + m + 5)
	e.dSigma = 1 + float64(2*max(0, math.Sqrt((m-1)/(n+1))-1)) + e.cSigma
	e.cc = (4 + m/n) / (n + 4 + 2*m/n)
	e.c1 = 2 / (float64((n+1.3)*(n+1.3)) + m)
	e.cMu = min(1-e.c1, 2*(m-2+1/m)/(float64((n+2)*(n+2))+m))
	e.chi = math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))
}

// candidate is a point of a generation, and the draw that it came from.
type candidate struct {
	at, draw []float64
	value    float64
}

// generation draws size points.
func (e *evolution) generation(size int) []candidate {
	all := make([]candidate, size)
	for k := range all {
		draw := make([]float64, len(e.mean))
		for i := range draw {
			draw[i] = e.stream.Normal()
		}
		at := slices.Clone(e.mean)
		for i, y := range e.shaped(draw) {
			at[i] += float64(e.sigma * y)
		}
		all[k] = candidate{at: at, draw: draw}
	}
	return all
}

// shaped returns factor·draw.
func (e *evolution) shaped(draw []float64) []float64 {
	y := make([]float64, len(draw))
	for i := range y {
		for j := range i + 1 {
			y[i] += float64(e.factor[i][j] * draw[j])
		}
	}
	return y
}

// adapt moves the distribution to the better half of a generation, whose
// values are known by now. Equal values rank in the order of their draws.
func (e *evolution) adapt(all []candidate) {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.value, b.value) })
	draw := make([]float64, len(e.mean))
	for k, w := range e.weights {
		for i := range draw {
			draw[i] += float64(w * all[k].draw[i])
		}
	}
	move := e.shaped(draw)
	for i := range move {
		e.mean[i] += float64(e.sigma * move[i])
	}
	follow(e.stepPath, draw, e.cSigma, e.muEff)
	follow(e.shapePath, move, e.cc, e.muEff)
	e.reshape(all)
	e.sigma *= stats.Exp(e.cSigma / e.dSigma * (length(e.stepPath)/e.chi - 1))
	e.factorise()
}

// follow adds a move to a path that forgets at a rate.
func follow(path, move []float64, rate, muEff float64) {
	gain := math.Sqrt(float64(rate*(2-rate)) * muEff)
	for i := range path {
		path[i] = float64((1-rate)*path[i]) + float64(gain*move[i])
	}
}

// reshape learns the covariance from the path and from the better half.
func (e *evolution) reshape(all []candidate) {
	for i := range e.covariance {
		for j := range e.covariance[i] {
			c := float64((1 - e.c1 - e.cMu) * e.covariance[i][j])
			e.covariance[i][j] = c + float64(e.c1*float64(e.shapePath[i]*e.shapePath[j]))
		}
	}
	for k, w := range e.weights {
		y := e.shaped(all[k].draw)
		for i := range y {
			for j := range y {
				e.covariance[i][j] += float64(e.cMu * w * float64(y[i]*y[j]))
			}
		}
	}
}

// factorise computes the Cholesky factor. The covariance is a sum of squares
// with positive weights, so that it has one.
func (e *evolution) factorise() {
	for i := range e.factor {
		for j := range i + 1 {
			sum := e.covariance[i][j]
			for k := range j {
				sum -= float64(e.factor[i][k] * e.factor[j][k])
			}
			switch {
			case i > j:
				e.factor[i][j] = sum / e.factor[j][j]
			case sum > 0:
				e.factor[i][i] = math.Sqrt(sum)
			default:
				panic(fmt.Sprintf("calibrate: a covariance that is none: %v", e.covariance))
			}
		}
	}
}

func length(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}
