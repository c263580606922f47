// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A claim is a hypothesis with its stated rule, and what came of it.
type claim struct {
	id, run, rule string
	passes        bool
	found         string
}

func (c *claim) verdict() string {
	if c.passes {
		return "pass"
	}
	return "**fail**"
}

func (o *outcome) claims() []claim {
	return []claim{o.settles(), o.matchesTheGrid(), o.beatsFixedOnTheRamp(), o.capPrevents(), o.piBeatsStep()}
}

// The band of the ratio that H15-1 states, and the least goodput.
const (
	bandLow, bandHigh = 1.17, 1.34
	leastGoodput      = 0.65
	lastEpochs        = 10
)

// settles is H15-1: the ratio of the last ten epochs is in the band under every seed, and
// the goodput is high enough.
func (o *outcome) settles() claim {
	m := o.steadyLaws[0]
	low, high := math.Inf(1), math.Inf(-1)
	for _, ratios := range m.lastRatios(lastEpochs) {
		low, high = min(low, slices.Min(ratios)), max(high, slices.Max(ratios))
	}
	goodput := m.mean("goodput")
	return claim{
		id: "H15-1", run: fmt.Sprintf("%g req/s, %d epochs of 100", o.rates[len(o.rates)-1], o.steady/100),
		rule:   fmt.Sprintf("ratio of the last %d epochs in [%g, %g], goodput ≥ %g %%", lastEpochs, bandLow, bandHigh, 100*leastGoodput),
		passes: low >= bandLow && high <= bandHigh && goodput >= leastGoodput,
		found:  fmt.Sprintf("ratio %.2f to %.2f, goodput %.1f %%", low, high, 100*goodput),
	}
}

// nearBest is the share of the goodput of the best fixed weights that H15-2 asks for.
const nearBest = 0.95

// matchesTheGrid is H15-2: at every rate the step rule has nearly the goodput of the best
// fixed weights.
func (o *outcome) matchesTheGrid() claim {
	c := claim{id: "H15-2", run: "stated rates", rule: "goodput ≥ 95 % of the best fixed weights, at each rate", passes: true}
	var found []string
	for i, rate := range o.rates {
		_, best := o.bestOf(i, "goodput")
		share := o.lawsStated[i][0].mean("goodput") / best
		c.passes = c.passes && share >= nearBest
		found = append(found, fmt.Sprintf("%.1f %% at %g", 100*share, rate))
	}
	c.found = strings.Join(found, ", ")
	return c
}

// bestOf returns the fixed weights with the greatest mean of a metric at a rate, and that.
func (o *outcome) bestOf(rate int, metric string) (string, float64) {
	name, best := "", math.Inf(-1)
	for i, m := range o.gridStated[rate] {
		if mean := m.mean(metric); mean > best {
			name, best = grid[i].name, mean
		}
	}
	return name, best
}

// rampGain is how much better than 4:3 H15-3 wants the law to be.
const rampGain = 1.1

// beatsFixedOnTheRamp is H15-3: on the ramp the step rule has a tenth more goodput than
// 4:3.
func (o *outcome) beatsFixedOnTheRamp() claim {
	law, fixed := named(o.onRamp, step.name).mean("goodput"), named(o.onRamp, "4:3").mean("goodput")
	return claim{
		id: "H15-3", run: "ramp from 500 to 2000 req/s over 1000 requests",
		rule:   "goodput ≥ 1.10 × that of 4:3",
		passes: law >= rampGain*fixed,
		found:  fmt.Sprintf("%.1f %% against %.1f %%: %.3f ×", 100*law, 100*fixed, law/fixed),
	}
}

// named is the row of a configuration.
func named(rows []row, name string) *measured {
	return rows[slices.IndexFunc(rows, func(r row) bool { return r.name == name })].measured
}

// tooLate is the time to first token that H15-4 is about, in seconds.
const tooLate = 0.5

// capPrevents is H15-4: no run with the cap has a P99 over 500 ms, and some run without it
// does: at the stated rates and under changing prefixes.
func (o *outcome) capPrevents() claim {
	worst := func(configuration int, law string) float64 {
		p99 := slices.Max(named(o.onRollouts, law).values("ttft.p99"))
		for _, atRate := range o.stated {
			p99 = max(p99, slices.Max(atRate[configuration].values("ttft.p99")))
		}
		return p99
	}
	with, without := worst(2, step.name), worst(5, stepFree.name)
	mean := func(law string) float64 { return 1000 * slices.Max(named(o.onRollouts, law).values("ttft.mean")) }
	return claim{
		id: "H15-4", run: "stated rates, and a hot prefix that changes",
		rule:   "TTFT P99 ≤ 500 ms in each run with the cap, > 500 ms in some run without",
		passes: with <= tooLate && without > tooLate,
		found: fmt.Sprintf("at most %.0f ms with the cap and %.0f ms without; means under changing prefixes up to %.0f and %.0f ms",
			1000*with, 1000*without, mean(step.name), mean(stepFree.name)),
	}
}

// piBeatsStep is H15-5: at each stated rate PI has the goodput of the step rule or more,
// and a steadier ratio.
func (o *outcome) piBeatsStep() claim {
	c := claim{id: "H15-5", run: "stated rates", rule: "goodput of PI ≥ step rule, with a smaller deviation of the ratio, at each rate", passes: true}
	var found []string
	for i, rate := range o.rates {
		rule, other := o.lawsStated[i][0], o.lawsStated[i][slices.IndexFunc(lawsUnderTest, func(c configuration) bool { return c.name == pi.name })]
		c.passes = c.passes && other.mean("goodput") >= rule.mean("goodput") && other.mean("adaptive.ratio.stdDev") < rule.mean("adaptive.ratio.stdDev")
		found = append(found, fmt.Sprintf("at %g: %.1f against %.1f %%, deviation %.2f against %.2f",
			rate, 100*other.mean("goodput"), 100*rule.mean("goodput"), other.mean("adaptive.ratio.stdDev"), rule.mean("adaptive.ratio.stdDev")))
	}
	c.found = strings.Join(found, "; ")
	return c
}
