// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// scalerGaps notes what the decisions of each scaler lacked.
type scalerGaps struct{ units []unitGaps }

// unitGaps are those of one scaler.
type unitGaps struct {
	name      string
	decisions int
	// lacking are the decisions without a value of each metric.
	lacking map[string]int
	// blindSince is when the scaler became blind; negative while it sees.
	blindSince simtime.Time
	blindFor   simtime.Time
}

// watchScalers returns what notes them; nil in a sweep, whose simulations have no document.
func watchScalers(c *simulator.Config, p *experiment.Plan) *scalerGaps {
	if p.IsSweep() || len(c.Scaling) == 0 {
		return nil
	}
	g := &scalerGaps{}
	for i := range c.Scaling {
		g.units = append(g.units, unitGaps{name: c.Scaling[i].Name, lacking: map[string]int{}, blindSince: -1})
	}
	c.Scaled = both(c.Scaled, g.note)
	return g
}

func (g *scalerGaps) note(d simulator.ScalerCall) {
	u := &g.units[d.Unit]
	u.decisions++
	for _, metric := range d.Gaps.Metrics {
		u.lacking[metric]++
	}
	switch {
	case d.Gaps.Blind && u.blindSince < 0:
		u.blindSince = d.At
	case !d.Gaps.Blind && u.blindSince >= 0:
		u.blindFor += d.At - u.blindSince
		u.blindSince = -1
	}
}

// upTo are the gaps of the scalers that had any, up to the end of a run.
func (g *scalerGaps) upTo(end simtime.Time) []result.ScalerGaps {
	if g == nil {
		return nil
	}
	var all []result.ScalerGaps
	for i := range g.units {
		u := &g.units[i]
		if u.blindSince >= 0 {
			u.blindFor += max(end-u.blindSince, 0)
			u.blindSince = -1
		}
		worst, lacking := "", 0
		for metric, n := range u.lacking {
			if n > lacking || n == lacking && metric < worst {
				worst, lacking = metric, n
			}
		}
		if lacking > 0 {
			all = append(all, result.ScalerGaps{
				Name: u.name, Decisions: u.decisions, Metric: worst, Lacking: lacking, BlindSeconds: u.blindFor.Seconds(),
			})
		}
	}
	return all
}
