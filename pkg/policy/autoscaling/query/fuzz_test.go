// SPDX-License-Identifier: Apache-2.0

package query

import (
	"errors"
	"testing"
	"unicode/utf8"
)

// Any text is a query that can be evaluated, or has faults at places within the text.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		"sum(rate(vllm:prompt_tokens_total{pod=~\"llama/.\",job='x'}[2m])) by (pool) / on(pool) avg(vllm:num_requests_waiting)",
		"histogram_quantile(0.9, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[1m30s]))) or vector(0)",
		"topk(2, -DCGM_FI_DEV_GPU_UTIL > bool 1e-3) and clamp(quantile_over_time(.5, vllm:kv_cache_usage_perc[1h]), 0, 1)",
		"absent(inference_pool_ready_pods{name=\"epp\"}) # comment", "WITH (x = 1) x", "a offset 5m", "{\"a\\\"\"}", "0x1F + 1_000 ^ -2",
	} {
		f.Add(text)
	}
	view := &gauges().view
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Compile(text, threeEngines)
		var faults Faults
		if err != nil {
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatal(err)
			}
			for _, fault := range faults {
				if fault.At < 0 || fault.At > utf8.RuneCountInString(text)+1 || fault.Text == "" {
					t.Fatal(fault)
				}
			}
			return
		}
		first, problem := q.Value(view)
		again, same := q.Value(view)
		if problem != same || first != again && first == first {
			t.Fatalf("%v (%v), and then %v (%v)", first, problem, again, same)
		}
		if _, p := q.Series(view); p != None && problem == None {
			t.Fatal(p)
		}
	})
}
