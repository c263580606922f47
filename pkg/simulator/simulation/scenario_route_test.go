// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/route"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// scriptAdapters is how many adapters a route of a script knows; their names are their numbers.
const scriptAdapters = 9

// shares reads choices and their weights: "0:9,1:1".
func (l line) shares() []route.Share {
	var shares []route.Share
	for _, one := range l.list("to") {
		index, weight, ok := strings.Cut(one, ":")
		s := route.Share{Index: l.parseNumber(index), Weight: 1}
		if ok {
			s.Weight = int32(l.parseNumber(weight))
		}
		shares = append(shares, s)
	}
	return shares
}

func (l line) rule() route.Rule { return route.Rule{Model: l.values["adapter"], Routers: l.shares()} }

func (l line) rewrite() route.Rewrite {
	return route.Rewrite{Model: l.values["adapter"], Models: l.shares()}
}

// divide gives each router of a script policies of its own, and a route that divides its requests.
// Without rules requests go to the first one.
func (c *scenario) divide(config *simulator.Config, first *scriptRouter) {
	n := config.Routers()
	if n == 1 {
		return
	}
	of := route.Config{Rules: c.rules, Only: []int{0}, Rewrites: make([][]route.Rewrite, n), Models: []string{"base"}}
	for k := range scriptAdapters {
		of.Adapters = append(of.Adapters, strconv.Itoa(k+1))
	}
	for router, rewrites := range c.rewrites {
		of.Rewrites[router] = rewrites
	}
	config.Route = route.New(&of, config.Seed)
	parts := make([]policy.RouterPolicies, n)
	place := 0
	for i := range config.Pools {
		part := &parts[config.Pools[i].Router]
		if part.Endpoints == 0 {
			own := *first
			part.Policies, part.First = policy.RoutedBy(&own), place
			if config.Pools[i].Router == 0 {
				part.Routing = first.routing()
			}
		}
		part.Endpoints += config.Pools[i].Places()
		place += config.Pools[i].Places()
	}
	config.Policies = policy.ByRouter(parts...)
}
