// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// loraAffinityFilter of gie-v0.5 keeps endpoints that have the request's adapter
// or wait for it, or else those with room for another; where there are both, the
// former with probability threshold, and the latter otherwise.
var loraAffinityFilter = factory{
	pluginType: pluginType{
		name:         "lora-affinity-filter",
		registration: gie("..gie-v0.5"),
		roles:        filterRole,
		parameters:   func() any { return &loraFilterParameters{Threshold: 0.999} },
	},
	newFilter: func(b *builder, p *plugin) filter {
		return &loraFilter{
			threshold: p.Parameters.(*loraFilterParameters).Threshold,
			random:    stats.NewStream(b.seed, "epp/"+b.profile+"/"+p.Name),
			roomy:     make([]int, 0, b.Endpoints),
		}
	},
}

type loraFilterParameters struct {
	Threshold float64 `json:"threshold"`
}

type loraFilter struct {
	threshold float64
	random    *stats.Stream
	roomy     []int
}

func (f *loraFilter) filter(c *cycle, candidates []int) []int {
	near := candidates[:0]
	f.roomy = f.roomy[:0]
	for _, e := range candidates {
		var a policy.Adapters
		if c.adapters != nil {
			a = c.adapters[e]
		}
		switch {
		case slices.Contains(a.Active, c.adapter) || slices.Contains(a.Waiting, c.adapter):
			near = append(near, e)
		case len(a.Active)+len(a.Waiting) < a.Max:
			f.roomy = append(f.roomy, e)
		}
	}
	if len(near) == 0 || len(f.roomy) > 0 && f.random.Float64() >= f.threshold {
		return append(candidates[:0], f.roomy...)
	}
	return near
}
