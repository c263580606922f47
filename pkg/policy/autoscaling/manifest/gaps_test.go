// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A scaler says which metrics had no usable value, and whether it could decide without them.
func TestGapsOfDecisions(t *testing.T) {
	const name = "vllm:num_requests_waiting"
	quick := strings.Replace(soundScaledObject, "  triggers:", "  pollingInterval: 15\n  triggers:", 1)
	series := strings.Replace(quick, "inference_pool_average_queue_size", `"`+name+`"`, 1)
	null := strings.NewReplacer(`threshold: "5"`, `threshold: "5", ignoreNullValues: "false"`, "inference_pool_average_queue_size", `"sum(`+name+`)"`).Replace(quick)
	two := strings.Replace(soundHPA, "  metrics:\n", "  metrics:\n  - {type: External, external: {metric: {name: inference_pool_average_queue_size}, target: {type: AverageValue, averageValue: \"5\"}}}\n", 1)
	absent := strings.Replace(two, `waiting"}`, `waiting", selector: {matchLabels: {pod: llama/9}}}`, 1)
	for what, tc := range map[string]struct {
		kind     Kind
		text     string
		replicas int
		waiting  int // of each replica; negative is no sample
		want     autoscaling.Gaps
	}{
		"a value":                              {HorizontalPodAutoscaler, soundHPA, 2, 3, autoscaling.Gaps{}},
		"no sample":                            {HorizontalPodAutoscaler, soundHPA, 2, -1, autoscaling.Gaps{Metrics: []string{name}, Blind: true}},
		"another metric asks for more":         {HorizontalPodAutoscaler, absent, 2, 9, autoscaling.Gaps{Metrics: []string{name}}},
		"another metric asks for less":         {HorizontalPodAutoscaler, absent, 2, 0, autoscaling.Gaps{Metrics: []string{name}, Blind: true}},
		"KEDA has a value":                     {ScaledObject, quick, 2, 3, autoscaling.Gaps{}},
		"KEDA has a value of each replica":     {ScaledObject, series, 2, 3, autoscaling.Gaps{Metrics: []string{name}, Blind: true}},
		"KEDA has a value of the only replica": {ScaledObject, series, 1, 3, autoscaling.Gaps{}},
		"KEDA cannot wake the pool":            {ScaledObject, null, 0, 3, autoscaling.Gaps{Metrics: []string{"sum(" + name + ")"}, Blind: true}},
		"KEDA takes no series for 0":           {ScaledObject, quick, 0, 3, autoscaling.Gaps{}},
	} {
		t.Run(what, func(t *testing.T) {
			m, errs := Read(tc.kind, []byte(tc.text), nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			config, errs := m.Load(Adapter{Sync: scrape, Targets: llama, Start: monday}, nil, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			p := autoscaling.Pool{Endpoints: 100, Max: 20, Wanted: tc.replicas}
			view := autoscaling.View{Now: simtime.Time(scrape), Monitor: autoscaling.NewMonitor(100, scrape, 0, config.Window), Gaps: &autoscaling.Gaps{}}
			if tc.waiting >= 0 {
				s := view.Monitor.Take(view.Now)
				for i := range tc.replicas {
					s.Engines[i] = autoscaling.Engine{Up: true, Waiting: tc.waiting}
				}
			}
			for i := range tc.replicas {
				p.Replicas = append(p.Replicas, autoscaling.Replica{Endpoint: i, Stage: autoscaling.Serving})
			}
			view.Pools = []autoscaling.Pool{p}
			why := config.New().Scale(&view, []int{tc.replicas})
			if diff := cmp.Diff(tc.want, *view.Gaps); diff != "" {
				t.Errorf("(−want +got):\n%s\n%s", diff, why)
			}
		})
	}
}
