// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Endpoint 0 computes prompts of 1000 tokens, endpoint 1 decodes.
func TestInFlightLoadOfTwoEndpoints(t *testing.T) {
	named := func(name string) string {
		return strings.NewReplacer("name: prefill,", "name: "+name+",", "parameters: {deciders", "parameters: {profiles: {prefill: "+name+"}, deciders").Replace(disagg(alwaysDisagg))
	}
	// Requests and tokens of endpoint 0, then of endpoint 1.
	type loads2 [2][2]int64
	cases := map[string]struct {
		body string
		// After the pick, after the first chunk, after the end.
		want [3]loads2
	}{
		"the prompt counts on both until the first chunk, the request then on one": {
			disagg(alwaysDisagg + ", {type: inflight-load-producer}"),
			[3]loads2{{{1, 1024}, {1, 1024}}, {{0, 0}, {1, 0}}, {}},
		},
		"estimated output, too": {
			disagg(alwaysDisagg + ", {type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true}}"),
			[3]loads2{{{1, 2524}, {1, 2524}}, {{0, 0}, {1, 2524}}, {}},
		},
		"a profile of another name keeps the request to the end": {
			strings.Replace(named("first"), "{type: queue-scorer}", "{type: queue-scorer}, {type: inflight-load-producer}", 1),
			[3]loads2{{{1, 1024}, {1, 1024}}, {{1, 0}, {1, 0}}, {}},
		},
		"a profile of another name keeps estimated output to the end": {
			strings.Replace(named("first"), "{type: queue-scorer}", "{type: queue-scorer}, {type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true}}", 1),
			[3]loads2{{{1, 2524}, {1, 2524}}, {{1, 2524}, {1, 2524}}, {}},
		},
		"a decode profile of that name": {
			"plugins: [{type: inflight-load-producer}, {type: by-label, parameters: {label: llm-d.ai/role, validValues: [decode]}}]\nschedulingProfiles: [{name: prefill, plugins: [{pluginRef: by-label}]}]",
			[3]loads2{{{0, 0}, {1, 1000}}, {}, {}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := plant(t, tc.body, role("prefill"), role("decode"))
			r := request(0, 1000)
			var got [3]loads2
			for i, step := range []func(){
				func() { route(t, s.Scheduler, idle(2), r) },
				func() { s.FirstToken(r, 1) },
				func() { s.Finished(r, 1) },
			} {
				step()
				got[i] = loads2{loads(s.Scheduler, 0), loads(s.Scheduler, 1)}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("requests and tokens in flight (-want +got):\n%s", diff)
			}
		})
	}
}

// An endpoint that both profiles choose counts a request twice, as in the EPP.
func TestInFlightLoadOfOneEndpointForBothStages(t *testing.T) {
	s := plant(t, disagg(alwaysDisagg+", {type: inflight-load-producer}"), role("both"))
	r := request(0, 640)
	route(t, s.Scheduler, idle(1), r)
	if got := loads(s.Scheduler, 0); got != [2]int64{2, 1280} {
		t.Errorf("%v in flight", got)
	}
	s.FirstToken(r, 0)
	s.Finished(r, 0)
	if got := loads(s.Scheduler, 0); got != [2]int64{} {
		t.Errorf("%v in flight after the end", got)
	}
}

// A request whose endpoint failed ends and is routed again.
func TestRequestsAreRoutedAgain(t *testing.T) {
	p := plant(t, strings.Replace(disagg(alwaysDisagg+", {type: inflight-load-producer}, {type: no-hit-lru-scorer}, {type: session-affinity-scorer, parameters: {profileName: prefill}}"),
		"[{pluginRef: prefill-filter}", "[{pluginRef: prefill-filter}, {pluginRef: no-hit-lru-scorer}, {pluginRef: session-affinity-scorer}", 1), pools("prefill", "decode")...)
	s, r := p.Scheduler, ofSession(7, 1)
	first, err := s.Route(idle(4), r)
	if err != nil || first.Prefill == policy.NoPrefill {
		t.Fatalf("%+v, %v", first, err)
	}
	s.FirstToken(r, first.Endpoint)
	s.Finished(r, first.Endpoint)
	view := idle(4)
	view.Down = make([]bool, 4)
	view.Down[first.Endpoint], view.Down[first.Prefill] = true, true
	again, err := s.Route(view, r)
	if err != nil || view.Down[again.Endpoint] || again.Prefill >= 0 && view.Down[again.Prefill] {
		t.Errorf("%+v, %v where %+v is gone", again, err, first)
	}
	s.Finished(r, again.Endpoint)
	for e := range 4 {
		if got := loads(s, e); got != [2]int64{} {
			t.Errorf("endpoint %d: %v in flight", e, got)
		}
	}
}

func TestPrefixesOfTwoEndpoints(t *testing.T) {
	for profile, want := range map[string][]int{"prefill": {16, 16, 0}, "other": {0, 16, 0}} {
		body := strings.NewReplacer("name: prefill,", "name: "+profile+",", "parameters: {deciders", "parameters: {profiles: {prefill: "+profile+"}, deciders").
			Replace(disagg(alwaysDisagg + ", {type: prefix-cache-scorer}"))
		s := plant(t, body, role("prefill"), role("decode"), role("encode"))
		for range 2 {
			r := request(1, 1000)
			route(t, s.Scheduler, idle(3), r)
		}
		if got := s.PrefixMatch(config.ApproxPrefixCacheProducerType).Blocks; !slices.Equal(got, want) {
			t.Errorf("prefill profile %q: matches %v, want %v", profile, got, want)
		}
	}
}

// The last profile that ran says whether a request is cold, and a profile that
// did not run says nothing.
func TestColdRequestsOfTwoEndpoints(t *testing.T) {
	const inPrefill = `
plugins: [{type: decode-filter}, {type: prefill-filter}, {type: no-hit-lru-scorer}, {type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}, {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 100}}]
schedulingProfiles: [{name: decode, plugins: [{pluginRef: decode-filter}DECODE]}, {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: no-hit-lru-scorer}]}]`
	inBoth := strings.Replace(inPrefill, "DECODE", ", {pluginRef: no-hit-lru-scorer}", 1)
	onlyPrefill := strings.Replace(inPrefill, "DECODE", "", 1)
	cases := map[string]struct {
		body   string
		tokens int
		held   []int
		want   []int32
	}{
		"cold":                            {inBoth, 640, []int{0, 0}, []int32{1, 0}},
		"held where prompts are computed": {inBoth, 640, []int{3, 0}, nil},
		"held only where it is decoded":   {inBoth, 640, []int{0, 3}, []int32{1, 0}},
		"too short for two, and cold":     {inBoth, 64, []int{0, 0}, []int32{1}},
		"too short for two, and held":     {inBoth, 64, []int{0, 1}, nil},
		"only the other profile asks":     {onlyPrefill, 640, []int{0, 3}, []int32{1, 0}},
		"the other profile did not run":   {onlyPrefill, 64, []int{0, 0}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := plant(t, tc.body, role("prefill"), role("decode"))
			s.hold(10, tc.held...)
			p, ok := s.Staged.Run(s.Begin(idle(2), request(0, tc.tokens)))
			if !ok {
				t.Fatal("no endpoint")
			}
			lru := s.Instances["no-hit-lru-scorer"].(*noHitLRU)
			for _, f := range s.Scheduler.PickListeners {
				f.Routed(&s.Cycle, p)
			}
			if !slices.Equal(lru.byColdUse, tc.want) {
				t.Errorf("cold endpoints %v, want %v", lru.byColdUse, tc.want)
			}
		})
	}
}

// Sessions may be held to the endpoint that computes the prompt.
func TestSessionsOfThePrefillProfile(t *testing.T) {
	for _, strategy := range []string{"encoded_endpoint_header", "session_id"} {
		s := plant(t, strings.Replace(disagg("{type: session-affinity-scorer, parameters: {profileName: prefill, strategy: "+strategy+"}}, "+
			"{type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}, {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 100}}"),
			"[{pluginRef: prefill-filter}", "[{pluginRef: prefill-filter}, {pluginRef: session-affinity-scorer, weight: 9}", 1), pools("prefill", "decode")...)
		step := func(n, tokens, busy, want int) {
			t.Helper()
			view := idle(4)
			view.Scrapes[busy].Waiting = 1
			r := request(n, tokens)
			r.Session = 3
			got, err := s.Route(view, r)
			if err != nil || got.Prefill != want {
				t.Errorf("%s, request %d: %+v, %v, want prefill %d", strategy, n, got, err, want)
			}
			s.FirstToken(r, got.Endpoint)
			s.Finished(r, got.Endpoint)
		}
		step(0, 1000, 0, 1)
		step(1, 1000, 1, 1)
		step(2, 10, 1, policy.NoPrefill) // tells nothing of the prefill endpoint
		step(3, 1000, 1, 1)
	}
}

func TestEndpointsThatAreGone(t *testing.T) {
	cases := map[string]struct {
		body string
		down []bool
		want []int
	}{
		"nobody":           {"plugins: [{type: queue-scorer}]", []bool{false, false, false}, []int{0, 1, 2}},
		"one":              {"plugins: [{type: queue-scorer}]", []bool{false, true, false}, []int{0, 2}},
		"and filters":      {"plugins: [{type: utilization-detector}]", []bool{true, false, false}, []int{2}},
		"all but one":      {"plugins: [{type: queue-scorer}]", []bool{true, true, false}, []int{2}},
		"filters keep all": {"plugins: [{type: utilization-detector}]", []bool{true, false, true}, []int{1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := New(mustLoad(t, tc.body), config.Cluster{Endpoints: 3}, 1)
			view := idle(3)
			view.Scrapes[1].Waiting, view.Down = 9, tc.down
			route(t, s, view, request(0, 1))
			if got := s.LastResult().Candidates; !slices.Equal(got, tc.want) {
				t.Errorf("candidates %v, want %v", got, tc.want)
			}
			view.Down = nil
			view.Scrapes[1].Waiting = 0
			route(t, s, view, request(1, 1))
			if got := s.LastResult().Candidates; !slices.Equal(got, []int{0, 1, 2}) {
				t.Errorf("all are back: candidates %v", got)
			}
		})
	}
}

func TestAllEndpointsAreGone(t *testing.T) {
	for _, body := range []string{everythingProfile, tokensProfile, twoProfiles} {
		s := New(mustLoad(t, body), config.Cluster{Endpoints: 2}, 1)
		view := idle(2)
		route(t, s, view, request(0, 2000))
		view.Down = []bool{true, true}
		if _, err := s.Route(view, request(1, 2000)); !errors.Is(err, policy.ErrNoEndpoint) || errors.Is(err, policy.ErrShed) {
			t.Errorf("error %v", err)
		}
		if d := s.LastResult(); d.Chosen != scheduler.None || len(d.Candidates) > 0 || d.Prefill != nil || d.Reason != "" {
			t.Errorf("decision %+v", d)
		}
		sheddable := request(2, 2000)
		sheddable.Priority = -1
		if _, err := s.Route(view, sheddable); !errors.Is(err, policy.ErrShed) {
			t.Errorf("error %v for a request that gives way", err)
		}
	}
}

func TestSaturationIsOfTheEndpointsThatAreThere(t *testing.T) {
	for plugins, load := range map[string]int64{
		"": 0,
		"plugins: [{type: concurrency-detector, parameters: {maxConcurrency: 2}}]\nflowControl: {saturationDetector: {pluginRef: concurrency-detector}}": 2,
	} {
		s := plant(t, plugins, unlabelled(2)...)
		view := idle(2)
		view.Scrapes[1].Waiting = 9
		view.Scrapes[0].At, view.Scrapes[1].At = 0, 0
		for i, tc := range []struct {
			down []bool
			shed bool
		}{{[]bool{false, true}, false}, {[]bool{true, false}, true}} {
			view.Down = tc.down
			r := request(i, 1)
			r.Priority = -1
			s.Begin(view, r) // endpoints that are back start anew
			s.Load(config.InFlightLoadProducerType).Requests[1] = load
			if _, err := s.Route(view, r); errors.Is(err, policy.ErrShed) != tc.shed {
				t.Errorf("%q, down %v: error %v", plugins, tc.down, err)
			}
		}
	}
}

// An index forgets endpoints that are gone when it comes to look, every two
// minutes.
func TestPrefixesOfEndpointsThatAreGone(t *testing.T) {
	s := plant(t, "plugins: [{type: prefix-cache-scorer}]", unlabelled(2)...)
	at := func(seconds float64, source int, down ...bool) []int {
		view := idle(2)
		view.Now, view.Down = simtime.Time(seconds*float64(time.Second)), down
		route(t, s.Scheduler, view, request(source, 640))
		return slices.Clone(s.PrefixMatch(config.ApproxPrefixCacheProducerType).Blocks)
	}
	at(1, 0, false, true) // to endpoint 0
	for _, step := range []struct {
		seconds float64
		down    []bool
		want    []int
	}{
		{119.9, []bool{true, false}, []int{10, 0}}, // to endpoint 1
		{119.95, []bool{false, true}, []int{10, 10}},
		{120, []bool{false, true}, []int{10, 0}},
		{130, nil, []int{10, 0}},
		{250, []bool{false, false}, []int{10, 0}},
	} {
		if got := at(step.seconds, 0, step.down...); !slices.Equal(got[:1], step.want[:1]) || step.seconds < 125 && !slices.Equal(got, step.want) {
			t.Errorf("at %v s: matches %v, want %v", step.seconds, got, step.want)
		}
	}
}

// The first endpoint that is there speaks for all of the block size.
func TestAutoTuneFollowsAnEndpointThatIsThere(t *testing.T) {
	s := plant(t, "plugins: [{type: prefix-cache-scorer}]", unlabelled(3)...)
	view := idle(3)
	view.Scrapes[0].BlockTokens, view.Scrapes[1].BlockTokens, view.Scrapes[2].BlockTokens = 512, 128, 256
	view.Down = []bool{true, false, false}
	route(t, s.Scheduler, view, request(0, 1280))
	if got := s.PrefixMatch(config.ApproxPrefixCacheProducerType).BlockTokens; got != 128 {
		t.Errorf("blocks of %d tokens", got)
	}
}
