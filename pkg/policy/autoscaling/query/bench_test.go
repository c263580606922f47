// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func many(replicas int) (Targets, *autoscaling.View) {
	p := Pool{Name: "llama", Model: "llama-8b"}
	for i := range replicas {
		p.Pods = append(p.Pods, fmt.Sprint("llama/", i))
	}
	m := autoscaling.NewMonitor(replicas, interval, 0, 2*time.Minute)
	at := simtime.Time(0)
	for k := range 20 {
		at = at.Add(interval)
		s := m.Take(at)
		for i := range s.Engines {
			s.Engines[i].Up = true
			s.Engines[i].Counters.PrefixCacheQueries = int64(k * 15)
			s.Engines[i].TimeToFirstToken[9] = int64(k)
		}
	}
	return Targets{InferencePool: "llama", Pools: []Pool{p}}, &autoscaling.View{Now: at, Monitor: m}
}

func BenchmarkValue(b *testing.B) {
	for _, text := range []string{
		"avg(vllm:num_requests_waiting)",
		"avg(rate(vllm:prompt_tokens_total[2m]))",
		"histogram_quantile(0.99, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[2m])))",
	} {
		b.Run(text, func(b *testing.B) {
			targets, view := many(64)
			q, err := Compile(text, targets)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, problem := q.Value(view); problem != None {
					b.Fatal(problem)
				}
			}
		})
	}
}

func TestAnEvaluationAllocatesNothing(t *testing.T) {
	targets, view := many(64)
	for _, text := range []string{"avg(rate(vllm:prompt_tokens_total[2m]))", "sum by (pod) (vllm:num_requests_waiting) or vector(0)"} {
		q, err := Compile(text, targets)
		if err != nil {
			t.Fatal(err)
		}
		q.Value(view)
		limit := 0.0
		if text[0] == 's' {
			limit = 10
		}
		if n := testing.AllocsPerRun(10, func() { q.Value(view) }); n > limit {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}
