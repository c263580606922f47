// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// anomalyCounts counts what goes wrong in a simulation; nil if they are not needed.
type anomalyCounts struct {
	collector *insight.Collector
	decisions bool
}

// watchAnomalies returns what counts anomalies in a simulation, if a metric asks for that; else nil.
// It is called before others listen to the router.
func watchAnomalies(c *simulator.Config, metrics []result.Metric, by insight.Thresholds) *anomalyCounts {
	if !slices.ContainsFunc(metrics, func(m result.Metric) bool { return m.Name == result.Anomalies }) {
		return nil
	}
	n := &anomalyCounts{insight.NewCounter(c, by), slices.ContainsFunc(metrics, result.Metric.NeedsDecisions)}
	n.collector.Watch(c)
	if n.decisions {
		listenBeside(c, n.collector.Explained)
	}
	return n
}

// counts are those of the types that were looked for.
func (n *anomalyCounts) counts() map[string]int {
	if n == nil {
		return nil
	}
	counts := map[string]int{}
	for kind, count := range n.collector.Counts() {
		if n.decisions || !kind.NeedsDecisions() {
			counts[string(kind)] = count
		}
	}
	return counts
}

// A sharedRouter tells a function of its explanations, whoever else listens to them.
type sharedRouter struct {
	policy.Router
	also func(*scheduler.Explanation)
}

// listenBeside has a function told of each explanation of a router. It keeps nothing of them.
func listenBeside(c *simulator.Config, also func(*scheduler.Explanation)) {
	r := sharedRouter{c.Policies.Routing.Router, also}
	r.Explain((*scheduler.Explanation).Release)
	c.Policies.Routing.Router = r
}

// Explain has the explanations told to another listener, too, to whom they belong.
func (r sharedRouter) Explain(tell func(*scheduler.Explanation)) {
	router := r.Router.(explainer)
	if tell == nil {
		router.Explain(nil)
		return
	}
	router.Explain(both(r.also, tell))
}

// Answer has the answers of the policies before the router told.
func (r sharedRouter) Answer(tell func(scheduler.GatewayAnswer)) {
	if router, answers := r.Router.(answering); answers {
		router.Answer(tell)
	}
}
