// SPDX-License-Identifier: Apache-2.0

package result

import "slices"

// Anomalies is the metric of what rules found to have gone wrong. Simulations measure it only where
// something asks for it.
const Anomalies = "anomalies"

// anomalyType is one of package trace.
type anomalyType struct {
	name, help string
	// decisions says that the rule looks at the decisions of routers, which takes time.
	decisions bool
}

// anomalyTypes are all, causes before symptoms.
var anomalyTypes = []anomalyType{
	{"prefix_blind", "requests that passed over the replica that had computed the beginning of their prompt last, although few waited there", true},
	{"hot_replica", "prompts that went to a replica with far more than its equal share and a longer queue than others", true},
	{"tenant_burst", "requests of other tenants that waited far longer in the bursts of one tenant", false},
	{"priority_inversion", "requests that stayed in the wait queue while a request of lower priority was admitted to the batch", false},
	{"cache_thrashing", "requests that went back to the replica that had computed the beginning of their prompt, and found less than half of it in GPU memory", true},
	{"shadow_divergence", "requests of which the router believed the replica to have far more tokens than it had, or far fewer", false},
	{"scale_oscillation", "changes of scalers that soon took back the change before", false},
	{"pd_backpressure", "requests whose decode endpoint had a queue that was longer than that of their prefill endpoint", true},
	{"preemption_storm", "requests that were preempted, in a run with many preemptions in a short time", false},
	{"head_of_line_blocking", "requests that waited behind a much longer prompt, or behind one without room in the KV cache while they had room", false},
	{"slo_violation", "requests of a tenant and class that missed a target or did not complete", false},
	{"tail_blow_up", "requests of a class that waited longer than they may for their first token, if its 99th percentile is many times the median", false},
}

// anomalies is of the whole run.
var anomalies = subject{
	gather: func(in *selection, g *Group) {
		if in.Selector == (Selector{}) {
			g.Anomalies = in.meta.Anomalies
		}
	},
	families: []family{family{name: Anomalies, statistics: anomalyStatistics()}.whereAsked()},
}

func anomalyStatistics() []statistic {
	var all []statistic
	for _, of := range anomalyTypes {
		all = append(all, statistic{
			name: of.name, unit: Count, direction: Minimize,
			help: of.help + "; 0 where they are too few for an anomaly (spec.trace.thresholds)",
			value: func(g *Group) (float64, bool) {
				count, known := g.Anomalies[of.name]
				return float64(count), known
			},
		})
	}
	return all
}

// NeedsDecisions reports whether to measure the metric takes a look at each decision of the routers.
func (m Metric) NeedsDecisions() bool {
	return m.Name == Anomalies && slices.ContainsFunc(anomalyTypes, func(of anomalyType) bool { return of.name == m.Statistic && of.decisions })
}
