// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// managedHPA is found by its annotations.
var managedHPA = strings.Replace(followingHPA, "spec:\n", `metadata:
  name: llama
  annotations: {llm-d.ai/managed: "true", llm-d.ai/model-id: llama, llm-d.ai/variant-cost: "30.0"}
spec:
`, 1)

// variantOf is a pool with engines of 100,000 tokens.
func variantOf(name, role string) Variant {
	return Variant{KVTokens: 100_000, Inventory: -1, Variant: wva.Variant{
		Name: name, Role: role, Accelerator: "h100-sxm", GPUs: 1, Cost: 10, BatchedTokens: 8192, Sequences: 256,
	}}
}

// engineAt has finished 4 requests of 1,000 and 200 tokens per sample, with a quarter of the prompts
// in the cache.
func engineAt(sample, waiting int, kv float64) autoscaling.Engine {
	n := int64(4 * sample)
	e := autoscaling.Engine{Up: true, Waiting: waiting, KVUsage: kv, Finished: autoscaling.Finished{Requests: n, PromptTokens: 1000 * n, AnswerTokens: 200 * n}}
	e.Counters.PrefixCacheQueries, e.Counters.PrefixCacheHits = 1000*n, 250*n
	return e
}

// The engine holds at most 80,000 tokens of 100,000. A step of 8,192 tokens keeps min(8192·200/1200,
// 256) = 256 requests of 1000 + 200/2 tokens going, 281,600 tokens, which is more. Half of the cache is
// 50,000 tokens, and each request that waits is 1,200.
func TestTheAnalyserByTokens(t *testing.T) {
	for name, tc := range map[string]struct {
		waiting, queued int
		bytes           int64
		want            string
	}{
		// 50,000 + 2·1,200 = 52,400; 52,400/0.7 = 74,857.1 of 80,000.
		"a short queue": {2, 0, 0, "WVA asks for 1: a demand of 52400 tokens and a supply of 80000, with 80000 an engine (P3-k2), spare 5143, which is less than an engine, or the last"},
		// A queue of 5 shows that the engine can do no more than the 50,000: (50,000 + 5·1,200)/0.85 − 50,000 =
		// 15,882.4.
		"a long queue": {5, 0, 0, "WVA asks for 2: a demand of 56000 tokens and a supply of 50000, with 50000 an engine (P1-obs), lack 15882"},
		// max(160,000/4, 10·1,000)·0.75 + 10·200 = 32,000; 82,000/0.85 − 80,000 = 16,470.6.
		"prompts in the queue of the EPP": {0, 10, 160_000, "WVA asks for 2: a demand of 82000 tokens and a supply of 80000, with 80000 an engine (P3-k2), lack 16471"},
		// max(4,000/4, 40·1,000)·0.75 + 40·200 = 38,000.
		"many requests in it": {0, 40, 4000, "WVA asks for 2: a demand of 88000 tokens and a supply of 80000, with 80000 an engine (P3-k2), lack 23529"},
	} {
		t.Run(name, func(t *testing.T) {
			monitor := autoscaling.NewMonitor(1, scrape, 0, wva.LengthsWindow)
			for k := range 4 {
				s := monitor.Take(simtime.Time(k+1) * simtime.Time(scrape))
				s.Engines[0] = engineAt(k+1, tc.waiting, 0.5)
				s.Gateway.Queued, s.Router.QueuedBytes = tc.queued, tc.bytes
			}
			m, errs := Read(ConfigMap, []byte(tokensConfigMap), nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			config, errs := m.Load(Adapter{Variants: []Variant{variantOf("llama", wva.Both)}, Queue: true}, nil, nil)
			if len(errs) > 0 || config.Interval != wva.TokensInterval || config.Window != wva.LengthsWindow {
				t.Fatal(config, errs)
			}
			view := &autoscaling.View{Now: simtime.Time(4 * scrape), Monitor: monitor, Pools: []autoscaling.Pool{{
				Endpoints: 1, Min: 1, Max: 9, Wanted: 1, Replicas: []autoscaling.Replica{{Stage: autoscaling.Serving}},
			}}}
			if got := config.New().Scale(view, []int{1}); string(got) != tc.want {
				t.Errorf("%s\nwant %s", got, tc.want)
			}
		})
	}
}

// Decode needs replicas, and prefill needs none: prefill at its maximum takes no part with 0, but
// then decode gets none either, as in the real controller, which picks a variant of each role.
func TestRolesGrowTogether(t *testing.T) {
	for name, tc := range map[string]struct {
		most int
		want string
	}{
		"prefill could have more":   {9, "prefill WVA asks for 1: a demand of 30000 tokens and a supply of 80000, with 80000 an engine (P3-k2), spare 37143, which is less than an engine, or the last; decode WVA asks for 2: a demand of 74000 tokens and a supply of 50000, with 50000 an engine (P1-obs), lack 37059"},
		"prefill is at its maximum": {1, "prefill WVA asks for 1: a demand of 30000 tokens and a supply of 80000, with 80000 an engine (P3-k2), spare 37143, which is less than an engine, or the last; decode WVA asks for 1: a demand of 74000 tokens and a supply of 50000, with 50000 an engine (P1-obs), lack 37059, and there can be no more"},
	} {
		t.Run(name, func(t *testing.T) {
			monitor := autoscaling.NewMonitor(2, scrape, 0, wva.LengthsWindow)
			for k := range 4 {
				s := monitor.Take(simtime.Time(k+1) * simtime.Time(scrape))
				s.Engines[0], s.Engines[1] = engineAt(k+1, 0, 0.3), engineAt(k+1, 20, 0.5)
			}
			a := tokens{analyser: wva.NewTokens(defaultTokens), pools: []Variant{variantOf("prefill", wva.Prefill), variantOf("decode", wva.Decode)}}
			pools := []autoscaling.Pool{
				{Endpoints: 1, Min: 1, Max: tc.most, Wanted: 1, Replicas: []autoscaling.Replica{{Stage: autoscaling.Serving}}},
				{First: 1, Endpoints: 1, Min: 1, Max: 9, Wanted: 1, Replicas: []autoscaling.Replica{{Endpoint: 1, Stage: autoscaling.Serving}}},
			}
			s := wvaScaler{analyser: &a, exported: -1}
			got := s.Scale(&autoscaling.View{Now: simtime.Time(4 * scrape), Monitor: monitor, Pools: pools}, []int{1, 1})
			if string(got) != tc.want {
				t.Errorf("%s\nwant %s", got, tc.want)
			}
		})
	}
}

// Two pools of one model without roles are variants. An engine of a, which has a queue, keeps the 50,000 tokens that
// it holds, and one of b 80,000, at three times the cost. With 60 requests waiting, (50,000 + 60·1,200 + 30,000)/0.85 −
// 130,000 = 48,824 tokens lack: one more of a, which costs less for a token; of b where a is at its maximum. Idle,
// 160,000 − 20,000/0.7 = 131,429 spare: one of b, the dearer one, and what is left is less than one of a, which stays.
func TestVariantsOfOneModel(t *testing.T) {
	for name, tc := range map[string]struct {
		waiting, least, most int
		a, b                 float64
		want                 string
	}{
		"the cheaper variant grows":           {60, 1, 9, 0.5, 0.3, "2:1"},
		"the dearer one beyond its maximum":   {60, 1, 1, 0.5, 0.3, "1:2"},
		"the dearer one goes first":           {0, 0, 9, 0.1, 0.1, "1:0"},
		"the minimum of the dearer one stays": {0, 1, 9, 0.1, 0.1, "1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			monitor := autoscaling.NewMonitor(2, scrape, 0, wva.LengthsWindow)
			for k := range 4 {
				s := monitor.Take(simtime.Time(k+1) * simtime.Time(scrape))
				s.Engines[0], s.Engines[1] = engineAt(k+1, tc.waiting, tc.a), engineAt(k+1, 0, tc.b)
			}
			a := tokens{analyser: wva.NewTokens(defaultTokens), pools: []Variant{variantOf("a", wva.Both), variantOf("b", wva.Both)}}
			a.pools[1].Cost, a.pools[1].Accelerator = 30, "h200"
			pools := []autoscaling.Pool{
				{Endpoints: 1, Min: 1, Max: tc.most, Wanted: 1, Replicas: []autoscaling.Replica{{Stage: autoscaling.Serving}}},
				{First: 1, Endpoints: 1, Min: tc.least, Max: 9, Wanted: 1, Replicas: []autoscaling.Replica{{Endpoint: 1, Stage: autoscaling.Serving}}},
			}
			wanted := []int{1, 1}
			s := wvaScaler{analyser: &a, exported: -1}
			why := s.Scale(&autoscaling.View{Now: simtime.Time(4 * scrape), Monitor: monitor, Pools: pools}, wanted)
			if got := fmt.Sprintf("%d:%d", wanted[0], wanted[1]); got != tc.want {
				t.Errorf("%s, want %s: %s", got, tc.want, why)
			}
		})
	}
}

func TestAnnotationsSelectTheAnalyserThatIsShipped(t *testing.T) {
	targets := llama
	targets.Variant = "llama"
	m, errs := Read(HorizontalPodAutoscaler, []byte(managedHPA), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if again, errs := Read(HorizontalPodAutoscaler, []byte(m.Canonical()), nil); len(errs) > 0 || !again.IsManaged() {
		t.Error("the canonical text has lost the annotations", errs)
	}
	config, errs := m.Load(Adapter{Sync: scrape, Targets: targets, Variants: []Variant{variantOf("llama", wva.Both)}}, nil, nil)
	if len(errs) > 0 || config.Window != wva.LengthsWindow {
		t.Fatal(config, errs)
	}
	// 0 + 6·0 tokens: nothing has finished, so a queue has no tokens, and the engine keeps 80,000.
	if _, why := playConfig(config, 1, 4, 1, []int{6, 6}); !strings.HasPrefix(why[1], "WVA asks for 1: a demand of 0 tokens and a supply of 80000, with 80000 an engine (P4-k1)") {
		t.Error(why)
	}
}

func TestFaultsOfAnnotations(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, path string }{
		"no model":                {`llm-d.ai/model-id: llama, `, "", "m.metadata.annotations[llm-d.ai/model-id]"},
		"a cost that is negative": {`"30.0"`, `"-1"`, "m.metadata.annotations[llm-d.ai/variant-cost]"},
		"a cost that is a number": {`"30.0"`, "30", "m.metadata.annotations[llm-d.ai/variant-cost]"},
		"true without quotes":     {`"true"`, "true", "m.metadata.annotations[llm-d.ai/managed]"},
		"a number":                {`"true"`, "1", "m.metadata.annotations[llm-d.ai/managed]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Read(HorizontalPodAutoscaler, []byte(strings.Replace(managedHPA, tc.old, tc.new, 1)), field.NewPath("m"))
			if len(errs) != 1 || errs[0].Field != tc.path {
				t.Errorf("errors %v, want %s", errs, tc.path)
			}
		})
	}
}
