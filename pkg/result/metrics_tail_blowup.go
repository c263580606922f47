// SPDX-License-Identifier: Apache-2.0

package result

// TailBlowup is how many times the median the 99th percentile of a latency is: 1 where all
// requests wait for as long, and great where a few wait much longer than most.
type TailBlowup struct {
	TTFT float64 `json:"ttft,omitempty"`
	TPOT float64 `json:"tpot,omitempty"`
	ITL  float64 `json:"itl,omitempty"`
	E2E  float64 `json:"e2e,omitempty"`
}

const tailBlowup = "tailBlowup"

// tailBlowups are of latencies that users feel, which are gathered before.
var tailBlowups = subject{
	gather: func(in *selection, g *Group) {
		if in.meta.asksFor(tailBlowup) {
			g.TailBlowup = &TailBlowup{TTFT: blowup(g.TTFT), TPOT: blowup(g.TPOT), ITL: blowup(g.ITL), E2E: blowup(g.E2E)}
		}
	},
	families: []family{family{name: tailBlowup, labels: requestLabels, statistics: []statistic{
		tailBlowupOf("ttft", "time to first token", func(t *TailBlowup) float64 { return t.TTFT }),
		tailBlowupOf("tpot", "time per output token", func(t *TailBlowup) float64 { return t.TPOT }),
		tailBlowupOf("itl", "gap between successive tokens", func(t *TailBlowup) float64 { return t.ITL }),
		tailBlowupOf("e2e", "time to the last token", func(t *TailBlowup) float64 { return t.E2E }),
	}}.to(users).whereAsked()},
}

func tailBlowupOf(name, of string, value func(*TailBlowup) float64) statistic {
	return statistic{
		name: name, unit: Ratio, direction: Minimize,
		help: "99th percentile ÷ median of the " + of + "; there is none where the median is 0",
		value: func(g *Group) (float64, bool) {
			if g.TailBlowup == nil || value(g.TailBlowup) == 0 {
				return 0, false
			}
			return value(g.TailBlowup), true
		},
	}
}

// blowup is 0 without a value: a 99th percentile is at least the median.
func blowup(l *Latency) float64 {
	if l == nil || l.P50 == 0 {
		return 0
	}
	return l.P99 / l.P50
}
