// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"cmp"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Workload is a named selection of the clients and traces of the scenario's workload.
type Workload struct {
	Name string `json:"name"`
	// Sources are the names of clients and traces.
	Sources []string `json:"sources"`
}

// UnnamedTrace is what selections call the trace of workload.trace, which has no name.
const UnnamedTrace = "trace"

// workloadNames are the names of the workloads under which each trial is simulated: one
// without a name where the plan has none.
func (p *Plan) workloadNames() []string {
	if len(p.Workloads) == 0 {
		return []string{""}
	}
	names := make([]string, len(p.Workloads))
	for i := range p.Workloads {
		names[i] = p.Workloads[i].Name
	}
	return names
}

// Under is a scenario of the plan with the sources of a workload only, and the tenants that these may
// name. The empty name leaves it as it is.
func (p *Plan) Under(scenario Tree, workload string) Tree {
	at := slices.IndexFunc(p.Workloads, func(w Workload) bool { return w.Name == workload })
	if at < 0 {
		return scenario
	}
	chosen := func(source any) bool {
		name, _ := source.(Tree)["name"].(string)
		return slices.Contains(p.Workloads[at].Sources, cmp.Or(name, UnnamedTrace))
	}
	of := maps.Clone(scenario["workload"].(Tree))
	keep(of, "clients", chosen)
	keep(of, "traces", chosen)
	if trace, ok := of["trace"]; ok && !chosen(trace) {
		delete(of, "trace")
	}
	keepTenants(of)
	scenario = maps.Clone(scenario)
	scenario["workload"] = of
	return scenario
}

// keep leaves the chosen entries of a workload's list, which goes with the last of them.
func keep(workload Tree, list string, chosen func(any) bool) {
	all, is := workload[list].([]any)
	if !is {
		return
	}
	var kept []any
	for _, entry := range all {
		if chosen(entry) {
			kept = append(kept, entry)
		}
	}
	if workload[list] = kept; len(kept) == 0 {
		delete(workload, list)
	}
}

// keepTenants removes the tenants that no request of a workload has. Those of the rows of a
// trace are not known here.
func keepTenants(workload Tree) {
	if workload["trace"] != nil || workload["traces"] != nil {
		return
	}
	clients, _ := workload["clients"].([]any)
	keep(workload, "tenants", func(tenant any) bool {
		return slices.ContainsFunc(clients, func(client any) bool { return client.(Tree)["tenant"] == tenant.(Tree)["name"] })
	})
}

// underEach returns a metric of all workloads under each of them; nothing for other
// measures.
func (p *Plan) underEach(m result.Measure) []result.Measure {
	var each []result.Measure
	for _, w := range p.Workloads {
		if under, ok := m.OfWorkload(w.Name); ok {
			each = append(each, under)
		}
	}
	return each
}

// MetricsUnder returns the metrics that rows of simulations under a workload must hold.
func MetricsUnder(metrics []result.Metric, workload string) []result.Metric {
	var under []result.Metric
	for _, m := range metrics {
		if of, wanted := m.Under(workload); wanted {
			under = append(under, of)
		}
	}
	return under
}
