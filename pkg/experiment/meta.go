// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// meta says of a simulation what its outcome does not.
func (p *Plan) meta(in *v1alpha1.Scenario, scenario tree, config *simulator.Config, outcome *simulator.Outcome, metrics []result.Metric) result.Meta {
	m := result.Meta{
		Key:     p.keyOf(scenario, metrics).under(config.Seed),
		Seed:    config.Seed,
		WarmUp:  config.Horizon.WarmUp,
		Targets: config.Targets,
		Metrics: metrics,
		Provenance: result.Provenance{
			Loop:        result.OpenLoop,
			Router:      p.routerProvenance(scenario, config),
			Workload:    result.WorkloadProvenance{Clients: len(config.Source.Labels().Clients)},
			Handoff:     handoffProvenance(&config.Handoff),
			Disruptions: len(config.Disruptions),
		},
		HandsOver: config.Handoff != (simulator.Handoff{}),
		Disrupted: len(config.Disruptions) > 0,
	}
	if p.Trace != nil {
		m.Provenance.Workload = result.WorkloadProvenance{
			TraceFormat: string(p.Trace.Format),
			TraceSHA256: p.Trace.SHA256,
			Arrivals:    string(in.Workload.Trace.Arrivals),
			RateScale:   in.Workload.Trace.RateScale.Float(),
		}
	}
	for i := range in.Pools {
		pool := &in.Pools[i]
		provenance := poolProvenance(pool, &config.Pools[i])
		provenance.Caveats = p.caveats(in, config, outcome, i)
		m.Provenance.Pools = append(m.Provenance.Pools, provenance)
		m.CostPerReplicaHour = append(m.CostPerReplicaHour, cost(pool.CostPerReplicaHour))
	}
	return m
}

func (p *Plan) routerProvenance(scenario tree, config *simulator.Config) result.RouterProvenance {
	router := scenario["router"].(tree)
	document, isEPP := router["endpointPickerConfig"].(tree)
	version, _ := document[versionField].(string)
	if !isEPP {
		version = router["policies"].(tree)["routing"].(tree)["policy"].(string)
	}
	return result.RouterProvenance{Version: version, ScrapeIntervalSeconds: config.ScrapeInterval.Seconds()}
}

func poolProvenance(in *v1alpha1.Pool, pool *simulator.Pool) result.PoolProvenance {
	p := result.PoolProvenance{
		Name:              in.Name,
		Model:             in.Model,
		Accelerator:       in.Accelerator,
		TensorParallelism: int(in.TensorParallelism),
		Replicas:          pool.Replicas,
		Quantization: result.QuantizationProvenance{
			Weights:     string(precision(in.Quantization.Weights)),
			KVCache:     string(precision(in.Quantization.KVCache)),
			Activations: string(precision(in.Quantization.Activations)),
		},
		LatencyModel: string(in.Latency.Model),
		RequestCost: result.RequestCostProvenance{
			QueueBaseSeconds:      pool.Cost.QueueBase.Seconds(),
			QueuePerTokenSeconds:  pool.Cost.QueuePerInputToken.Seconds(),
			PerOutputTokenSeconds: pool.Cost.PerOutputToken.Seconds(),
			CompletionSeconds:     pool.Cost.Completion.Seconds(),
		},
		KVBlocks:         pool.ReportedBlocks,
		KVBlocksComputed: in.KVCache.Blocks == nil,
		BlockTokens:      pool.BlockTokens,
		Given:            givenCoefficients(in.Latency.Roofline),
		Role:             string(in.Role),
		Eviction:         unlessLRU(pool.Eviction),
		Tiers:            tierProvenance(pool.Tiers.Lower),
		Stability:        stabilityProvenance(pool.Stability),
	}
	if len(pool.Tiers.Lower) > 0 {
		p.Offload = string(nameOf(offloadPolicies, pool.Tiers.Offload.Policy))
	}
	if in.Engine.Scheduler != v1alpha1.FCFSScheduler {
		p.Scheduler = string(in.Engine.Scheduler)
	}
	return p
}

// givenCoefficients names the fields that are set, as the API calls them, in
// order.
func givenCoefficients(c *v1alpha1.RooflineCoefficients) []string {
	if c == nil {
		return nil
	}
	raw, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("experiment: coefficients: %v", err))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		panic(fmt.Sprintf("experiment: coefficients: %v", err))
	}
	return slices.Sorted(maps.Keys(fields))
}

func cost(d v1alpha1.NonNegativeDecimal) *float64 {
	if d == "" {
		return nil
	}
	c := d.Float()
	return &c
}
