// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// lowQueueFilter of gie-v0.5 keeps endpoints with at most a number of waiting
// requests; it may leave none.
var lowQueueFilter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         "low-queue-filter",
		Registration: version.GIE("..gie-v0.5"),
		Roles:        config.FilterRole,
		Parameters:   func() any { return &lowQueueParameters{Threshold: 128} },
	},
	NewFilter: func(_ *scheduler.Builder, p *config.Plugin) scheduler.Filter {
		return lowQueue{p.Parameters.(*lowQueueParameters).Threshold}
	},
}

type lowQueueParameters struct {
	Threshold int `json:"threshold"`
}

type lowQueue struct{ threshold int }

func (f lowQueue) Filter(c *scheduler.Cycle, candidates []int) []int {
	return keep(candidates, func(e int) bool { return c.Scrapes[e].Waiting <= f.threshold })
}
