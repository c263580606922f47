// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// metaOf says of a simulation what its outcome does not. Arrivals end at a time.
func metaOf(p *experiment.Plan, in simulatorInput, outcome *simulator.Result, metrics []result.Metric, end simtime.Time) (result.Meta, error) {
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
		Routed:        setup.DividesRequests(in.scenario.Route),
	}
	for _, t := range setup.Traces(&in.scenario.Workload, nil) {
		if err := addTrace(&m.Provenance.Workload, p, t, in.traces[t.Name], end); err != nil {
			return m, err
		}
	}
	for i := range in.scenario.Pools {
		if setup.SeveralModels(in.scenario) {
			m.PoolModels = append(m.PoolModels, in.scenario.Pools[i].Model)
		}
		m.CostPerReplicaHour = append(m.CostPerReplicaHour, cost(in.scenario.Pools[i].CostPerReplicaHour))
	}
	return m, nil
}

// addTrace adds a trace to the provenance of a workload, which counts it among the clients.
func addTrace(to *result.WorkloadProvenance, p *experiment.Plan, in setup.Trace, recorded *trace.Trace, end simtime.Time) error {
	inputs := p.AllTraces()
	input := inputs[slices.IndexFunc(inputs, func(t *experiment.TraceInput) bool { return t.Source == in.Name })]
	options := input.Options()
	of := result.TraceProvenance{
		TraceFormat: string(input.Format),
		TraceSHA256: input.SHA256,
		Arrivals:    string(in.Arrivals),
		RateScale:   in.RateScale.Float(),
		Loop:        string(in.Loop),
		Sample:      options.Sample,
	}
	if options.Slice != (trace.Slice{}) {
		of.Slice = options.Slice.String()
	}
	if !p.IsSweep() { // whose results have no provenance
		counts, err := recorded.CountsUntil(trace.Replay{RateScale: in.RateScale.Float(), Loop: trace.Loop(in.Loop)}, end)
		if err != nil {
			return err
		}
		of.Skipped, of.Clipped = counts.Skipped, counts.Clipped
		of.SkippedZeroOutput, of.PrefillOnly = counts.SkippedZeroOutput, counts.PrefillOnly
	}
	to.Clients--
	if in.Name == "" {
		to.TraceProvenance = of
		return nil
	}
	to.Traces = append(to.Traces, result.NamedTraceProvenance{Name: in.Name, TraceProvenance: of})
	return nil
}

func cost(d v1alpha1.NonNegativeDecimal) *float64 {
	if d == "" {
		return nil
	}
	c := d.Float()
	return &c
}
