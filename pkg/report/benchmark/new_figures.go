// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// aggregate is over all measured requests of all seeds.
func (in *Input) aggregate() *Aggregate {
	s := in.Requests
	a := &Aggregate{
		Requests: &Requests{
			Total: s.arrived, Failures: &s.failures, Incomplete: &s.incomplete,
			InputLength: s.input.statistics("count", 1), OutputLength: s.output.statistics("count", 1),
		},
		Latency: &Latency{
			TimeToFirstToken:             s.ttft.statistics("s", nanoseconds),
			NormalizedTimePerOutputToken: s.ntpot.statistics("s/token", nanoseconds),
			TimePerOutputToken:           s.tpot.statistics("s/token", nanoseconds),
			InterTokenLatency:            in.interToken(),
			RequestLatency:               s.e2e.statistics("s", nanoseconds),
		},
		Throughput: &Throughput{
			InputTokenRate:  in.statistics("throughput.inputTokens", "tokens/s"),
			OutputTokenRate: in.statistics("throughput.outputTokens", "tokens/s"),
			RequestRate:     in.statistics("throughput.requests", "queries/s"),
		},
	}
	if t := a.Throughput; t.InputTokenRate != nil && t.OutputTokenRate != nil {
		t.TotalTokenRate = &Statistics{Units: "tokens/s", Mean: t.InputTokenRate.Mean + t.OutputTokenRate.Mean}
	}
	return a
}

// interToken has the percentiles that rows have. Those of several seeds cannot be made one:
// then there are the mean over the seeds and the greatest value.
func (in *Input) interToken() *Statistics {
	s := in.statistics("itl.mean", "s/token")
	if s == nil {
		return nil
	}
	s.Max = in.greatest("itl.max")
	if len(in.Rows) == 1 {
		s.P50, s.P90, s.P95, s.P99 = in.mean("itl.p50"), in.mean("itl.p90"), in.mean("itl.p95"), in.mean("itl.p99")
	}
	return s
}

// observability has what pools and routers showed. Of several pools, rows have only what
// was asked for.
func (in *Input) observability(over *timeline) *Observability {
	o := &Observability{}
	for i := range in.Scenario.Pools {
		name := in.Scenario.Pools[i].Name
		of := func(metric string) string { return in.ofPool(metric, name) }
		r := Resources{
			KVCacheUsage: in.statistics(of("kvUsage.mean"), "fraction"),
			CacheHitRate: in.statistics(of("cacheHit.gpu"), "fraction"),
			Preemptions:  in.statistics(of("preemptions"), "count"),
		}
		if in.Scenario.Pools[i].Role == v1alpha1.DecodeRole {
			r.CacheHitRate = nil // requests count where they decode, and hits where the prompt is computed
		}
		if r.KVCacheUsage != nil {
			r.KVCacheUsage.Max = in.greatest(of("kvUsage.peak"))
		}
		c := ComponentObservability{ComponentLabel: name, TimeSeries: over.resources(name)}
		if r != (Resources{}) {
			c.Aggregate = &r
		}
		if c.Aggregate != nil || c.TimeSeries != nil {
			o.Components = append(o.Components, c)
		}
	}
	o.DropRate = in.statistics("rejectionRate", "fraction")
	if serving := in.statistics("scaledReplicas.serving", "count"); serving != nil {
		o.ReplicaStatus = &ReplicaStatus{AggregateReadyReplicas: serving}
	}
	return o
}

// ofPool names a metric of a pool: that of the whole run where there is no other pool.
func (in *Input) ofPool(metric, pool string) string {
	if len(in.Scenario.Pools) == 1 {
		return metric
	}
	return fmt.Sprintf("%s{pool=%s}", metric, pool)
}

// own are Windtunnel's figures: what a report has no field for.
func (in *Input) own() map[string]any {
	own := map[string]any{
		"simulated":      true,
		"epoch":          "simulated time 0 of the measured window is " + Epoch.Format(time.RFC3339),
		"engine_version": simulator.EngineVersion,
		"point":          in.Point,
		"seeds":          in.seeds(),
		"confidence":     result.Confidence,
		"metrics":        in.metrics(),
	}
	if len(in.Parameters) > 0 {
		values := map[string]any{}
		for _, p := range in.Parameters {
			values[p.Name] = p.Value
		}
		own["parameters"] = values
	}
	maps.Copy(own, in.Own)
	return own
}

// metrics are the figures of the rows by name, each with its mean over the seeds and the
// interval of the mean.
func (in *Input) metrics() map[string]any {
	values := map[string][]float64{}
	for i := range in.Rows {
		for name, value := range in.Rows[i].Metrics.All() {
			values[name] = append(values[name], value)
		}
	}
	metrics := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		interval := stats.MeanInterval(values[name], result.Confidence)
		m := map[string]any{"mean": interval.Mean, "seeds": interval.N}
		if parsed, errs := result.ParseMetric(name, nil); len(errs) == 0 {
			m["unit"] = string(parsed.Unit())
		}
		if interval.N > 1 {
			m["low"], m["high"] = interval.Low, interval.High
		}
		metrics[name] = m
	}
	return metrics
}
