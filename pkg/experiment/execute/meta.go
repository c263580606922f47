// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// meta says of a simulation what its outcome does not.
func metaOf(p *experiment.Plan, in simulatorInput, outcome *simulator.Outcome, metrics []result.Metric) result.Meta {
	config := &in.config
	m := result.Meta{
		Key:        p.KeyOf(in.tree, metrics).Under(config.Seed),
		Seed:       config.Seed,
		WarmUp:     config.Horizon.WarmUp,
		Targets:    config.Targets,
		Metrics:    metrics,
		Provenance: p.Builder.Provenance(in.scenario, in.tree, config, outcome),
		HandsOver:  config.Handoff != (simulator.Handoff{}),
		Disrupted:  len(config.Disruptions) > 0,
		Timeouts:   setup.TimesOut(&in.scenario.Workload),
		Retries:    setup.RetriesRequests(&in.scenario.Workload),
	}
	if p.Trace != nil {
		m.Provenance.Workload = result.WorkloadProvenance{
			Clients:     m.Provenance.Workload.Clients - 1,
			TraceFormat: string(p.Trace.Format),
			TraceSHA256: p.Trace.SHA256,
			Arrivals:    string(in.scenario.Workload.Trace.Arrivals),
			RateScale:   in.scenario.Workload.Trace.RateScale.Float(),
		}
	}
	for i := range in.scenario.Pools {
		m.CostPerReplicaHour = append(m.CostPerReplicaHour, cost(in.scenario.Pools[i].CostPerReplicaHour))
	}
	return m
}

func cost(d v1alpha1.NonNegativeDecimal) *float64 {
	if d == "" {
		return nil
	}
	c := d.Float()
	return &c
}
