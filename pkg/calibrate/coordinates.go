// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// coefficients are what a search may vary: the shares of the bandwidth and of
// the FLOP/s that are achieved (one MFU for both phases), three overheads in
// nanoseconds: of a layer, of a token, of a sequence, the latency of a collective
// in nanoseconds, the share of the MFU that experts achieve, and that of the
// link's rate. What is 0 stays as it usually is.
type coefficients [8]float64

const (
	memoryShare = iota
	flopsShare
	layerOverhead
	tokenOverhead
	sequenceOverhead
	allReduceLatency
	expertShare
	linkShare
)

// point is where the search is: the logarithms of coefficients, so that a move
// means the same for each of them.
type point = []float64

// bounds of each coefficient: a share beyond 1 is none, and beyond the others a
// log has nothing to say.
var bounds = [...][2]float64{
	memoryShare:      {0.02, 1},
	flopsShare:       {0.02, 1},
	layerOverhead:    {10, 1e8},
	tokenOverhead:    {1, 1e6},
	sequenceOverhead: {1, 1e7},
	allReduceLatency: {100, 1e7},
	expertShare:      {0.02, 1},
	linkShare:        {0.02, 1},
}

// usual is where the search starts, and what the overheads are pulled to.
func usual(i latency.Instance) coefficients {
	c := i.DefaultRoofline()
	return coefficients{
		memoryShare:      defaultShare,
		flopsShare:       defaultShare,
		layerOverhead:    float64(c.LayerOverhead),
		tokenOverhead:    float64(c.TokenOverhead),
		sequenceOverhead: float64(c.SequenceOverhead),
		allReduceLatency: float64(c.AllReduceLatency),
		expertShare:      defaultShare,
		linkShare:        c.LinkEfficiency,
	}
}

// defaultShare is where the search starts for all shares, whatever the
// catalogue says of the accelerator: an entry of the user's may not say it.
const defaultShare = 0.8

// point returns where the coefficients are on axes.
func (c coefficients) point(of axes) point {
	x := of.of(c)
	for k := range x {
		x[k] = stats.Log(x[k])
	}
	return x
}

// at returns the values at a point on axes, each within its bounds, and how far outside the
// point is: a sum of squared logarithms.
func at(x point, on axes) (values []float64, outside float64) {
	values = make([]float64, len(on))
	for k, a := range on {
		v := stats.Exp(x[k])
		values[k] = min(max(v, bounds[a.coefficient][0]), bounds[a.coefficient][1])
		d := x[k] - stats.Log(values[k])
		if values[k] != v {
			outside += float64(d * d)
		}
	}
	return values, outside
}

// roofline returns the coefficients in their places next to those that are not
// fitted, which keep the values that the catalogue starts from.
func (c coefficients) roofline(on latency.Instance) latency.RooflineCoefficients {
	r := on.DefaultRoofline()
	for i, places := range [len(c)][]*float64{
		memoryShare: {&r.MemoryEfficiency},
		flopsShare:  {&r.PrefillEfficiency, &r.DecodeEfficiency},
		expertShare: {&r.ExpertEfficiency},
		linkShare:   {&r.LinkEfficiency},
	} {
		for _, share := range places {
			if c[i] > 0 {
				*share = c[i]
			}
		}
	}
	for i, cost := range [len(c)]*time.Duration{
		layerOverhead:    &r.LayerOverhead,
		tokenOverhead:    &r.TokenOverhead,
		sequenceOverhead: &r.SequenceOverhead,
		allReduceLatency: &r.AllReduceLatency,
	} {
		if cost != nil && c[i] > 0 {
			*cost = time.Duration(math.Round(c[i]))
		}
	}
	return r
}

// rounded returns values on axes with as many digits as a log can carry: what
// is printed is what was judged.
func (a axes) rounded(values []float64) []float64 {
	values = slices.Clone(values)
	for k, axis := range a {
		if isShare(axis.coefficient) {
			values[k] = math.Round(values[k]*1e4) / 1e4
		} else {
			values[k] = math.Round(values[k]/10) * 10
		}
	}
	return values
}

func isShare(coefficient int) bool {
	switch coefficient {
	case memoryShare, flopsShare, expertShare, linkShare:
		return true
	}
	return false
}
