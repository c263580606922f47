// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// plainClient is the least that a client is.
func plainClient() v1alpha1.Client {
	ten := v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: "10", Min: 1}
	return v1alpha1.Client{
		Name: "c", Arrivals: v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Rate: "6"},
		InputTokens: ten, OutputTokens: ten,
	}
}

func TestBuildClients(t *testing.T) {
	ten := workload.Lengths{Distribution: stats.Constant{Value: 10}, Min: 1}
	plain := workload.Client{
		Name: "c", Arrivals: workload.Arrivals{Process: workload.Poisson, RatePerSecond: 6}, Input: ten, Output: ten,
	}
	copied := func(copies workload.Copies) workload.Client {
		c := plain
		c.Copies = &copies
		return c
	}
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Client)
		want func() []workload.Client
	}{
		"as it is": {func(*v1alpha1.Client) {}, func() []workload.Client { return []workload.Client{plain} }},
		"stages": {
			func(c *v1alpha1.Client) {
				c.Arrivals.Rate = ""
				c.Arrivals.Stages = []v1alpha1.RateStage{{Rate: "15", Duration: "50s"}, {Rate: "0", Duration: "1m"}}
			},
			func() []workload.Client {
				c := plain
				c.Arrivals.RatePerSecond = 0
				c.Arrivals.Stages = []workload.Stage{{RatePerSecond: 15, Duration: 50 * time.Second}, {Duration: time.Minute}}
				return []workload.Client{c}
			},
		},
		"fixed prompts": {
			func(c *v1alpha1.Client) { c.Prompts = &v1alpha1.Prompts{Count: 5, Order: v1alpha1.RandomOrder} },
			func() []workload.Client {
				c := plain
				c.Prompts = &workload.Prompts{Count: 5, Order: workload.Random}
				return []workload.Client{c}
			},
		},
		"sessions": {
			func(c *v1alpha1.Client) {
				c.Sessions = &v1alpha1.Sessions{Concurrent: ptr.To[int32](3), Turns: c.InputTokens, Context: v1alpha1.AccumulateContext, Order: v1alpha1.CycleOrder, MaxTokens: ptr.To[int32](99)}
			},
			func() []workload.Client {
				c := plain
				c.Sessions = &workload.Sessions{Concurrent: 3, Turns: ten, Context: workload.Accumulate, Order: workload.Cycle, MaxTokens: 99}
				return []workload.Client{c}
			},
		},
		"sessions that condense and change": {
			func(c *v1alpha1.Client) {
				c.Sessions = &v1alpha1.Sessions{
					Concurrent: ptr.To[int32](3), Turns: c.InputTokens, Context: v1alpha1.CondenseContext, Order: v1alpha1.CycleOrder,
					Condense: &v1alpha1.Condense{Every: 4000, Exponent: "0.8"}, PromptGrowth: "1.2", AnswerVariation: "0.3",
				}
			},
			func() []workload.Client {
				c := plain
				c.Sessions = &workload.Sessions{
					Concurrent: 3, Turns: ten, Context: workload.Condense, Order: workload.Cycle,
					CondenseEvery: 4000, CondenseExponent: 0.8, PromptGrowth: 1.2, AnswerVariation: 0.3,
				}
				return []workload.Client{c}
			},
		},
		"sessions of agents": {
			func(c *v1alpha1.Client) {
				second := v1alpha1.Duration("1s")
				two := v1alpha1.Amounts{Distribution: v1alpha1.ConstantAmounts, Mean: "2", Min: 1}
				c.Sessions = &v1alpha1.Sessions{
					ThinkTime: &v1alpha1.Durations{Distribution: v1alpha1.ConstantDurations, Mean: &second}, Turns: c.InputTokens,
					Context: v1alpha1.AccumulateContext, Order: v1alpha1.CycleOrder,
					Tools:    &v1alpha1.Tools{Probability: "0.5", Calls: two, Latency: v1alpha1.Durations{Distribution: v1alpha1.ConstantDurations, Mean: &second}, ResultTokens: two},
					Branches: &v1alpha1.Branches{Count: two, InputTokens: &two},
				}
			},
			func() []workload.Client {
				c := plain
				second := workload.Durations{Distribution: stats.Constant{Value: 1}}
				two := func(limit int) workload.Lengths {
					return workload.Lengths{Distribution: stats.Constant{Value: 2}, Min: 1, Max: limit}
				}
				input := two(workload.MaxTokens)
				c.Sessions = &workload.Sessions{
					AfterAnswer: true, ThinkTime: &second, Turns: ten, Context: workload.Accumulate, Order: workload.Cycle,
					Tools:    &workload.Tools{Probability: 0.5, Calls: two(1000), Latency: second, Result: two(workload.MaxTokens)},
					Branches: &workload.Branches{Probability: 1, Count: two(64), Input: &input},
				}
				return []workload.Client{c}
			},
		},
		"prompts of several parts": {
			func(c *v1alpha1.Client) {
				two := v1alpha1.Amounts{Distribution: v1alpha1.ConstantAmounts, Mean: "2", Min: 1}
				c.Prefix = &v1alpha1.Prefix{
					Group: "g", Tokens: 9,
					Groups:   &v1alpha1.PrefixGroups{Count: 7, ZipfExponent: "1.5", DriftPeriod: "1h", Correlation: "0.25"},
					Examples: &v1alpha1.Examples{Pool: 30, Count: two, Tokens: two, Order: v1alpha1.SortedExamples},
				}
				c.Media = []v1alpha1.Media{{Kind: v1alpha1.AudioMedia, Probability: "0.5", Count: two, Tokens: two, Pool: ptr.To[int32](8)}}
				c.Reasoning = &v1alpha1.Reasoning{Steps: two, TokensPerStep: two, Context: v1alpha1.KeptReasoning}
			},
			func() []workload.Client {
				c := plain
				two := func(limit int) workload.Lengths {
					return workload.Lengths{Distribution: stats.Constant{Value: 2}, Min: 1, Max: limit}
				}
				c.PrefixGroup, c.PrefixTokens = "g", 9
				c.PrefixGroups = &workload.PrefixGroups{Count: 7, ZipfExponent: 1.5, DriftPeriod: time.Hour, Correlation: 0.25}
				c.Examples = &workload.Examples{Pool: 30, Count: two(30), Tokens: two(workload.MaxTokens), Sorted: true}
				c.Media = []workload.Media{{Kind: "Audio", Probability: 0.5, Count: two(100), Tokens: two(workload.MaxTokens), Pool: 8}}
				c.Reasoning = &workload.Reasoning{Steps: two(1000), TokensPerStep: two(workload.MaxTokens), Kept: true}
				return []workload.Client{c}
			},
		},
		"sessions that forget": {
			func(c *v1alpha1.Client) {
				c.Sessions = &v1alpha1.Sessions{Concurrent: ptr.To[int32](3), Turns: c.InputTokens, Context: v1alpha1.IndependentContext, Order: v1alpha1.RandomOrder}
			},
			func() []workload.Client {
				c := plain
				c.Sessions = &workload.Sessions{Concurrent: 3, Turns: ten, Context: workload.Independent, Order: workload.Random}
				return []workload.Client{c}
			},
		},
		"copies that share a process": {
			func(c *v1alpha1.Client) {
				c.Copies = &v1alpha1.Copies{Count: 2, ZipfExponent: "0", Arrivals: v1alpha1.CycleArrivals}
			},
			func() []workload.Client {
				return []workload.Client{copied(workload.Copies{Count: 2, SharedArrivals: workload.Cycle})}
			},
		},
		"copies with adapters": {
			func(c *v1alpha1.Client) {
				c.Adapter, c.Copies = "tone", &v1alpha1.Copies{Count: 2, Arrivals: v1alpha1.OwnArrivals}
			},
			func() []workload.Client {
				c := copied(workload.Copies{Count: 2})
				c.Adapter = "tone"
				return []workload.Client{c}
			},
		},
		"copies with one adapter": {
			func(c *v1alpha1.Client) {
				c.Adapter, c.Copies = "tone", &v1alpha1.Copies{Count: 2, Adapters: v1alpha1.SharedAdapters}
			},
			func() []workload.Client {
				c := copied(workload.Copies{Count: 2, SharedAdapter: true})
				c.Adapter = "tone"
				return []workload.Client{c}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := plainClient()
			tc.edit(&c)
			got, _, errs := buildClients([]v1alpha1.Client{c}, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.want(), got); diff != "" {
				t.Errorf("clients (−want +got):\n%s", diff)
			}
		})
	}
}

func TestClientValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		edit       func(*v1alpha1.Client)
		path, text string
	}{
		"nothing but pauses": {
			func(c *v1alpha1.Client) {
				c.Arrivals = v1alpha1.Arrivals{Stages: []v1alpha1.RateStage{{Rate: "0", Duration: "1s"}}}
			}, "arrivals.stages", "greater than 0",
		},
		"a Pareto whose gaps have no mean": {
			func(c *v1alpha1.Client) {
				c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.ParetoArrivals, Rate: "1", Shape: "1.0"}
			}, "arrivals.shape", "must be greater than 1",
		},
		"a Pareto without a shape": {
			func(c *v1alpha1.Client) {
				c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.ParetoArrivals, Rate: "1"}
			}, "arrivals.shape", "needs it",
		},
		"jitter of another process": {
			func(c *v1alpha1.Client) {
				c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Rate: "1", Jitter: "0"}
			}, "arrivals.jitter", "only the process Periodic",
		},
		"an MMPP of no rate": {
			func(c *v1alpha1.Client) {
				state := v1alpha1.ArrivalState{RateFactor: "0", MeanDuration: "1s"}
				c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.MMPPArrivals, Rate: "1", States: []v1alpha1.ArrivalState{state, state}}
			}, "arrivals.states", "rateFactor greater than 0",
		},
		"lengths without a mean": {
			func(c *v1alpha1.Client) {
				c.OutputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ParetoLengths, Mean: "5", Shape: "1", Min: 1}
			}, "outputTokens.shape", "must be greater than 1",
		},
		"a Zipf without an exponent": {
			func(c *v1alpha1.Client) {
				c.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ZipfLengths, Min: 1, Max: ptr.To[int32](9)}
			}, "inputTokens.exponent", "needs it",
		},
		"a shape of another distribution": {
			func(c *v1alpha1.Client) { c.InputTokens.Shape = "2" }, "inputTokens.shape", "only the distribution Pareto",
		},
		"a component without a mean": {
			func(c *v1alpha1.Client) {
				c.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.MixtureLengths, Min: 1, Components: []v1alpha1.LengthComponent{
					{Weight: 1, Distribution: "Constant", Mean: "5"},
					{Weight: 1, Distribution: "Pareto", Mean: "5", Shape: "0.5"},
				}}
			}, "inputTokens.components[1].shape", "must be greater than 1",
		},
		"a component without a deviation": {
			func(c *v1alpha1.Client) {
				c.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.MixtureLengths, Min: 1, Components: []v1alpha1.LengthComponent{
					{Weight: 1, Distribution: "Gamma", Mean: "5"},
				}}
			}, "inputTokens.components[0].stdDev", "must be set",
		},
		"a length twice": {
			func(c *v1alpha1.Client) {
				c.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.HistogramLengths, Min: 1, Histogram: []v1alpha1.WeightedLength{{Tokens: 5, Weight: 1}, {Tokens: 5, Weight: 2}}}
			}, "inputTokens.histogram[1].tokens", "Duplicate",
		},
		"turns of another distribution": {
			func(c *v1alpha1.Client) {
				c.Sessions = &v1alpha1.Sessions{Concurrent: ptr.To[int32](1), Turns: v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: "2", Min: 1, Exponent: "1"}}
			}, "sessions.turns.exponent", "only the distribution Zipf",
		},
		"retries after time-outs that never come": {
			func(c *v1alpha1.Client) {
				c.Retry = &v1alpha1.Retry{Max: 1, Multiplier: "2", Jitter: "0", After: []v1alpha1.RetryReason{v1alpha1.RetryTimedOut}}
			}, "retry.after", "no request times out without a timeout",
		},
		"shares in a round": {
			func(c *v1alpha1.Client) {
				c.Copies = &v1alpha1.Copies{Count: 2, ZipfExponent: "1", Arrivals: v1alpha1.CycleArrivals}
			}, "copies.zipfExponent", "must be 0",
		},
		"more prompts than are kept": {
			func(c *v1alpha1.Client) {
				c.Prompts, c.Copies = &v1alpha1.Prompts{Count: 1001}, &v1alpha1.Copies{Count: 1000}
			}, "prompts.count", "at most 1000000",
		},
		"more sessions than are kept": {
			func(c *v1alpha1.Client) {
				c.Sessions = &v1alpha1.Sessions{Concurrent: ptr.To[int32](1001), Turns: c.InputTokens}
				c.Copies = &v1alpha1.Copies{Count: 1000}
			}, "sessions.concurrent", "at most 1000000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := build(t, func(s *v1alpha1.Scenario) {
				s.Workload = v1alpha1.Workload{Clients: []v1alpha1.Client{plainClient()}}
				tc.edit(&s.Workload.Clients[0])
			})
			wantFault(t, errs, "spec.scenario.workload.clients[0]."+tc.path, tc.text)
		})
	}
}
