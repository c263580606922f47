// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

const predictingConfig = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: predicted-latency-producer
  parameters: {streamingMode: true}
- type: latency-scorer
`

// A forecast is what a model said of a request.
type forecast struct{ first, next time.Duration }

// spyLatency remembers its last forecast.
type spyLatency struct {
	config.LatencyModel
	last *forecast
}

func (m spyLatency) FirstToken(f config.LatencyFeatures) time.Duration {
	m.last.first = m.LatencyModel.FirstToken(f)
	return m.last.first
}

func (m spyLatency) NextToken(f config.LatencyFeatures) time.Duration {
	m.last.next = m.LatencyModel.NextToken(f)
	return m.last.next
}

// spyRouter remembers, by request, what was forecast of the chosen endpoint.
type spyRouter struct {
	policy.Router
	spies     []spyLatency
	forecasts map[int]forecast
}

func (r spyRouter) Route(view *policy.View, request *policy.Request) (policy.Route, error) {
	decision, err := r.Router.Route(view, request)
	if err == nil {
		r.forecasts[request.ID] = *r.spies[decision.Endpoint].last
	}
	return decision, err
}

// runForecasts runs a scenario and returns forecasts and what came of them.
func runForecasts(t *testing.T, edit func(*v1alpha1.Scenario)) (forecasts map[int]forecast, completions []simulator.Completion) {
	t.Helper()
	m := buildValid(t, func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig.Inline = ptr.To(predictingConfig)
		edit(s)
	})
	cluster, _ := Cluster(m.in, nil)
	r := spyRouter{forecasts: map[int]forecast{}}
	for _, model := range buildLatencyModels(m.in.Pools, m.config.Pools) {
		spy := spyLatency{model, &forecast{}}
		r.spies, cluster.Latencies = append(r.spies, spy), append(cluster.Latencies, spy)
	}
	picker := epp.New(m.routing.EPPConfig, cluster, 1)
	r.Router = picker
	m.config.Policies.Routing = picker.Routing()
	m.config.Policies.Routing.Router = r
	m.config.Completed = func(c simulator.Completion) { completions = append(completions, c) }
	if _, err := simulation.Run(t.Context(), m.config); err != nil {
		t.Fatal(err)
	}
	return r.forecasts, completions
}

// Where nothing else runs, a prompt takes what it is foreseen to take.
func TestPredictionOfIdleEndpointIsExact(t *testing.T) {
	for name, edit := range map[string]func(*v1alpha1.Scenario){
		"in one step":    func(*v1alpha1.Scenario) {},
		"in whole steps": func(s *v1alpha1.Scenario) { s.Pools[0].Engine.MaxNumBatchedTokens = 1500 },
		"beside drafts":  speculate(eagle()),
		"with a request cost": func(s *v1alpha1.Scenario) {
			s.Pools[0].RequestCost = &v1alpha1.RequestCost{QueueBaseMicroseconds: "15563", QueuePerTokenMicroseconds: "3", PerOutputTokenMicroseconds: "45"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			forecasts, completions := runForecasts(t, func(s *v1alpha1.Scenario) {
				s.Horizon.Requests = ptr.To[int64](1)
				s.Workload.Clients[0].InputTokens = v1alpha1.Lengths{Distribution: "Constant", Mean: "1976", Min: 1}
				edit(s)
			})
			c := completions[0]
			if got, want := forecasts[c.ID].first, c.FirstToken.Sub(c.Arrival); got != want {
				t.Errorf("first token foreseen in %v, took %v", got, want)
			}
		})
	}
}

// Under load, forecasts are right on the whole, though nobody knows what comes:
// in the middle of all requests, and by how much they are off on average.
func TestPredictionUnderLoad(t *testing.T) {
	type load struct {
		rate         v1alpha1.PositiveDecimal
		asynchronous v1alpha1.Switch
		speculates   bool
	}
	type within struct{ middle, off float64 }
	for load, want := range map[load]struct{ first, next within }{
		{"10", v1alpha1.Disabled, false}: {within{0.02, 0.1}, within{0.1, 0.25}},
		{"20", v1alpha1.Disabled, false}: {within{0.05, 0.2}, within{0.1, 0.6}},
		{"40", v1alpha1.Disabled, false}: {within{0.02, 0.05}, within{0.2, 0.8}}, // more than the replicas can do
		{"10", v1alpha1.Enabled, false}:  {within{0.02, 0.1}, within{0.1, 0.25}},
		{"20", v1alpha1.Enabled, false}:  {within{0.05, 0.2}, within{0.1, 0.7}},
		{"10", v1alpha1.Disabled, true}:  {within{0.02, 0.1}, within{0.1, 0.3}},
		{"16", v1alpha1.Disabled, true}:  {within{0.05, 0.2}, within{0.1, 0.8}},
		{"40", v1alpha1.Enabled, false}:  {within{0.02, 0.05}, within{0.2, 0.8}},
	} {
		t.Run(fmt.Sprintf("%s a second, asynchronous scheduling %s, speculative decoding %t", load.rate, load.asynchronous, load.speculates), func(t *testing.T) {
			forecasts, completions := runForecasts(t, func(s *v1alpha1.Scenario) {
				s.Horizon.Requests = ptr.To[int64](2000)
				s.Pools[0].Engine.AsynchronousScheduling = load.asynchronous
				if load.speculates {
					speculate(eagle())(s)
				}
				s.Workload.Clients[0].Arrivals.Rate = load.rate
				s.Workload.Clients[0].Prefix = nil
				s.SLOs = nil // else the latency-scorer packs requests as closely as they allow
				s.Workload.Clients[0].InputTokens = v1alpha1.Lengths{Distribution: "Normal", Mean: "2000", StdDev: "500", Min: 1, Max: ptr.To[int32](4000)}
			})
			var firsts, nexts []float64
			for _, c := range completions {
				f := forecasts[c.ID]
				firsts = append(firsts, float64(f.first)/float64(c.FirstToken.Sub(c.Arrival)))
				if c.OutputTokens > 20 {
					nexts = append(nexts, float64(f.next)*float64(c.OutputTokens-1)/float64(c.LastToken.Sub(c.FirstToken)))
				}
			}
			for _, check := range []struct {
				what   string
				ratios []float64
				want   within
			}{{"first token", firsts, want.first}, {"next token", nexts, want.next}} {
				got := ratioSpread(check.ratios)
				t.Logf("%s: foreseen ÷ true is %.3f in the middle, off by %.3f on average", check.what, 1+got.middle, got.off)
				if math.Abs(got.middle) > check.want.middle || got.off > check.want.off {
					t.Errorf("%s: off by %+v, want %+v", check.what, got, check.want)
				}
			}
		})
	}
}

// ratioSpread says how far ratios are from 1.
func ratioSpread(ratios []float64) (s struct{ middle, off float64 }) {
	slices.Sort(ratios)
	for _, r := range ratios {
		s.off += math.Abs(r-1) / float64(len(ratios))
	}
	s.middle = ratios[len(ratios)/2] - 1
	return s
}

// A full engine decodes no more than it has seats for, whoever waits.
func TestPredictionBoundsDecodes(t *testing.T) {
	pool := simulator.Pool{Timer: countingTimer{}, MaxNumSeqs: 8, MaxNumBatchedTokens: 512, KVBlocks: 100, BlockTokens: 16}
	m := stepLatency{&pool}
	for _, tc := range []struct {
		f    config.LatencyFeatures
		want time.Duration
	}{
		{config.LatencyFeatures{PromptTokens: 10}, 1},
		{config.LatencyFeatures{PromptTokens: 10, InFlight: 3}, 4},
		{config.LatencyFeatures{PromptTokens: 10, InFlight: 500, KVUsage: 1}, 8},
	} {
		if got := m.NextToken(tc.f); got != tc.want {
			t.Errorf("%+v: %d decode, want %d", tc.f, got, tc.want)
		}
	}
}

// countingTimer takes 1 ns a sequence.
type countingTimer struct{}

func (countingTimer) StepTime(s latency.Step) time.Duration { return time.Duration(s.Sequences) }

func TestPredictionIsBounded(t *testing.T) {
	pool := simulator.Pool{Timer: countingTimer{}, MaxNumSeqs: 8, MaxNumBatchedTokens: 1}
	if got := (stepLatency{&pool}).FirstToken(config.LatencyFeatures{PromptTokens: 1, QueuedTokens: math.MaxInt64}); got <= 0 {
		t.Errorf("foreseen in %v", got)
	}
}

func TestMeanAnswer(t *testing.T) {
	in := buildValid(t, func(*v1alpha1.Scenario) {}).in
	in.Workload.Clients[0].OutputTokens = v1alpha1.Lengths{Distribution: "Constant", Mean: "60", Min: 1}
	if got := meanAnswer(&Part{Scenario: in}, nil, 1); got != 60 {
		t.Errorf("answers of %v tokens, want 60", got)
	}
}

// The better the predictions, the sooner requests are served.
func TestBetterPredictionsLowerLatency(t *testing.T) {
	mean := func(config string, wrong v1alpha1.NonNegativeDecimal) time.Duration {
		c := mustBuild(t, func(s *v1alpha1.Scenario) {
			s.Horizon.Requests, s.SLOs = ptr.To[int64](3000), nil
			s.Pools[0].Replicas = 4
			s.Router.EndpointPickerConfig.Inline = ptr.To(config)
			s.Router.LatencyPrediction = &v1alpha1.LatencyPrediction{Error: wrong}
			s.Workload.Clients[0].Arrivals.Rate = "40"
			s.Workload.Clients[0].Prefix = nil
			s.Workload.Clients[0].InputTokens = v1alpha1.Lengths{Distribution: "Exponential", Mean: "2000", Min: 1, Max: ptr.To[int32](8000)}
		})
		sum, n := time.Duration(0), 0
		c.Completed = func(c simulator.Completion) { sum, n = sum+c.FirstToken.Sub(c.Arrival), n+1 }
		if _, err := simulation.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		return sum / time.Duration(n)
	}
	random := mean("apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins: [{type: random-picker}]", "")
	wrong, right := mean(predictingConfig, "0.5"), mean(predictingConfig, "0")
	t.Logf("first token after %v where predictions are right, %v where they are off by a half, %v at random", right, wrong, random)
	if right > wrong*9/10 || wrong > random*9/10 {
		t.Errorf("first token after %v, %v and %v", right, wrong, random)
	}
}
