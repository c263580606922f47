// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Provenance says what the figures of a simulation rest on. root is the scenario that
// in was decoded from. Of a recorded trace it says nothing.
func (b *Builder) Provenance(in *v1alpha1.Scenario, root Tree, config *simulator.Config, outcome *simulator.Result) result.Provenance {
	p := result.Provenance{
		Loop:        loopOf(&in.Workload, config),
		Workload:    result.WorkloadProvenance{Clients: len(config.Source.Labels().Clients)},
		Handoff:     handoffProvenance(&config.Handoff),
		Disruptions: len(config.Disruptions),
		Scalers:     scalersProvenance(in, config),
	}
	p.Router, p.Routers = routersProvenance(in, root)
	for i := range in.Pools {
		pool := poolProvenance(&in.Pools[i], &config.Pools[i])
		pool.Caveats = b.caveats(in, config, outcome, i)
		p.Pools = append(p.Pools, pool)
	}
	return p
}

func scalersProvenance(in *v1alpha1.Scenario, config *simulator.Config) []result.ScalerProvenance {
	var all []result.ScalerProvenance
	for i := range in.Scalers {
		s, u := &in.Scalers[i], &config.Scaling[i]
		all = append(all, result.ScalerProvenance{
			Name: s.Name, Pools: s.Pools, Min: u.Min[0], Max: u.Max[0], Policy: scalerKind(s), IntervalSeconds: u.Interval.Seconds(),
			ScrapeIntervalSeconds: u.Monitor.Interval.Seconds(), DelaySeconds: u.Monitor.Delay.Seconds(),
		})
	}
	return all
}

// scalerKind is the name of the policy of a scaler, or the kinds of its manifests.
func scalerKind(s *v1alpha1.Scaler) string {
	var kinds []string
	if s.WorkloadVariantAutoscaler != nil {
		kinds = append(kinds, "WorkloadVariantAutoscaler")
	}
	if s.HorizontalPodAutoscaler != nil {
		kinds = append(kinds, "HorizontalPodAutoscaler")
	}
	if s.ScaledObject != nil {
		kinds = append(kinds, "ScaledObject")
	}
	if s.PodAutoscaler != nil {
		kinds = append(kinds, "PodAutoscaler")
	}
	return cmp.Or(strings.Join(kinds, ", "), s.Policy)
}

func loopOf(in *v1alpha1.Workload, config *simulator.Config) string {
	switch {
	case config.Listener == nil:
		return result.OpenLoop
	case slices.ContainsFunc(in.Clients, func(c v1alpha1.Client) bool { return c.ClosedLoop == nil }), anyTrace(in, func(t Trace) bool { return t.ConcurrentSessions == 0 }):
		return result.PartlyOpenLoop
	}
	return result.ClosedLoop
}

// routersProvenance is that of the only router, or that of each model's router.
func routersProvenance(in *v1alpha1.Scenario, root Tree) (only result.RouterProvenance, each []result.RouterProvenance) {
	list, several := root["routers"].([]any)
	if !several {
		return routerProvenance(&in.Router, root["router"].(Tree)), nil
	}
	for i, router := range list {
		p := routerProvenance(&in.Routers[i].Router, router.(Tree))
		p.Model, p.Name = in.Routers[i].Model, in.Routers[i].Name
		each = append(each, p)
	}
	return only, each
}

func routerProvenance(in *v1alpha1.Router, router Tree) result.RouterProvenance {
	document, isEPP := router["endpointPickerConfig"].(Tree)
	version, _ := document[VersionField].(string)
	if !isEPP {
		version = bundlePolicy
		if routing, named := router["policies"].(Tree)["routing"].(Tree); named {
			version = routing["policy"].(string)
		}
	}
	if in.Signals == v1alpha1.OracleSignals {
		return result.RouterProvenance{Version: version, Signals: string(in.Signals)}
	}
	return result.RouterProvenance{Version: version, ScrapeIntervalSeconds: in.MetricsRefreshInterval.Duration().Seconds()}
}

func poolProvenance(in *v1alpha1.Pool, pool *simulator.Pool) result.PoolProvenance {
	p := result.PoolProvenance{
		Name:              in.Name,
		Model:             in.Model,
		Accelerator:       in.Accelerator,
		TensorParallelism: int(in.TensorParallelism),
		Replicas:          int(in.Replicas),
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
		Eviction:         evictionNote(pool.Eviction),
		Tiers:            tierProvenance(pool.Tiers.Lower),
		Stability:        stabilityProvenance(pool.Stability),
	}
	if ranks := ranksOf(in); ranks > 1 {
		p.DataParallelism = ranks
	}
	p.ExpertParallelism = in.ExpertParallelism == v1alpha1.Enabled
	if len(pool.Tiers.Lower) > 0 {
		p.Offload = string(apiName(offloadPolicies, pool.Tiers.Offload.Policy))
	}
	if in.Engine.Scheduler != v1alpha1.FCFSScheduler {
		p.Scheduler = string(in.Engine.Scheduler)
	}
	p.Victim = string(in.Engine.Victim)
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
		panic(fmt.Sprintf("setup: coefficients: %v", err))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		panic(fmt.Sprintf("setup: coefficients: %v", err))
	}
	return slices.Sorted(maps.Keys(fields))
}
