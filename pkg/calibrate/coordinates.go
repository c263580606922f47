// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// coefficients are what the search varies: the shares of the bandwidth and of
// the FLOP/s that are achieved (one MFU for both phases), and three overheads
// in nanoseconds: of a step, of a token, of a sequence.
type coefficients [5]float64

const (
	memoryShare = iota
	flopsShare
	stepOverhead
	tokenOverhead
	sequenceOverhead
)

// point is where the search is: the logarithms of coefficients, so that a move
// means the same for each of them.
type point = []float64

// bounds of each coefficient: a share beyond 1 is none, and beyond the others a
// log has nothing to say.
var bounds = [...][2]float64{
	memoryShare:      {0.02, 1},
	flopsShare:       {0.02, 1},
	stepOverhead:     {1e3, 1e9},
	tokenOverhead:    {1, 1e6},
	sequenceOverhead: {1, 1e7},
}

// usual is where the search starts, and what the overheads are pulled to.
func usual(a latency.Accelerator) coefficients {
	c := latency.DefaultRoofline(a)
	return coefficients{
		memoryShare:      defaultShare,
		flopsShare:       defaultShare,
		stepOverhead:     float64(c.StepOverhead),
		tokenOverhead:    float64(c.TokenOverhead),
		sequenceOverhead: float64(c.SequenceOverhead),
	}
}

// defaultShare is where the search starts for both shares, whatever the
// catalogue says of the accelerator: an entry of the user's may not say it.
const defaultShare = 0.8

func (c coefficients) point() point {
	x := make(point, len(c))
	for i, v := range c {
		x[i] = stats.Log(v)
	}
	return x
}

// at returns the coefficients at a point, each within its bounds, and how far
// outside the point is: a sum of squared logarithms.
func at(x point) (c coefficients, outside float64) {
	for i := range c {
		v := stats.Exp(x[i])
		c[i] = min(max(v, bounds[i][0]), bounds[i][1])
		d := x[i] - stats.Log(c[i])
		if c[i] != v {
			outside += float64(d * d)
		}
	}
	return c, outside
}

// roofline returns the coefficients in their places beside those that are not
// fitted, which keep the values that the catalogue starts from.
func (c coefficients) roofline(a latency.Accelerator) latency.RooflineCoefficients {
	r := latency.DefaultRoofline(a)
	r.MemoryEfficiency = c[memoryShare]
	r.PrefillEfficiency, r.DecodeEfficiency = c[flopsShare], c[flopsShare]
	r.StepOverhead = time.Duration(math.Round(c[stepOverhead]))
	r.TokenOverhead = time.Duration(math.Round(c[tokenOverhead]))
	r.SequenceOverhead = time.Duration(math.Round(c[sequenceOverhead]))
	return r
}

// rounded returns the coefficients with as many digits as a log can carry: what
// is printed is what was judged.
func (c coefficients) rounded() coefficients {
	for i := range c {
		switch i {
		case memoryShare, flopsShare:
			c[i] = math.Round(c[i]*1e4) / 1e4
		case stepOverhead:
			c[i] = math.Round(c[i]/1e3) * 1e3
		default:
			c[i] = math.Round(c[i]/10) * 10
		}
	}
	return c
}
