// SPDX-License-Identifier: Apache-2.0

package result

// BacklogGrowth is the metric that simulations measure only where something asks
// for it.
const BacklogGrowth = "backlogGrowth"

// backlog is of the whole run.
var backlog = subject{
	gather: func(in *selection, g *Group) {
		if in.Selector == (Selector{}) {
			g.BacklogGrowth = in.meta.BacklogGrowth
		}
	},
	families: []family{family{name: BacklogGrowth, statistics: []statistic{{
		unit: Share, direction: Minimize,
		help:  "growth of the number of requests in the cluster ÷ arrivals, over the second half of the measured arrivals: 0 where the cluster keeps up, more where it does not; requests that fail count as still there",
		value: func(g *Group) (float64, bool) { return optional(g.BacklogGrowth) },
	}}}.whereAsked()},
}
