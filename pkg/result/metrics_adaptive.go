// SPDX-License-Identifier: Apache-2.0

package result

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// AdaptiveRatio sums up how the ratio of the weight of prefixes to that of load changed,
// over the epochs that began after the warm-up.
type AdaptiveRatio struct {
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stdDev"`
	// Period is after how many epochs the ratio repeats itself; absent where it does
	// not.
	Period *float64 `json:"period,omitempty"`
}

// adaptives are of routers whose weights change in the run.
var adaptives = subject{
	gather: func(in *selection, g *Group) {
		if in.Selector == (Selector{Model: in.Model}) || in.Selector == (Selector{Pool: in.Pool}) {
			g.Adaptive = in.adaptive()
		}
	},
	families: []family{family{name: "adaptive", labels: []string{labelModel, labelPool}, statistics: []statistic{
		adaptiveOf("ratio.mean", Ratio, "mean over epochs of the weight of prefixes ÷ the weight of load", func(r *AdaptiveRatio) *float64 { return &r.Mean }),
		adaptiveOf("ratio.stdDev", Ratio, "standard deviation over epochs of the weight of prefixes ÷ the weight of load", func(r *AdaptiveRatio) *float64 { return &r.StdDev }),
		adaptiveOf("ratio.period", Count, "epochs after which the ratio of the weights repeats itself, by its autocorrelation over the last 600 epochs, or the last 300 of more; none where it does not", func(r *AdaptiveRatio) *float64 { return r.Period }),
	}}.needing(NeedsAdaptive).to(capacityPlanners)},
}

func adaptiveOf(name string, u Unit, help string, of func(*AdaptiveRatio) *float64) statistic {
	return statistic{name: name, unit: u, direction: Minimize, help: help, value: func(g *Group) (float64, bool) {
		if g.Adaptive == nil {
			return 0, false
		}
		return optional(of(g.Adaptive))
	}}
}

// adaptive is of the only router of the selection whose weights change; nil where there is
// none, or several.
func (in *selection) adaptive() *AdaptiveRatio {
	var only *policy.Adaptation
	for _, a := range in.meta.Adaptations {
		switch {
		case in.Model != "" && in.Model != a.Model, in.Pool != "" && !slices.Contains(a.Pools, in.Pool):
		case only != nil:
			return nil
		default:
			only = a
		}
	}
	if only == nil {
		return nil
	}
	mean, deviation, ok := only.Ratio()
	if !ok {
		return nil
	}
	r := &AdaptiveRatio{Mean: mean, StdDev: deviation}
	if lag, ok := stats.DominantPeriod(only.Recent()); ok {
		period := float64(lag)
		r.Period = &period
	}
	return r
}
