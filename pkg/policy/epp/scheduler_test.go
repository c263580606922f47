// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestNoEndpointIsAnError(t *testing.T) {
	s := New(mustLoad(t, everythingProfile), config.Cluster{Endpoints: 0}, 1)
	for range 2 {
		if _, err := s.Route(idle(0), request(0, 100)); !errors.Is(err, policy.ErrNoEndpoint) {
			t.Errorf("error %v", err)
		}
	}
	if d := s.LastResult(); d.Chosen != -1 || len(d.Candidates) != 0 || len(d.Scores) != 0 {
		t.Errorf("decision %+v", d)
	}
}

// everythingProfile scores with all that the load of engines says.
const everythingProfile = `
plugins: [{type: queue-scorer}, {type: kv-cache-utilization-scorer}, {type: running-requests-size-scorer}, {type: load-aware-scorer},
  {type: active-request-scorer}, {type: prefix-cache-scorer}, {type: utilization-detector}]`

// tokensProfile holds sessions and prompts to endpoints and goes by tokens, with
// all the filters that see no labels.
const tokensProfile = `
plugins: [{type: token-load-scorer}, {type: inflight-load-producer}, {type: no-hit-lru-scorer}, {type: lora-affinity-scorer}, {type: context-length-aware},
  {type: session-affinity-scorer}, {name: by-id, type: session-affinity-scorer, parameters: {strategy: session_id}}, {type: prefix-cache-affinity-filter},
  {type: utilization-filter, parameters: {conditions: [{metric: active-requests, maxValue: 50}], fallbackOnEmpty: true}}, {type: concurrency-detector},
  {type: probabilistic-admitter, parameters: {k: 1e-12}}]`

func TestScrapesMustBeOfAllEndpoints(t *testing.T) {
	defer paniccheck.Want(t, "no panic")
	_, _ = New(mustLoad(t, ""), config.Cluster{Endpoints: 3}, 1).Route(idle(2), request(0, 1))
}

func TestLastDecisionExplainsTheScores(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: utilization-detector}, {type: queue-scorer}, {name: kv, type: kv-cache-utilization-scorer}]\n"+
		"schedulingProfiles: [{name: p, plugins: [{pluginRef: kv, weight: -4}, {pluginRef: utilization-detector}, {pluginRef: queue-scorer, weight: 3}]}]")
	s := New(c, config.Cluster{Endpoints: 3}, 1)
	view := idle(3)
	view.Scrapes[0] = policy.Scrape{Waiting: 2, KVUsage: 0.5}
	view.Scrapes[1] = policy.Scrape{Waiting: 5, KVUsage: 0}
	view.Scrapes[2] = policy.Scrape{Waiting: 0, KVUsage: 0.75}
	route(t, s, view, request(0, 10))
	want := scheduler.SchedulingResult{Choice: scheduler.Choice{
		Candidates: []int{0, 2},
		Scorers:    []string{"kv", "queue-scorer"},
		Weighted:   [][]float64{{-2, -1}, {0, 3}},
		Scores:     []float64{-2, 2},
		Chosen:     2,
	}}
	if diff := cmp.Diff(want, s.LastResult()); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
	// A longer list of candidates after a shorter one.
	route(t, s, idle(3), request(1, 10))
	if got := s.LastResult().Scores; !slices.Equal(got, []float64{-1, -1, -1}) {
		t.Errorf("scores %v", got)
	}
}

func TestRawScoresAreClamped(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: kv-cache-utilization-scorer}]"), config.Cluster{Endpoints: 3}, 1)
	view := idle(3)
	view.Scrapes[0].KVUsage, view.Scrapes[1].KVUsage, view.Scrapes[2].KVUsage = 1.5, -0.5, 0.25
	route(t, s, view, request(0, 1))
	if got := s.LastResult().Scores; !slices.Equal(got, []float64{0, 1, 0.75}) {
		t.Errorf("scores %v", got)
	}
}

// Two schedulers see the same; one is told what has changed, the other looks at
// everything each time.
func TestChangesAreAllThatNeedBeLookedAt(t *testing.T) {
	for _, endpoints := range []int{1, 2, 5, 70, 250} {
		random := rand.New(rand.NewPCG(1, uint64(endpoints)))
		for _, text := range []string{strings.Replace(everythingProfile, ", {type: utilization-detector}", "", 1), twoProfiles, referenceProfile, rolesProfile} {
			c := mustLoad(t, text)
			cluster := config.Cluster{Endpoints: endpoints, Labels: thirdsPrefill(endpoints)}
			told, untold := New(c, cluster, 1), New(c, cluster, 1)
			view := idle(endpoints)
			view.Changed = []int32{}
			for n := range 500 {
				r := withPrompt(n, prompt.Extent{Source: uint64(random.IntN(9)), Tokens: 640}, prompt.Extent{Source: uint64(1000 + n), Tokens: 200})
				all := &policy.View{Scrapes: view.Scrapes, Down: view.Down}
				got, gotErr := told.Route(view, r)
				want, wantErr := untold.Route(all, r)
				if got != want || !errors.Is(gotErr, wantErr) {
					t.Fatalf("%d endpoints, request %d: chose %v, %v, want %v, %v", endpoints, n, got, gotErr, want, wantErr)
				}
				if diff := cmp.Diff(untold.LastResult(), told.LastResult()); diff != "" {
					t.Fatalf("%d endpoints, request %d (-want +got):\n%s", endpoints, n, diff)
				}
				// A single endpoint changes more often than there are endpoints.
				view.Changed = view.Changed[:0]
				for range random.IntN(3) {
					e := random.IntN(endpoints)
					view.Scrapes[e] = policy.Scrape{Waiting: random.IntN(6), Running: random.IntN(3), KVUsage: random.Float64(), BlockTokens: 16, Blocks: 500}
					view.Changed = append(view.Changed, int32(e))
				}
				if random.IntN(10) == 0 {
					view.Down = someDown(random, endpoints)
				}
			}
			if diff := cmp.Diff(untold.Idle(), told.Idle()); diff != "" {
				t.Errorf("%d endpoints: idle plugins (-want +got):\n%s", endpoints, diff)
			}
		}
	}
}

// rolesProfile has every prompt computed apart, where the labels say.
const rolesProfile = `
plugins: [{type: prefix-cache-scorer}, {type: queue-scorer}, {type: kv-cache-utilization-scorer}, {type: prefill-filter}, {type: decode-filter},
  {type: always-disagg-pd-decider}, {type: disagg-profile-handler, parameters: {deciders: {prefill: always-disagg-pd-decider}}}]
schedulingProfiles:
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: queue-scorer}, {pluginRef: kv-cache-utilization-scorer}]}
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: prefix-cache-scorer, weight: 3}, {pluginRef: queue-scorer}]}
`

// thirdsPrefill labels endpoints: every third one computes prompts and does not decode.
func thirdsPrefill(endpoints int) []map[string]string {
	labels := make([]map[string]string, endpoints)
	for e := range labels {
		labels[e] = map[string]string{config.RoleLabel: []string{"decode", "decode", "prefill"}[e%3]}
	}
	return labels
}

// someDown leaves at least one endpoint, and perhaps all.
func someDown(random *rand.Rand, endpoints int) []bool {
	if random.IntN(3) == 0 {
		return nil
	}
	down := make([]bool, endpoints)
	for range random.IntN(endpoints) {
		down[random.IntN(endpoints)] = true
	}
	return down
}

func TestStaleEndpointsAreFiltered(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: utilization-detector}]"), config.Cluster{Endpoints: 3}, 1)
	now := simtime.Time(time.Second)
	view := &policy.View{Now: now, Scrapes: []policy.Scrape{
		{At: now.Add(-200 * time.Millisecond)}, {At: now.Add(-200*time.Millisecond - 1)}, {At: now},
	}}
	route(t, s, view, request(0, 1))
	if got := s.LastResult().Candidates; !slices.Equal(got, []int{0, 2}) {
		t.Errorf("candidates %v", got)
	}
	view.Now = now.Add(time.Second)
	route(t, s, view, request(1, 1))
	if got := s.LastResult().Candidates; !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("all are stale: candidates %v", got)
	}
}

func TestMetricsThatNobodyExtractsReadAsZero(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: queue-scorer}, {type: load-aware-scorer}, {type: core-metrics-extractor}, {type: metrics-data-source}, {type: prefix-cache-scorer}]\n"+
		"dataLayer: {injectDefaults: false, sources: [{pluginRef: metrics-data-source}]}")
	s := New(c, config.Cluster{Endpoints: 2}, 1)
	view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 100, BlockTokens: 256}, {BlockTokens: 256}}}
	route(t, s, view, request(0, 64))
	if got := s.LastResult().Scores; !slices.Equal(got, []float64{1.5, 1.5}) {
		t.Errorf("scores %v", got)
	}
	if got := s.Producers[0].(*approxPrefix).match.BlockTokens; got != minBlockTokens {
		t.Errorf("blocks of %d tokens", got)
	}
}

func TestPassthroughParserHidesPrompts(t *testing.T) {
	for parser, want := range map[string]float64{"passthrough-parser": 0, "openai-parser": 1} {
		s := New(mustLoad(t, "plugins: [{type: prefix-cache-scorer}]\nrequestHandler: {parsers: [{pluginRef: "+parser+"}]}"), config.Cluster{Endpoints: 1}, 1)
		route(t, s, idle(1), request(7, 640))
		route(t, s, idle(1), request(7, 640))
		if got := s.LastResult().Scores[0]; got != want {
			t.Errorf("%s: prefix score %v, want %v", parser, got, want)
		}
	}
}

func TestAutoTuneFollowsTheEngines(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: prefix-cache-scorer}]"), config.Cluster{Endpoints: 2}, 1)
	producer := s.Producers[0].(*approxPrefix)
	view := idle(2)
	for e := range view.Scrapes {
		view.Scrapes[e] = policy.Scrape{BlockTokens: 128, Blocks: 3}
	}
	view.Scrapes[1].BlockTokens = 512 // the first endpoint speaks for all
	route(t, s, view, request(0, 1280))
	first := s.LastResult().Chosen
	if producer.match.BlockTokens != 128 || producer.match.TotalBlocks != 10 {
		t.Errorf("%d blocks of %d tokens", producer.match.TotalBlocks, producer.match.BlockTokens)
	}
	view.Scrapes[0].Blocks, view.Scrapes[1].Blocks = 9, 9
	route(t, s, view, request(0, 1280))
	// The capacity counts at first use only: the list has the last 3 blocks of 10,
	// and those before them stay behind when it is emptied.
	producer.index.ForgetEndpoint(first)
	held := make([]int, 2)
	producer.index.Match(producer.chain, held, nil)
	if held[first] != 7 {
		t.Errorf("%d blocks outside the list, want 7", held[first])
	}
}

// routeAll routes requests with shared prefixes and finishes every other one.
func routeAll(t testing.TB, s *scheduler.Scheduler, endpoints, requests int) []int {
	t.Helper()
	var chosen []int
	view := idle(endpoints)
	for n := range requests {
		// At first all endpoints are alike.
		for e := range view.Scrapes[:min(n/20, 1)*endpoints] {
			view.Scrapes[e] = policy.Scrape{Waiting: (n * (e + 3)) % 4, Running: n % (e + 2), KVUsage: float64((n+e)%10) / 10, BlockTokens: 16, Blocks: 500}
		}
		r := withPrompt(n, prompt.Extent{Source: uint64(n % 7), Tokens: 640}, prompt.Extent{Source: uint64(1000 + n), Tokens: 200})
		e := route(t, s, view, r)
		chosen = append(chosen, e)
		if n%2 == 0 {
			s.FirstToken(r, e)
			s.Finished(r, e)
		}
	}
	return chosen
}

func TestDecisionsFollowFromTheSeed(t *testing.T) {
	for _, picker := range []string{"max-score-picker", "random-picker", "weighted-random-picker"} {
		c := mustLoad(t, everythingProfile[:len(everythingProfile)-1]+", {type: "+picker+"}]")
		first := routeAll(t, New(c, config.Cluster{Endpoints: 5}, 42), 5, 300)
		if diff := cmp.Diff(first, routeAll(t, New(c, config.Cluster{Endpoints: 5}, 42), 5, 300)); diff != "" {
			t.Errorf("%s: two runs differ:\n%s", picker, diff)
		}
		if slices.Equal(first, routeAll(t, New(c, config.Cluster{Endpoints: 5}, 43), 5, 300)) {
			t.Errorf("%s: the seed makes no difference", picker)
		}
	}
}

func TestPickers(t *testing.T) {
	cases := map[string]struct {
		picker string
		scores []float64
		want   []float64 // probabilities
	}{
		"highest score":               {"max-score-picker", []float64{1, 3, 2}, []float64{0, 1, 0}},
		"uniform among the highest":   {"max-score-picker", []float64{2, 1, 2, 2}, []float64{1. / 3, 0, 1. / 3, 1. / 3}},
		"negative scores":             {"max-score-picker", []float64{-2, -1}, []float64{0, 1}},
		"whatever the score":          {"random-picker", []float64{5, 0, -1, 2}, []float64{0.25, 0.25, 0.25, 0.25}},
		"in proportion to scores":     {"weighted-random-picker", []float64{1, 2, 5}, []float64{0.125, 0.25, 0.625}},
		"small scores":                {"weighted-random-picker", []float64{0.05, 0.15}, []float64{0.25, 0.75}},
		"scores whose keys are 0":     {"weighted-random-picker", []float64{0, 1e-300, 3e-300}, []float64{1, 0, 0}},
		"nothing for 0 and below":     {"weighted-random-picker", []float64{0, 1, -3, 1}, []float64{0, 0.5, 0, 0.5}},
		"uniform if none is positive": {"weighted-random-picker", []float64{0, -1}, []float64{0.5, 0.5}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := New(mustLoad(t, "plugins: [{type: "+tc.picker+"}]"), config.Cluster{Endpoints: len(tc.scores)}, 7)
			const draws = 20000
			counts := make([]float64, len(tc.scores))
			for range draws {
				counts[s.Staged.Decode.Picker.Pick(tc.scores)]++
			}
			for i, p := range tc.want {
				// Five standard deviations: the draws follow from the seed, so
				// that this passes always or never.
				if math.Abs(counts[i]/draws-p) > 5*math.Sqrt(p*(1-p)/draws) {
					t.Errorf("index %d picked %v of %d times, want a share of %v", i, counts[i], draws, p)
				}
			}
		})
	}
}

// twoProfiles has some prompts computed apart, with all that looks at who does.
const twoProfiles = `
plugins: [{type: queue-scorer}, {type: kv-cache-utilization-scorer}, {type: prefix-cache-scorer}, {type: token-load-scorer}, {type: inflight-load-producer}, {type: no-hit-lru-scorer},
  {name: sticky, type: session-affinity-scorer, parameters: {profileName: prefill}}, {name: by-id, type: session-affinity-scorer, parameters: {profileName: prefill, strategy: session_id}},
  {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 900}}, {type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}]
schedulingProfiles:
- {name: decode, plugins: [{pluginRef: queue-scorer}, {pluginRef: kv-cache-utilization-scorer}, {pluginRef: prefix-cache-scorer}, {pluginRef: no-hit-lru-scorer}]}
- {name: prefill, plugins: [{pluginRef: token-load-scorer}, {pluginRef: queue-scorer}, {pluginRef: no-hit-lru-scorer}, {pluginRef: sticky}, {pluginRef: by-id}]}
`

func TestRouteDoesNotAllocateInSteadyState(t *testing.T) {
	for _, profile := range []string{everythingProfile, tokensProfile, twoProfiles} {
		routeInSteadyState(t, profile, 8)
		routeInSteadyState(t, profile, 70)
	}
}

func routeInSteadyState(t *testing.T, profile string, endpoints int) {
	t.Helper()
	s := New(mustLoad(t, profile), config.Cluster{Endpoints: endpoints}, 1)
	var view *policy.View
	next := scenario(endpoints, &view)
	for range 3000 {
		r := next()
		e := route(t, s, view, r)
		s.FirstToken(r, e)
		s.Finished(r, e)
	}
	allocations := testing.AllocsPerRun(500, func() {
		r := next()
		e, _ := s.Route(view, r)
		s.FirstToken(r, e.Endpoint)
		s.Finished(r, e.Endpoint)
	})
	if allocations != 0 {
		t.Errorf("%d endpoints: %v allocations a request", endpoints, allocations)
	}
}

// scenario makes an endless stream of requests in reused memory, a third of
// each shared with one in ten others. Lists of 200 blocks an endpoint are soon
// full.
func scenario(endpoints int, view **policy.View) func() *policy.Request {
	*view = idle(endpoints)
	for e := range (*view).Scrapes {
		(*view).Scrapes[e] = policy.Scrape{Waiting: e % 3, Running: e % 5, KVUsage: float64(e%10) / 10, BlockTokens: 16, Blocks: 200}
	}
	extents := make([]prompt.Extent, 2)
	r := &policy.Request{Prompt: prompt.Prompt{Extents: extents}, Tokens: 1500, ID: -1}
	return func() *policy.Request {
		r.ID++
		r.Session, r.Priority = int32(r.ID%100), r.ID%3-1
		extents[0] = prompt.Extent{Source: uint64(r.ID % 10), Tokens: 512}
		extents[1] = prompt.Extent{Source: uint64(1000 + r.ID), Tokens: 988}
		return r
	}
}

func ExampleScheduler() {
	c, errs := Load([]byte(`
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
`), "router-v0.10", nil)
	if len(errs) > 0 {
		fmt.Println(errs.ToAggregate())
		return
	}
	scheduler := New(c, config.Cluster{Endpoints: 2}, 42)
	view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 4}, {Waiting: 1}}}
	decision, err := scheduler.Route(view, &policy.Request{})
	fmt.Println(decision.Endpoint, err, scheduler.LastResult().Scores)
	// Output: 1 <nil> [0 1]
}
