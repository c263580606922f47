// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// Given are coefficients that are known of a run. No fit changes them, and
// they hold for this run whatever was fitted to others.
type Given struct {
	// Values are by the coefficient's name in a scenario: shares, the expert
	// imbalance, and costs in microseconds.
	Values map[string]float64
	// AllReduce is what a collective was measured to take among the run's
	// GPUs; none means that the link and a latency say it.
	AllReduce []latency.AllReduceTime
}

// has reports whether all of the coefficients are given.
func (g Given) has(names ...string) bool {
	for _, name := range names {
		if _, ok := g.Values[name]; !ok {
			return false
		}
	}
	return true
}

// Over returns the coefficients with what is given in place of what they say. An
// overhead of the step that is given alone is all of the fixed cost.
func (g Given) Over(c latency.RooflineCoefficients) latency.RooflineCoefficients {
	for _, p := range places(&c) {
		switch v, ok := g.Values[p.name]; {
		case !ok:
		case p.cost != nil:
			*p.cost = time.Duration(math.Round(v * float64(time.Microsecond)))
		default:
			*p.share = v
		}
	}
	if g.has(stepName) && !g.has(layerName) {
		c.LayerOverhead = 0
	}
	if len(g.AllReduce) > 0 || g.has(allReduceName) {
		c.AllReduce = g.AllReduce
	}
	return c
}

// place is where a coefficient is kept, under its name in a scenario: a share
// or another plain number, or a cost.
type place struct {
	name  string
	share *float64
	cost  *time.Duration
}

// Names that a scenario has for coefficients that are fitted.
const (
	memoryName    = "memoryEfficiency"
	prefillName   = "prefillEfficiency"
	decodeName    = "decodeEfficiency"
	stepName      = "stepOverheadMicroseconds"
	tokenName     = "tokenOverheadMicroseconds"
	sequenceName  = "sequenceOverheadMicroseconds"
	layerName     = "layerOverheadMicroseconds"
	allReduceName = "allReduceLatencyMicroseconds"
	expertName    = "expertEfficiency"
)

// places lists all coefficients but the table of all-reduces.
func places(c *latency.RooflineCoefficients) []place {
	return []place{
		{name: memoryName, share: &c.MemoryEfficiency},
		{name: prefillName, share: &c.PrefillEfficiency},
		{name: decodeName, share: &c.DecodeEfficiency},
		{name: stepName, cost: &c.StepOverhead},
		{name: tokenName, cost: &c.TokenOverhead},
		{name: sequenceName, cost: &c.SequenceOverhead},
		{name: layerName, cost: &c.LayerOverhead},
		{name: allReduceName, cost: &c.AllReduceLatency},
		{name: expertName, share: &c.ExpertEfficiency},
		{name: "expertImbalance", share: &c.ExpertImbalance},
		{name: "dispatchLatencyMicroseconds", cost: &c.DispatchLatency},
		{name: "dispatchTokenOverheadMicroseconds", cost: &c.DispatchTokenOverhead},
	}
}
