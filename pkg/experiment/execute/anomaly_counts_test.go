// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/result"
)

// anomalyMetric is the metric of a type.
func anomalyMetric(kind insight.Type) result.Metric {
	return result.MustParseMetric(result.Anomalies + "." + string(kind))
}

// There is a metric for each type of anomalies, which knows whether its rule looks at decisions.
func TestEachAnomalyHasAMetric(t *testing.T) {
	metrics := 0
	for _, m := range result.RegisteredMetrics() {
		if m.Name == result.Anomalies {
			metrics++
		}
	}
	if metrics != len(insight.Types) {
		t.Errorf("%d metrics of %d types", metrics, len(insight.Types))
	}
	for _, kind := range insight.Types {
		if m := anomalyMetric(kind); m.NeedsDecisions() != kind.NeedsDecisions() {
			t.Errorf("%s looks at decisions: %v, its rule: %v", m, m.NeedsDecisions(), kind.NeedsDecisions())
		}
	}
}

// gated is a run of a flawed scenario with a gate on anomalies.
func gated(t *testing.T, scenario string, kind insight.Type) *v1alpha1.SimulationRun {
	t.Helper()
	run := flawedRun(t, scenario)
	run.Spec.Gates = []v1alpha1.RunGate{{Name: "calm", Metric: anomalyMetric(kind).String(), Operator: "AtMost", Value: "0", Confidence: "0.95"}}
	return run
}

// The metrics count what the report of the same simulation counts.
func TestMetricsCountAnomaliesOfTheReport(t *testing.T) {
	for scenario, kind := range map[string]insight.Type{
		"priority-ignored": insight.PriorityInversion, "thrashing-tiers": insight.CacheThrashing, "starved-decode": insight.PDBackpressure,
		"oscillating-scaler": insight.ScaleOscillation, "stale-index": insight.ShadowDivergence, "burst-tenant": insight.TenantBurst,
	} {
		t.Run(scenario, func(t *testing.T) {
			c := experimenttest.MustCompileRun(t, gated(t, scenario, kind))
			all, traces := traceOf(t, c, []int{0}, 1, &execute.Tracing{})
			plain, _ := traceOf(t, c, []int{0}, 1, nil)
			if experimenttest.EncodeRows(t, all) != experimenttest.EncodeRows(t, plain) {
				t.Error("a trace changes the counts")
			}
			if traces[0].lines.Len() == 0 {
				t.Error("the counts keep decisions from the trace")
			}
			of := experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: c.Plan.Seeds[0]}
			_, report, err := execute.Reflect(t.Context(), c.Plan, c.Traces, of, nil, insight.Thresholds{}, false)
			if err != nil {
				t.Fatal(err)
			}
			want := map[insight.Type]int{}
			for _, kind := range insight.Types {
				want[kind] = 0
			}
			for _, a := range report.Anomalies {
				want[a.Type] += a.Count
			}
			if want[kind] == 0 {
				t.Errorf("the report has no %s", kind)
			}
			for _, one := range insight.Types {
				got, known := plain[0].Row.Metrics.Get(anomalyMetric(one).String())
				if looked := kind.NeedsDecisions() || !one.NeedsDecisions(); known != looked || known && int(got) != want[one] {
					t.Errorf("%s is %v (there: %v), the report counts %d", one, got, known, want[one])
				}
			}
		})
	}
}

// inline are the thresholds of a run that replace those of the preset Standard.
func inline(text string) *v1alpha1.AnomalyThresholds {
	return &v1alpha1.AnomalyThresholds{Preset: v1alpha1.StandardAnomalies, Inline: &text}
}

// Rows of runs that ask for no count stay as they are, and thresholds change the keys of the others alone.
func TestKeysOfCounts(t *testing.T) {
	key := func(run *v1alpha1.SimulationRun, thresholds *v1alpha1.AnomalyThresholds) string {
		run.Spec.Trace.Thresholds = thresholds
		c := experimenttest.MustCompileRun(t, run)
		all, _ := traceOf(t, c, []int{0}, 1, nil)
		return all[0].Row.Key
	}
	other := inline("storm: 50")
	plain := flawedRun(t, "priority-ignored")
	plain.Spec.Scenario.Horizon.Requests = ptr.To[int64](50)
	if key(plain, nil) != key(plain, other) {
		t.Error("thresholds change the key of a run that asks for no count")
	}
	queues := flawedRun(t, "priority-ignored")
	queues.Spec.Scenario.Horizon.Requests, queues.Spec.Scenario.Pools[0].Engine.QueueMetrics = ptr.To[int64](50), v1alpha1.Enabled
	if key(queues, nil) == key(queues, other) {
		t.Error("thresholds leave the key of a run with queue metrics as it is")
	}
	cheap, dear := gated(t, "priority-ignored", insight.SLOViolation), gated(t, "priority-ignored", insight.HotReplica)
	keys := map[string]string{
		"nothing": key(plain, nil), "ends": key(cheap, nil), "decisions": key(dear, nil), "other thresholds": key(cheap, other),
	}
	seen := map[string]string{}
	for name, k := range keys {
		if before, same := seen[k]; same {
			t.Errorf("counts of %s and %s have one key", name, before)
		}
		seen[k] = name
	}
	if diff := cmp.Diff(keys["ends"], key(cheap, nil)); diff != "" {
		t.Errorf("the key is another one (−first +again):\n%s", diff)
	}
}

// Thresholds of a run decide what is an anomaly.
func TestThresholdsOfARun(t *testing.T) {
	count := func(thresholds *v1alpha1.AnomalyThresholds) float64 {
		run := gated(t, "priority-ignored", insight.PriorityInversion)
		run.Spec.Trace.Thresholds = thresholds
		c := experimenttest.MustCompileRun(t, run)
		all, _ := traceOf(t, c, []int{0}, 1, nil)
		value, _ := all[0].Row.Metrics.Get(anomalyMetric(insight.PriorityInversion).String())
		return value
	}
	usual, strict := count(nil), count(inline("minRequests: 1000000"))
	if usual == 0 || strict != 0 {
		t.Errorf("%v inversions, and %v where a million make an anomaly", usual, strict)
	}
	if long := count(inline("inversionMargin: 3s")); long >= usual {
		t.Errorf("%v inversions, and %v by a margin of 3 s", usual, long)
	}
}
