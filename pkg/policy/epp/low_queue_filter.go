// SPDX-License-Identifier: Apache-2.0

package epp

// lowQueueFilter of gie-v0.5 keeps endpoints with at most so many waiting
// requests; it may leave none.
var lowQueueFilter = factory{
	pluginType: pluginType{
		name:         "low-queue-filter",
		registration: gie("..gie-v0.5"),
		roles:        filterRole,
		parameters:   func() any { return &lowQueueParameters{Threshold: 128} },
	},
	newFilter: func(_ *builder, p *plugin) filter {
		return lowQueue{p.Parameters.(*lowQueueParameters).Threshold}
	},
}

type lowQueueParameters struct {
	Threshold int `json:"threshold"`
}

type lowQueue struct{ threshold int }

func (f lowQueue) filter(c *cycle, candidates []int) []int {
	return keep(candidates, func(e int) bool { return c.scrapes[e].Waiting <= f.threshold })
}
