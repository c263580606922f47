// SPDX-License-Identifier: Apache-2.0

package result

// WarmUp says what a rule left out of the figures.
type WarmUp struct {
	// Rule is MSER.
	Rule string `json:"rule"`
	// Steady says that the rule saw a steady state; where it did not, nothing is
	// left out.
	Steady bool `json:"steady"`
	// Requests counts the arrivals that were left out.
	Requests int64 `json:"requests"`
}

// warmUp is of the whole run.
var warmUp = subject{
	gather: func(in *selection, g *Group) {
		if in.Selector == (Selector{}) {
			g.WarmUp = in.meta.FoundWarmUp
		}
	},
	families: []family{family{name: "warmup", statistics: []statistic{
		warmUpOf("requests", Count, Minimize, "requests that the warm-up rule left out", func(w *WarmUp) float64 { return float64(w.Requests) }),
		warmUpOf("steady", Share, Maximize, "1 where the warm-up rule saw a steady state, 0 where it saw none and left nothing out", func(w *WarmUp) float64 {
			return oneUnless(!w.Steady)
		}),
	}}.to(capacityPlanners)},
}

func warmUpOf(name string, u Unit, d Direction, help string, of func(*WarmUp) float64) statistic {
	return statistic{name: name, unit: u, direction: d, help: help, needs: NeedsWarmUpRule, value: func(g *Group) (float64, bool) {
		if g.WarmUp == nil {
			return 0, false
		}
		return of(g.WarmUp), true
	}}
}
