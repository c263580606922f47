// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// meta says of a simulation what its outcome does not.
func metaOf(p *experiment.Plan, in simulatorInput, outcome *simulator.Outcome, metrics []result.Metric) result.Meta {
	config := &in.config
	m := result.Meta{
		Key:           p.KeyOf(in.tree, metrics).Under(config.Seed),
		Seed:          config.Seed,
		WarmUp:        config.Horizon.WarmUp,
		Adaptations:   config.Policies.Adaptations,
		Targets:       config.Targets,
		TenantTargets: config.TenantTargets,
		Metrics:       metrics,
		Provenance:    p.Builder.Provenance(in.scenario, in.tree, config, outcome),
		HandsOver:     config.Handoff != (simulator.Handoff{}),
		Disrupted:     len(config.Disruptions) > 0,
		Timeouts:      setup.TimesOut(&in.scenario.Workload),
		Retries:       setup.RetriesRequests(&in.scenario.Workload),
	}
	for _, t := range setup.Traces(&in.scenario.Workload, nil) {
		addTrace(&m.Provenance.Workload, p, t, in.traces[t.Name])
	}
	for i := range in.scenario.Pools {
		if len(in.scenario.Routers) > 0 {
			m.PoolModels = append(m.PoolModels, in.scenario.Pools[i].Model)
		}
		m.CostPerReplicaHour = append(m.CostPerReplicaHour, cost(in.scenario.Pools[i].CostPerReplicaHour))
	}
	return m
}

// addTrace adds a trace to the provenance of a workload, which counts it among the clients.
func addTrace(to *result.WorkloadProvenance, p *experiment.Plan, in setup.Trace, recorded *trace.Trace) {
	inputs := p.AllTraces()
	input := inputs[slices.IndexFunc(inputs, func(t *experiment.TraceInput) bool { return t.Source == in.Name })]
	of := result.TraceProvenance{
		TraceFormat: string(input.Format),
		TraceSHA256: input.SHA256,
		Arrivals:    string(in.Arrivals),
		RateScale:   in.RateScale.Float(),
		Loop:        string(in.Loop),
		Skipped:     recorded.Skipped(),
		Clipped:     recorded.Clipped(),
	}
	to.Clients--
	if in.Name == "" {
		to.TraceProvenance = of
		return
	}
	to.Traces = append(to.Traces, result.NamedTraceProvenance{Name: in.Name, TraceProvenance: of})
}

func cost(d v1alpha1.NonNegativeDecimal) *float64 {
	if d == "" {
		return nil
	}
	c := d.Float()
	return &c
}
