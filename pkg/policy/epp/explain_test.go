// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// explained routes one request and returns the explanation.
func explained(t *testing.T, s *scheduler.Scheduler, view *policy.View, r *policy.Request) *scheduler.Explanation {
	t.Helper()
	var told []*scheduler.Explanation
	s.Explain(func(x *scheduler.Explanation) { told = append(told, x) })
	_, err := s.Route(view, r)
	s.Explain(nil)
	if len(told) != 1 {
		t.Fatalf("%d explanations of one decision", len(told))
	}
	if (err != nil) != (told[0].Error != "") {
		t.Errorf("error %v, explained %q", err, told[0].Error)
	}
	return told[0]
}

func TestExplainingChangesNothing(t *testing.T) {
	for _, profile := range []string{everythingProfile, tokensProfile, twoProfiles} {
		random := rand.New(rand.NewPCG(3, 4))
		c := mustLoad(t, profile)
		plain, traced := New(c, config.Cluster{Endpoints: 6}, 1), New(c, config.Cluster{Endpoints: 6}, 1)
		told := 0
		traced.Explain(func(*scheduler.Explanation) { told++ })
		view := idle(6)
		view.Changed = []int32{}
		for n := range 600 {
			view.Down = someDown(random, 6)
			e := random.IntN(6)
			view.Scrapes[e] = policy.Scrape{Waiting: random.IntN(9), Running: random.IntN(3), KVUsage: random.Float64(), BlockTokens: 16, Blocks: 500}
			view.Changed = append(view.Changed[:0], int32(e))
			r := withPrompt(n, prompt.Extent{Source: uint64(random.IntN(9)), Tokens: 640}, prompt.Extent{Source: uint64(1000 + n), Tokens: 400})
			r.Priority, r.Session = random.IntN(3)-1, int32(random.IntN(20))
			got, gotErr := traced.Route(view, r)
			want, wantErr := plain.Route(view, r)
			if got != want || !errors.Is(gotErr, wantErr) {
				t.Fatalf("request %d: %v, %v; unexplained %v, %v", n, got, gotErr, want, wantErr)
			}
			if diff := cmp.Diff(plain.LastResult(), traced.LastResult()); diff != "" {
				t.Fatalf("request %d (-unexplained +explained):\n%s", n, diff)
			}
			if gotErr == nil && n%2 == 0 {
				plain.Finished(r, want.Endpoint)
				traced.Finished(r, want.Endpoint)
			}
		}
		if told != 600 {
			t.Errorf("%d explanations of 600 decisions", told)
		}
	}
}

func TestExplanationOfScores(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: utilization-detector}, {type: queue-scorer}, {name: kv, type: kv-cache-utilization-scorer}]\n"+
		"schedulingProfiles: [{name: p, plugins: [{pluginRef: kv, weight: -4}, {pluginRef: utilization-detector}, {pluginRef: queue-scorer, weight: 3}]}]")
	view := idle(4)
	view.Now = simtime.Time(time.Second)
	for e, s := range []policy.Scrape{{Waiting: 2, KVUsage: -0.5}, {Waiting: 5}, {KVUsage: 0.75}, {}} {
		s.At = view.Now.Add(-time.Duration(10*e) * time.Millisecond)
		view.Scrapes[e] = s
	}
	view.Down = []bool{false, false, false, true}
	x := explained(t, New(c, config.Cluster{Endpoints: 4}, 1), view, request(7, 10))
	want := []scheduler.ProfileRun{{
		Profile:    "p",
		Endpoints:  []int{0, 1, 2},
		Filters:    []scheduler.FilterRun{{PluginName: scheduler.PluginName{Name: "utilization-detector", Type: "utilization-detector"}, Dropped: []int{1}}},
		Candidates: []int{0, 2},
		Scorers: []scheduler.ScorerRun{
			{PluginName: scheduler.PluginName{Name: "kv", Type: "kv-cache-utilization-scorer"}, Weight: -4, Raw: []scheduler.Number{1.5, 0.25}, Clamped: []scheduler.Number{1, 0.25}, Weighted: []scheduler.Number{-4, -1}},
			{PluginName: scheduler.PluginName{Name: "queue-scorer", Type: "queue-scorer"}, Weight: 3, Raw: []scheduler.Number{0, 1}, Clamped: []scheduler.Number{0, 1}, Weighted: []scheduler.Number{0, 3}},
		},
		Scores: []scheduler.Number{-4, 2},
		Picker: scheduler.PluginName{Name: "max-score-picker", Type: "max-score-picker"},
		Chosen: new(2),
		Tied:   1,
	}}
	if diff := cmp.Diff(want, x.Profiles); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	if x.Request.ID != 7 || x.AtSeconds != 1 || *x.Endpoint != 2 || x.Prefill != nil {
		t.Errorf("%+v", x)
	}
	if s := x.Endpoints[2]; *s.ScrapeAgeSeconds != 0.02 || s.KVUsage != 0.75 || s.Anomaly != "" {
		t.Errorf("endpoint 2: %+v", s)
	}
	if !x.Endpoints[3].Down {
		t.Error("endpoint 3 is not said to be gone")
	}
}

func TestExplanationOfTies(t *testing.T) {
	for picker, want := range map[string][]bool{ // the last endpoint's queue is longer by 0, by 1
		"max-score-picker":       {true, false},
		"random-picker":          {true, true},
		"weighted-random-picker": {true, false},
	} {
		for longer, byChance := range want {
			c := mustLoad(t, "plugins: [{type: queue-scorer}, {type: "+picker+"}]")
			view := idle(2)
			view.Scrapes[1].Waiting = longer
			run := explained(t, New(c, config.Cluster{Endpoints: 2}, 1), view, request(0, 10)).Profiles[0]
			if run.Tied != 2-longer || run.ByChance != byChance {
				t.Errorf("%s, scores %v: %d tied, by chance %v", picker, run.Scores, run.Tied, run.ByChance)
			}
		}
	}
}

func TestTiesThatAreNotLeftToChance(t *testing.T) {
	for _, rule := range []config.TieBreak{config.TieFirst, config.TieRotate} {
		s := New(mustLoad(t, "plugins: [{type: queue-scorer}]"), config.Cluster{Endpoints: 2, TieBreak: rule}, 1)
		if run := explained(t, s, idle(2), request(0, 10)).Profiles[0]; run.Tied != 2 || run.ByChance {
			t.Errorf("%s: %d tied, by chance %v", rule, run.Tied, run.ByChance)
		}
	}
}

func TestExplanationOfWhatProducersKnow(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: prefix-cache-scorer}, {type: token-load-scorer}, {type: inflight-load-producer}, {type: approx-prefix-cache-producer}]")
	s := New(c, config.Cluster{Endpoints: 2}, 1)
	view := idle(2)
	first := route(t, s, view, withPrompt(0, prompt.Extent{Source: 1, Tokens: 640}))
	x := explained(t, s, view, withPrompt(1, prompt.Extent{Source: 1, Tokens: 640}, prompt.Extent{Source: 2, Tokens: 64}))
	blocks, requests, tokens, uncached := []int{0, 0}, []int64{0, 0}, []int64{0, 0}, []int64{704, 704}
	blocks[first], requests[first], tokens[first], uncached[first] = 10, 1, 640, 64
	prefixes := []scheduler.PrefixSignal{{
		PluginName:  scheduler.PluginName{Name: config.ApproxPrefixCacheProducerType, Type: config.ApproxPrefixCacheProducerType},
		Freshness:   approxPrefixCacheProducer.Freshness,
		BlockTokens: 64, TotalBlocks: 11, Blocks: blocks,
	}}
	if diff := cmp.Diff(prefixes, x.Prefixes); diff != "" {
		t.Errorf("prefixes (-want +got):\n%s", diff)
	}
	inFlight := []scheduler.InFlightSignal{{
		PluginName: scheduler.PluginName{Name: config.InFlightLoadProducerType, Type: config.InFlightLoadProducerType},
		Freshness:  inFlightLoadProducer.Freshness,
		Requests:   requests, Tokens: tokens, Uncached: uncached,
	}}
	if diff := cmp.Diff(inFlight, x.InFlight); diff != "" {
		t.Errorf("in flight, before the request (-want +got):\n%s", diff)
	}
}

func TestExplanationOfWhatOldVersionsKnow(t *testing.T) {
	const tracking = "{mode: cache_tracking}"
	for _, tc := range []struct {
		version, typeName, parameters, freshness string
		blockTokens                              int
	}{
		{"gie-v1.0", config.PrefixCacheScorerType, "{hashBlockSize: 128}", legacyPrefixCacheScorer.Freshness, 32},
		{"scheduler-v0.2", config.PrefixCacheScorerType, "{}", legacyPrefixCacheScorer.Freshness, 16},
		{"scheduler-v0.2", config.PrefixCacheScorerType, tracking, precisePrefixCacheProducer.Freshness, 16},
		{"scheduler-v0.3", precisePrefixCacheScorerType, "{}", precisePrefixCacheProducer.Freshness, 16},
	} {
		c, errs := Load([]byte(oldHeader+"plugins: [{type: "+tc.typeName+", parameters: "+tc.parameters+"},\n"+
			"  {type: single-profile-handler}, {type: max-score-picker}]\n"+
			"schedulingProfiles: [{name: p, plugins: [{pluginRef: max-score-picker}, {pluginRef: "+tc.typeName+", weight: 1}]}]"), tc.version, inline)
		if len(errs) > 0 {
			t.Errorf("%s: %v", tc.version, errs.ToAggregate())
			continue
		}
		x := explained(t, New(c, config.Cluster{Endpoints: 2}, 1), idle(2), withPrompt(0, prompt.Extent{Source: 1, Tokens: 640}))
		if x.Admission.Detector.Name == "" {
			t.Errorf("%s: nobody measured the saturation", tc.version)
		}
		if len(x.Prefixes) != 1 {
			t.Errorf("%s, %s: explains the prefixes of %d plugins", tc.version, tc.typeName, len(x.Prefixes))
			continue
		}
		got := x.Prefixes[0]
		if got.Freshness != tc.freshness || got.BlockTokens != tc.blockTokens {
			t.Errorf("%s, %s: blocks of %d tokens, %s", tc.version, tc.typeName, got.BlockTokens, got.Freshness)
		}
	}
}

// Old scorers look for prefixes themselves: what they found for another request is
// not told of one for which they were not asked.
func TestOldScorersThatAreNotAskedKnowNothing(t *testing.T) {
	c, errs := Load([]byte(oldHeader+"plugins: [{type: prefix-cache-scorer}, {type: low-queue-filter, parameters: {threshold: 3}},\n"+
		"  {type: single-profile-handler}, {type: max-score-picker}]\n"+
		"schedulingProfiles: [{name: p, plugins: [{pluginRef: low-queue-filter}, {pluginRef: max-score-picker}, {pluginRef: prefix-cache-scorer, weight: 1}]}]"), "gie-v0.5", inline)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	s := New(c, config.Cluster{Endpoints: 2}, 1)
	view := idle(2)
	for n, waiting := range []int{0, 4, 0} {
		view.Scrapes[0].Waiting, view.Scrapes[1].Waiting = waiting, waiting
		x := explained(t, s, view, withPrompt(n, prompt.Extent{Source: 1, Tokens: 640}))
		if asked := waiting == 0; (len(x.Prefixes) == 1) != asked {
			t.Errorf("request %d: explains the prefixes of %d plugins", n, len(x.Prefixes))
		}
	}
}

func TestExplanationOfAFilterThatLeavesNothing(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: by-label-selector, parameters: {matchLabels: {}}}, {type: queue-scorer},\n"+
		"  {type: utilization-filter, parameters: {conditions: [{metric: waiting-queue, maxValue: 1}]}}, {type: utilization-detector}]\n"+
		"schedulingProfiles: [{name: p, plugins: [{pluginRef: by-label-selector}, {pluginRef: utilization-filter}, {pluginRef: utilization-detector}, {pluginRef: queue-scorer}]}]")
	view := idle(2)
	view.Scrapes[0].Waiting, view.Scrapes[1].Waiting = 2, 2
	x := explained(t, New(c, config.Cluster{Endpoints: 2}, 1), view, request(0, 10))
	want := []scheduler.FilterRun{
		{PluginName: scheduler.PluginName{Name: "by-label-selector", Type: "by-label-selector"}, Dropped: []int{}},
		{PluginName: scheduler.PluginName{Name: "utilization-filter", Type: "utilization-filter"}, Dropped: []int{0, 1}},
	}
	run := x.Profiles[0]
	if diff := cmp.Diff(want, run.Filters); diff != "" {
		t.Errorf("filters (-want +got):\n%s", diff)
	}
	if run.Chosen != nil || len(run.Scorers) > 0 || x.Endpoint != nil || x.Error != policy.ErrNoEndpoint.Error() {
		t.Errorf("%+v", x)
	}
}

func TestExplanationOfShedding(t *testing.T) {
	for name, tc := range map[string]struct {
		plugins string
		want    string
	}{
		"by the detector":  {"[{type: queue-scorer}]", "utilization-detector"},
		"by an admitter":   {"[{type: queue-scorer}, {type: concurrency-detector}, {name: perhaps, type: probabilistic-admitter}]\nflowControl: {saturationDetector: {pluginRef: concurrency-detector}}", "perhaps"},
		"by nobody at all": {"[{type: queue-scorer}, {type: concurrency-detector}]\nflowControl: {saturationDetector: {pluginRef: concurrency-detector}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			view := idle(2)
			view.Scrapes[0].Waiting, view.Scrapes[1].Waiting = 10, 10
			r := request(0, 10)
			r.Priority = -1
			x := explained(t, New(mustLoad(t, "plugins: "+tc.plugins), config.Cluster{Endpoints: 2}, 1), view, r)
			got := ""
			if by := x.Admission.RefusedBy; by != nil {
				got = by.Name
			}
			if got != tc.want || (got == "") != (len(x.Profiles) == 1) {
				t.Errorf("refused by %q, want %q; %d profiles ran", got, tc.want, len(x.Profiles))
			}
			if tc.want == "utilization-detector" && x.Admission.Saturation != 2 {
				t.Errorf("saturation %v", x.Admission.Saturation)
			}
		})
	}
}

func TestExplanationOfDeciders(t *testing.T) {
	s := New(mustLoad(t, twoProfiles), config.Cluster{Endpoints: 3}, 1)
	for n, want := range []scheduler.Reason{scheduler.InputTooShort, scheduler.Disaggregated} {
		x := explained(t, s, idle(3), request(n, 600*(n+1)))
		if x.Decider == nil || x.Decider.Reason != want || x.Decider.Name != "prefix-based-pd-decider" {
			t.Fatalf("decider %+v, want %s", x.Decider, want)
		}
		if len(x.Profiles) != n+1 {
			t.Errorf("%s: %d profiles ran", want, len(x.Profiles))
		}
	}
}

// A scrape that is missing, or old, looks like that of an endpoint with nothing
// to do.
func TestExplanationOfEndpointsThatOnlyLookIdle(t *testing.T) {
	view := idle(3)
	view.Now = simtime.Time(time.Second)
	view.Scrapes[1].Waiting = 1
	view.Scrapes[2].At = view.Now
	c := mustLoad(t, "plugins: [{type: queue-scorer}]")
	x := explained(t, New(c, config.Cluster{Endpoints: 3}, 1), view, request(0, 10))
	if got := []bool{x.Endpoints[0].Anomaly != "", x.Endpoints[1].Anomaly != "", x.Endpoints[2].Anomaly != ""}; !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("anomalies %v: %+v", got, x.Endpoints)
	}
	deaf := mustLoad(t, "plugins: [{type: queue-scorer}, {type: core-metrics-extractor}, {type: metrics-data-source}]\n"+
		"dataLayer: {injectDefaults: false, sources: [{pluginRef: metrics-data-source}]}")
	for e, s := range explained(t, New(deaf, config.Cluster{Endpoints: 3}, 1), view, request(0, 10)).Endpoints {
		if s.Anomaly == "" || s.ScrapeAgeSeconds != nil || s.Waiting != 0 {
			t.Errorf("endpoint %d: %+v", e, s)
		}
	}
}

func TestExplanationsAreJSON(t *testing.T) {
	raw, err := json.Marshal([]scheduler.Number{0.25, scheduler.Number(math.NaN()), scheduler.Number(math.Inf(1))})
	if err != nil || string(raw) != "[0.25,null,null]" {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestExplanationOfPredictions(t *testing.T) {
	p := newPredictorTest(t, "{streamingMode: true}", config.Cluster{Endpoints: 2})
	view := idle(2)
	view.Down = []bool{true, false}
	r := request(0, 100)
	r.TTFT, r.TPOT = time.Second, time.Second
	x := explained(t, p.Scheduler, view, r)
	if len(x.Predictions) != 1 || x.Predictions[0].Freshness == "" {
		t.Fatalf("%+v", x.Predictions)
	}
	got := x.Predictions[0]
	if !math.IsNaN(float64(got.TTFTSeconds[0])) || got.TTFTSeconds[1] != 0.1 || got.TTFTHeadroomSeconds[1] != 0.9 || got.TPOTSeconds[1] != 0.001 {
		t.Errorf("%+v", got)
	}
}

// With flow control a request is explained when it leaves its queue, or finds no
// room in one.
func TestExplanationWithFlowControl(t *testing.T) {
	c := mustLoad(t, "featureGates: [flowControl]\nplugins: [{type: queue-scorer}]\nflowControl: {maxRequests: '1', defaultRequestTTL: 100ms}")
	s := New(c, config.Cluster{Endpoints: 1}, 1)
	type told struct {
		Request int
		At      float64
		Error   string
	}
	var got []told
	s.Explain(func(x *scheduler.Explanation) { got = append(got, told{x.Request.ID, x.AtSeconds, x.Error}) })
	view := idle(1)
	view.Scrapes[0] = policy.Scrape{Waiting: 50, KVUsage: 1}
	for n := range 2 {
		_, _ = s.Route(view, request(n, 10))
		for ok := true; ok; {
			_, ok = s.Release(view)
		}
	}
	view.Now = simtime.Time(5 * time.Second)
	view.Scrapes[0].At = view.Now
	for ok := true; ok; {
		_, ok = s.Release(view)
	}
	view.Scrapes[0] = policy.Scrape{At: view.Now}
	_, _ = s.Route(view, request(2, 10))
	_, _ = s.Release(view)
	want := []told{{1, 0, policy.ErrQueueFull.Error()}, {0, 5, policy.ErrExpired.Error()}, {2, 5, ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("explained (-want +got):\n%s", diff)
	}
}

func TestEveryEPPExplains(t *testing.T) {
	r := NewReplicas(mustLoad(t, "plugins: [{type: queue-scorer}]"), config.Cluster{Endpoints: 1}, 2, 1)
	var got []int
	r.Explain(func(x *scheduler.Explanation) { got = append(got, x.EPP) })
	for n := range 3 {
		_, _ = r.Route(idle(1), request(n, 10))
	}
	if diff := cmp.Diff([]int{0, 1, 0}, got); diff != "" {
		t.Errorf("EPPs (-want +got):\n%s", diff)
	}
}
