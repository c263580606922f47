// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// Two endpoints prefill with 4 and 6 requests in flight of 10 each, one decodes with 9 requests in the queue
// of 10: by requests in flight (4 + 6 + 2)/30, (4 + 6)/20 and 2/10; by queues 9/30, 0 and 9/10.
func TestMaxSaturationDetector(t *testing.T) {
	const body = `featureGates: [flowControl]
plugins:
- {name: busy, type: concurrency-detector, parameters: {maxConcurrency: 10}}
- {name: queued, type: utilization-detector, parameters: {queueDepthThreshold: 10, metricsStalenessThreshold: 1h}}
- {name: both, type: max-saturation-detector, parameters: {detectors: [busy, queued]`
	const rest = `}}
flowControl: {saturationDetector: {pluginRef: both}}
`
	roles := []map[string]string{{config.RoleLabel: "prefill"}, {config.RoleLabel: "prefill"}, {config.RoleLabel: "decode"}}
	for name, tc := range map[string]struct {
		stages string
		labels []map[string]string
		want   policy.RouterMetrics
	}{
		"the greater one of each stage": {
			labels: roles, want: policy.RouterMetrics{
				Saturation: policy.Saturation{Prefill: 0.5, Decode: 0.9, Effective: 0.9},
				Detectors:  []policy.Saturation{{Prefill: 0.5, Decode: 0.2}, {Decode: 0.9}},
			},
		},
		"one detector for each stage": {
			stages: ", stages: {busy: [decode], queued: [prefill]}", labels: roles, want: policy.RouterMetrics{
				Saturation: policy.Saturation{Prefill: 0, Decode: 0.2, Effective: 0.2},
				Detectors:  []policy.Saturation{{Decode: 0.2}, {}},
			},
		},
		"a stage without a detector is open": {
			stages: ", stages: {busy: [prefill], queued: [prefill]}", labels: roles, want: policy.RouterMetrics{
				Saturation: policy.Saturation{Prefill: 0.5, Effective: 0.5},
				Detectors:  []policy.Saturation{{Prefill: 0.5}, {}},
			},
		},
		"endpoints without roles decode": {
			stages: ", stages: {queued: [prefill]}", labels: unlabelled(3), want: policy.RouterMetrics{
				Saturation: policy.Saturation{Decode: 0.4, Effective: 0.4},
				Detectors:  []policy.Saturation{{Decode: 0.4}, {}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := plantFor(t, "router-v0.11", body+tc.stages+rest, tc.labels...)
			copy(s.Load(config.InFlightLoadProducerType).Requests, []int64{4, 6, 2})
			view := idle(3)
			view.Scrapes[2].Waiting = 9
			var got policy.RouterMetrics
			s.Export(view, 0, &got)
			got.Bands, got.InFlight = nil, nil
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// A stage whose endpoints are down has no saturation, whatever it had before; and what explains a
// decision shows the saturation that holds requests back, in place of that of all endpoints together.
func TestMaxSaturationOfAStageThatIsDown(t *testing.T) {
	s := plantFor(t, "router-v0.11", `featureGates: [flowControl]
plugins:
- {name: busy, type: concurrency-detector, parameters: {maxConcurrency: 10}}
- {name: max, type: max-saturation-detector, parameters: {detectors: [busy]}}
flowControl: {saturationDetector: {pluginRef: max}}
`, map[string]string{config.RoleLabel: "prefill"}, map[string]string{config.RoleLabel: "decode"})
	copy(s.Load(config.InFlightLoadProducerType).Requests, []int64{8, 2})
	exported := func(view *policy.View) policy.RouterMetrics {
		var m policy.RouterMetrics
		s.Export(view, 0, &m)
		return policy.RouterMetrics{Saturation: m.Saturation, Detectors: m.Detectors}
	}
	view := idle(2)
	if diff := cmp.Diff(policy.RouterMetrics{
		Saturation: policy.Saturation{Prefill: 0.8, Decode: 0.2, Effective: 0.8}, Detectors: []policy.Saturation{{Prefill: 0.8, Decode: 0.2}},
	}, exported(view)); diff != "" {
		t.Errorf("both stages (−want +got):\n%s", diff)
	}
	var saturation float64
	s.Explain(func(x *scheduler.Explanation) { saturation = float64(x.Admission.Saturation) })
	if _, err := s.Schedule(view, &policy.Request{}); err != nil {
		t.Fatal(err)
	}
	if saturation != 0.8 {
		t.Errorf("the explanation has the saturation %v, want 0.8 of prefill", saturation)
	}
	view.Down = []bool{true, false}
	if diff := cmp.Diff(policy.RouterMetrics{
		Saturation: policy.Saturation{Decode: 0.2, Effective: 0.2}, Detectors: []policy.Saturation{{Decode: 0.2}},
	}, exported(view)); diff != "" {
		t.Errorf("prefill is down (−want +got):\n%s", diff)
	}
}

// Without flow control all detectors are asked for all endpoints.
func TestMaxSaturationShedsRequests(t *testing.T) {
	s := plantFor(t, "router-v0.11", `plugins:
- {name: busy, type: concurrency-detector, parameters: {maxConcurrency: 10}}
- {name: max, type: max-saturation-detector, parameters: {detectors: [busy], stages: {busy: [prefill]}}}
flowControl: {saturationDetector: {pluginRef: max}}
`, unlabelled(2)...)
	copy(s.Load(config.InFlightLoadProducerType).Requests, []int64{4, 6})
	if got := s.Detector.Saturation(&scheduler.Cycle{Present: 2}); got != 0.5 {
		t.Errorf("saturation %v, want 0.5", got)
	}
}

// A detector has a part in a decision if the one that decides has it.
func TestDetectorsOfADetector(t *testing.T) {
	c := mustLoadFor(t, "router-v0.11", `plugins:
- {name: busy, type: concurrency-detector}
- {name: idle, type: utilization-detector}
- {name: deep, type: concurrency-detector}
- {name: some, type: max-saturation-detector, parameters: {detectors: [deep]}}
- {name: max, type: max-saturation-detector, parameters: {detectors: [busy, some]}}
schedulingProfiles: [{name: default, plugins: [{pluginRef: max-score-picker}]}]
flowControl: {saturationDetector: {pluginRef: max}}
`)
	want := map[string]config.Treatment{"busy": config.Exact, "deep": config.Exact, "some": config.Exact, "idle": config.NoEffect, "max": config.Exact}
	got := map[string]config.Treatment{}
	for _, r := range c.Report(nil) {
		if _, asked := want[r.Name]; asked {
			got[r.Name] = r.Treatment
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
}
