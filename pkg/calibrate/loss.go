// SPDX-License-Identifier: Apache-2.0

package calibrate

import "math"

// weights of the statistics in the loss. The means count most, as they are
// what a log determines best; P95 lies between two others.
var weights = [Statistics]float64{Mean: 10, P50: 1, P90: 1, P99: 1}

// The loss is what the search makes small, in percent:
//
//	√(Σ w·e² ÷ Σ w) + 0.1·(|TPOT| + |E2E|) + 0.1·Σ log₂²(overhead ÷ usual)
//
// e are the relative errors of mean, P50, P90 and P99 of TTFT, TPOT and E2E,
// with weights w of 10, 1, 1 and 1. |TPOT| and |E2E| are the mean absolute
// relative errors of single requests: they tell apart coefficients that the
// figures agree with alike. The last term is the pull: an overhead stays where
// it usually is unless the log speaks against it. An engine that always runs the
// same batch says nothing of how its step grows with it. The latency of a
// collective and the efficiency of experts are pulled like overheads: one model
// alone hardly tells the former from a step's overhead, and the latter from the
// MFU.
const (
	requestWeight = 0.1
	pullWeight    = 0.1
)

// distance returns the first two terms of the loss.
func (p *prediction) distance(measured []Times, figures Figures) float64 {
	sum, total := 0.0, 0.0
	for m, statistics := range Errors(p.figures, figures) {
		if math.IsNaN(figures[m][Mean]) {
			continue
		}
		for s, e := range statistics {
			if math.IsNaN(figures[m][s]) {
				continue
			}
			sum += float64(weights[s] * e * e)
			total += weights[s]
		}
	}
	single := p.meanAbsolute(TPOT, measured) + p.meanAbsolute(E2E, measured)
	return 100 * (math.Sqrt(sum/total) + float64(requestWeight*single))
}

// meanAbsolute returns the mean absolute relative error of a metric over
// requests, 0 where none has it.
func (p *prediction) meanAbsolute(m Metric, measured []Times) float64 {
	sum, n := 0.0, 0
	for i := range measured {
		if want := m.Of(measured[i]); !math.IsNaN(want) {
			sum += math.Abs(m.Of(p.requests[i])-want) / want
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// pull returns the last term of the loss.
func (f *fit) pull(x point) float64 {
	sum := 0.0
	for k, a := range f.axes {
		if i := a.coefficient; i == memoryShare || i == flopsShare {
			continue
		}
		doublings := (x[k] - f.usual[k]) / math.Ln2
		sum += float64(doublings * doublings)
	}
	return float64(pullWeight * sum)
}
