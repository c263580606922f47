// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/simulator"

// Handoffs sums up how KV went from replicas that prefill to those that decode.
type Handoffs struct {
	Count int64 `json:"count"`
	// ShareOfTTFT is the time of hand-overs ÷ the time to first token, both
	// summed over the group's requests.
	ShareOfTTFT *float64 `json:"shareOfTTFT,omitempty"`
}

// handoffs are those of KV between replicas.
var handoffs = subject{
	gather: func(in *selection, g *Group) {
		if in.meta.HandsOver {
			g.Handoffs = newHandoffs(&in.sum)
		}
	},
	families: []family{
		single("handoffs", requestLabels, statistic{
			unit: Count, direction: Minimize, needs: NeedsHandoffs,
			help:  "prompts whose KV went from one replica to another",
			value: handedOver(func(h *Handoffs) *float64 { n := float64(h.Count); return &n }),
		}).to(capacityPlanners),
		single("handoffShare", requestLabels, statistic{
			unit: Share, direction: Minimize, needs: NeedsHandoffs,
			help:  "time of hand-overs ÷ time to first token, both summed over requests",
			value: handedOver(func(h *Handoffs) *float64 { return h.ShareOfTTFT }),
		}),
	},
}

// newHandoffs sums up the hand-overs of some requests.
func newHandoffs(c *simulator.Cell) *Handoffs {
	h := &Handoffs{Count: c.Handoffs}
	if n := c.TTFT.Count(); n > 0 && c.TTFT.Mean() > 0 {
		sum := float64(c.Handoff.Mean() * float64(c.Handoff.Count()))
		share := sum / float64(c.TTFT.Mean()*float64(n))
		h.ShareOfTTFT = &share
	}
	return h
}

func handedOver(of func(*Handoffs) *float64) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) {
		if g.Handoffs == nil {
			return 0, false
		}
		return optional(of(g.Handoffs))
	}
}
