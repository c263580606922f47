// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// loraAffinityFilter of gie-v0.5 keeps endpoints that have the request's adapter
// or wait for it, or else those with room for another; where there are both, the
// former with probability threshold, and the latter otherwise.
var loraAffinityFilter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         "lora-affinity-filter",
		Registration: version.GIE("..gie-v0.5"),
		Roles:        config.FilterRole,
		Parameters:   func() any { return &loraFilterParameters{Threshold: 0.999} },
	},
	NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
		return &loraFilter{
			threshold: p.Parameters.(*loraFilterParameters).Threshold,
			random:    stats.NewStream(b.Seed, "epp/"+b.Profile+"/"+p.Name),
			withRoom:  make([]int, 0, b.Endpoints),
		}
	},
}

type loraFilterParameters struct {
	Threshold float64 `json:"threshold"`
}

type loraFilter struct {
	threshold float64
	random    *stats.Stream
	withRoom  []int
}

func (f *loraFilter) Filter(c *scheduler.Cycle, candidates []int) []int {
	near := candidates[:0]
	f.withRoom = f.withRoom[:0]
	for _, e := range candidates {
		var a policy.Adapters
		if c.Adapters != nil {
			a = c.Adapters[e]
		}
		switch {
		case slices.Contains(a.Active, c.Adapter) || slices.Contains(a.Waiting, c.Adapter):
			near = append(near, e)
		case len(a.Active)+len(a.Waiting) < a.Max:
			f.withRoom = append(f.withRoom, e)
		}
	}
	if len(near) == 0 || len(f.withRoom) > 0 && f.random.Float64() >= f.threshold {
		return append(candidates[:0], f.withRoom...)
	}
	return near
}
