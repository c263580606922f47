// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// idle is a scaler that leaves all as it is.
type idle struct{}

// Scale implements [autoscaling.Scaler].
func (idle) Scale(*autoscaling.View, []int) (r autoscaling.Reason) { return r }

// TestExportsAreThoseOfTheMonitor has a scaler's monitor scrape the same simulation at the same
// times: the engine itself counts what it shows.
func TestExportsAreThoseOfTheMonitor(t *testing.T) {
	stage := stageOf(1)
	stage.ByReplica, stage.WarmUp = true, 0
	interval := stage.Window.Interval
	monitor := autoscaling.NewMonitor(2, interval, 0, time.Hour)
	whole := scenario(t)
	recording, err := stage.Play(t.Context(), func(seed int64) (simulator.Config, error) {
		c, err := whole(seed)
		c.Scaling = []simulator.ScaledUnit{{Pools: []int{0}, Min: []int{2}, Max: []int{2}, Scaler: idle{}, Interval: time.Hour, Monitor: monitor}}
		return c, err
	}, 42, observe.AsStated())
	if err != nil {
		t.Fatal(err)
	}
	shown := func(metric, pod, le string, at time.Duration) float64 {
		for i := range recording.Series {
			if s := &recording.Series[i]; s.Metric == metric && s.Labels["pod"] == pod && s.Labels["le"] == le {
				return s.Points[at/interval].Value
			}
		}
		t.Fatalf("there is no %s of %s with le=%q", metric, pod, le)
		return 0
	}
	compared := 0
	for n := 0; monitor.Back(n) != nil; n++ {
		sample := monitor.Back(n)
		at := time.Duration(sample.At)
		for i := range sample.Engines {
			e, pod := &sample.Engines[i], "llama/"+strconv.Itoa(i)
			check := func(metric, le string, want float64) {
				t.Helper()
				compared++
				if got := shown(metric, pod, le, at); math.Abs(got-want) > 1e-6*math.Max(1, want) {
					t.Errorf("%v: %s of %s is %v, and the engine shows %v", at, metric, pod, got, want)
				}
			}
			check("vllm:num_requests_running", "", float64(e.Running))
			// A request that comes during a step is waiting for the monitor, and not for vLLM, whose
			// gauges have what a step sees.
			if got := shown("vllm:num_requests_waiting", pod, "", at); got > float64(e.Waiting) {
				t.Errorf("%v: %v requests wait in %s, and %d in the engine", at, got, pod, e.Waiting)
			}
			check("vllm:kv_cache_usage_perc", "", e.KVUsage)
			check("vllm:request_success_total", "", float64(e.Finished.Requests))
			check("vllm:generation_tokens_total", "", float64(e.GenerationTokens()))
			check("vllm:time_to_first_token_seconds_count", "", float64(e.Counters.TimeToFirstToken.Count))
			check("vllm:time_to_first_token_seconds_sum", "", e.Counters.TimeToFirstToken.Sum.Seconds())
			check("vllm:inter_token_latency_seconds_count", "", float64(e.Counters.InterTokenLatency.Count))
			check("vllm:inter_token_latency_seconds_sum", "", e.Counters.InterTokenLatency.Sum.Seconds())
			check("vllm:inter_token_latency_seconds_bucket", "0.025", float64(e.InterTokenLatency[0]+e.InterTokenLatency[1]))
			check("vllm:time_to_first_token_seconds_bucket", "0.005", float64(e.TimeToFirstToken[0]+e.TimeToFirstToken[1]))
		}
	}
	if compared < 500 {
		t.Errorf("only %d values were compared", compared)
	}
}
