// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"fmt"
	"math/rand/v2"
)

func pick(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

// randomQuery returns a vector.
func randomQuery(r *rand.Rand, depth int) string {
	if depth == 0 {
		return leaf(r)
	}
	of := func() string { return randomQuery(r, depth-1) }
	switch r.IntN(12) {
	case 0, 1, 2:
		return fmt.Sprintf("%s%s(%s)", pick(r, "sum", "avg", "max", "min", "count"), modifier(r), of())
	case 3:
		return fmt.Sprintf("%s%s(%s, %s)", pick(r, "topk", "bottomk"), modifier(r), pick(r, "0", "1", "2"), of())
	case 4:
		return fmt.Sprintf("quantile%s(%s, %s)", modifier(r), pick(r, "0", "0.3", "0.5", "1", "2"), of())
	case 5:
		return fmt.Sprintf("(%s %s %s)", of(), pick(r, "+", "-", "*", "/", "%", ">", "<=", "==", "!=", ">bool", "and", "or", "unless"), of())
	case 6:
		return fmt.Sprintf("(%s %s %s(pod) %s)", of(), pick(r, "+", "-", "/", ">", "==", ">=bool", "and", "or", "unless"), pick(r, "on", "ignoring"), of())
	case 7:
		return fmt.Sprintf("(%s %s %s)", of(), pick(r, "+", "*", "/", "%", ">", "<", "==bool"), pick(r, "0", "2", "7.5", "-3", "scalar("+of()+")"))
	case 8:
		return fmt.Sprintf("(%s %s %s)", pick(r, "1", "10"), pick(r, "-", "/", "<", ">=bool"), of())
	case 9:
		return fmt.Sprintf("%s(%s)", pick(r, "abs", "ceil", "floor", "round", "sqrt", "-"), of())
	case 10:
		return pick(r, "clamp_min("+of()+", 3)", "clamp_max("+of()+", 3)", "clamp("+of()+", 2, 5)", "clamp("+of()+", 5, 2)", "round("+of()+", 0.3)")
	default:
		return pick(r, "vector("+pick(r, "0", "5", "scalar("+of()+")")+")", "absent("+of()+")", of()+" or vector(0)")
	}
}

func leaf(r *rand.Rand) string {
	window := "[" + pick(r, "10s", "30s", "1m", "90s", "2m", "5m", "1m30s500ms") + "]"
	matchers := pick(r, "", "", "{}", `{pod="llama/0"}`, `{pool!="qwen"}`, `{pod=~"llama/.*",namespace=""}`)
	gauge, counter := "vllm:num_requests_waiting"+matchers, "vllm:prompt_tokens_total"+matchers
	switch r.IntN(6) {
	case 0:
		return gauge
	case 1, 2:
		return pick(r, "rate", "increase", "irate", "delta") + "(" + counter + window + ")"
	case 3:
		return pick(r, "avg_over_time(", "max_over_time(", "min_over_time(", "sum_over_time(", "count_over_time(", "last_over_time(",
			"quantile_over_time(0.4, ", "delta(") + gauge + window + ")"
	case 4:
		return fmt.Sprintf("histogram_quantile(%s, sum by (le%s) (rate(vllm:time_to_first_token_seconds_bucket%s%s)))",
			pick(r, "0", "0.5", "0.9", "0.99", "1", "-1", "1.5"), pick(r, "", ",pool", ",pod"), matchers, window)
	default:
		return fmt.Sprintf("(sum(rate(vllm:time_to_first_token_seconds_count%s%s)))", matchers, window)
	}
}

func modifier(r *rand.Rand) string {
	return pick(r, "", " by (pod) ", " by (pool) ", " without (pod) ", " without (pool, deployment) ", " by (pod, namespace) ")
}
