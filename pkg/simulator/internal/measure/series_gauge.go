// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// maxGauged is how many values a gauge has at most.
const maxGauged = 3

// gauge integrates values that stay the same between two times at which it is settled. It is
// told of the values before they change, so that a stretch in which they do not costs
// nothing, however many steps or bins that has.
type gauge struct {
	// settled is up to when the integrals stand, edge the end of the bin under way, and
	// sums are its integrals, in value·ns, with what earlier bins left of less than a unit.
	settled, edge simtime.Time
	sums          [maxGauged]int64
	// peaks are the greatest of the first two values that stood for some time.
	peaks [2]int64

	recorder *Recorder
	// bins have a column for each of the values, from first on.
	bins  *seriesBins
	first simulator.SeriesColumn
}

func newGauge(s *Recorder, bins *seriesBins, first simulator.SeriesColumn) gauge {
	return gauge{recorder: s, bins: bins, first: first, edge: simtime.Time(s.width)}
}

// settle accounts for the time up to now, in which the values are those that they were at
// its beginning. A gauge of fewer values is given zeros.
func (g *gauge) settle(now simtime.Time, a, b, c int64) {
	if now >= g.edge {
		g.cross(now, a, b, c)
	}
	if now > g.settled {
		g.pass(now, a, b, c)
	}
}

// pass accounts for a time within a bin.
func (g *gauge) pass(now simtime.Time, a, b, c int64) {
	span := int64(now - g.settled)
	g.settled = now
	g.sums[0] += a * span
	g.sums[1] += b * span
	g.sums[2] += c * span
	g.peaks[0], g.peaks[1] = max(g.peaks[0], a), max(g.peaks[1], b)
}

// passOne is pass of a gauge of one value.
func (g *gauge) passOne(now simtime.Time, value int64) {
	g.sums[0] += value * int64(now-g.settled)
	g.settled = now
	g.peaks[0] = max(g.peaks[0], value)
}

// cross ends the bins that end by now.
func (g *gauge) cross(now simtime.Time, a, b, c int64) {
	s := g.recorder
	if now >= s.end {
		s.Fit(now)
	}
	for now >= g.edge {
		if g.edge > g.settled {
			g.pass(g.edge, a, b, c)
		}
		bin := s.place(g.edge - 1)
		g.flush(bin)
		to := simtime.Time(bin+1) * simtime.Time(s.width)
		if to == g.edge {
			to = to.Add(s.width) // else bins have become wider since
		}
		g.edge = to
	}
}

// flush writes the whole units of the integrals into a bin.
func (g *gauge) flush(bin int) {
	row := &g.bins.rows[bin]
	for i, sum := range &g.sums {
		if sum > 0 {
			whole, rest := g.recorder.units(sum)
			row[int(g.first)+i] += whole
			g.sums[i] = rest
		}
	}
}

// end settles the gauge at the end of the run. Gauges of more values have none of the others then.
func (g *gauge) end(now simtime.Time, a int64) {
	g.settle(now, a, 0, 0)
	g.flush(g.recorder.bin(now))
}
