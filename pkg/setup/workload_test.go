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
	copy1, copy2 := plain, plain
	copy1.Name, copy2.Name = "c-1", "c-2"
	dealt := &workload.SharedArrivals{Name: "c", Order: workload.Cycle, Shares: []float64{0.5, 0.5}}
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
				c.Sessions = &workload.Sessions{Concurrent: 3, Turns: ten, Accumulate: true, Order: workload.Cycle, MaxTokens: 99}
				return []workload.Client{c}
			},
		},
		"sessions that forget": {
			func(c *v1alpha1.Client) {
				c.Sessions = &v1alpha1.Sessions{Concurrent: ptr.To[int32](3), Turns: c.InputTokens, Context: v1alpha1.IndependentContext, Order: v1alpha1.RandomOrder}
			},
			func() []workload.Client {
				c := plain
				c.Sessions = &workload.Sessions{Concurrent: 3, Turns: ten, Order: workload.Random}
				return []workload.Client{c}
			},
		},
		"copies that share a process": {
			func(c *v1alpha1.Client) {
				c.Copies = &v1alpha1.Copies{Count: 2, ZipfExponent: "0", Arrivals: v1alpha1.CycleArrivals}
			},
			func() []workload.Client {
				a, b := copy1, copy2
				a.SharedArrivals, b.SharedArrivals = dealt, dealt
				return []workload.Client{a, b}
			},
		},
		"copies with adapters": {
			func(c *v1alpha1.Client) {
				c.Adapter, c.Copies = "tone", &v1alpha1.Copies{Count: 2, Arrivals: v1alpha1.OwnArrivals}
			},
			func() []workload.Client {
				a, b := copy1, copy2
				a.Arrivals.RatePerSecond, b.Arrivals.RatePerSecond = 3, 3
				a.Adapter, b.Adapter = "tone-1", "tone-2"
				return []workload.Client{a, b}
			},
		},
		"copies with one adapter": {
			func(c *v1alpha1.Client) {
				c.Adapter, c.Copies = "tone", &v1alpha1.Copies{Count: 2, Adapters: v1alpha1.SharedAdapters}
			},
			func() []workload.Client {
				a, b := copy1, copy2
				a.Arrivals.RatePerSecond, b.Arrivals.RatePerSecond = 3, 3
				a.Adapter, b.Adapter = "tone", "tone"
				return []workload.Client{a, b}
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
