// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// loads returns requests and tokens in flight on the endpoint.
func loads(s *scheduler.Scheduler, endpoint int) [2]int64 {
	for _, p := range s.Producers {
		if f, ok := p.(*inFlight); ok {
			return [2]int64{f.load.Requests[endpoint], f.load.Tokens[endpoint]}
		}
	}
	return [2]int64{-1, -1}
}

func TestInFlightLoadOverARequestsLife(t *testing.T) {
	cases := map[string]struct {
		plugins string
		// After the pick of two equal requests, after the first chunk of the
		// first one, after its end, after all has ended.
		want [4][2]int64
	}{
		"prompt tokens until the first chunk": {
			"{type: inflight-load-producer}",
			[4][2]int64{{2, 2000}, {2, 1000}, {1, 1000}, {0, 0}},
		},
		"cached blocks do not count, tokens beyond the blocks do": {
			// 1000 tokens are 15 blocks of 64 and one of 40, which counts as 64;
			// 512 tokens are looked at.
			"{type: inflight-load-producer}, {type: approx-prefix-cache-producer, parameters: {maxPrefixTokensToMatch: 512}}",
			[4][2]int64{{2, 1000 + 488}, {2, 488}, {1, 488}, {0, 0}},
		},
		"a partial block counts as a whole one": {
			"{type: inflight-load-producer}, {type: approx-prefix-cache-producer}",
			[4][2]int64{{2, 1024}, {2, 0}, {1, 0}, {0, 0}},
		},
		"another producer's matches": {
			"{type: inflight-load-producer, parameters: {prefixMatchInfoProducerName: mine}}, {name: mine, type: approx-prefix-cache-producer}",
			[4][2]int64{{2, 1024}, {2, 0}, {1, 0}, {0, 0}},
		},
		"the matches of a producer of another type": {
			"{type: inflight-load-producer, parameters: {prefixMatchInfoProducerName: mine}}, {name: mine, type: multicluster-approx-prefix-cache-producer}",
			[4][2]int64{{2, 1024}, {2, 0}, {1, 0}, {0, 0}},
		},
		"whole prompts where the endpoint gets another port": {
			"{type: inflight-load-producer}, {type: approx-prefix-cache-producer}, {type: data-parallel-profile-handler}",
			[4][2]int64{{2, 2000}, {2, 1000}, {1, 1000}, {0, 0}},
		},
		"a producer that is not there": {
			"{type: inflight-load-producer, parameters: {prefixMatchInfoProducerName: nobody}}, {type: approx-prefix-cache-producer}",
			[4][2]int64{{2, 2000}, {2, 1000}, {1, 1000}, {0, 0}},
		},
		"estimated output until the end": {
			"{type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true}}",
			[4][2]int64{{2, 5000}, {2, 5000}, {1, 2500}, {0, 0}},
		},
		"estimated output is rounded and bounded": {
			"{type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true, outputRatio: 0.0105}}",
			[4][2]int64{{2, 2022}, {2, 2022}, {1, 1011}, {0, 0}},
		},
		"estimated output with a bound": {
			"{type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true, outputRatio: 1e300, maxEstimatedOutputTokens: 7}}",
			[4][2]int64{{2, 2014}, {2, 2014}, {1, 1007}, {0, 0}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := New(mustLoad(t, "plugins: ["+tc.plugins+"]"), config.Cluster{Endpoints: 1}, 1)
			first, second := request(0, 1000), request(0, 1000)
			second.ID = 1
			var got [4][2]int64
			route(t, s, idle(1), first)
			route(t, s, idle(1), second)
			got[0] = loads(s, 0)
			s.FirstToken(first, 0)
			got[1] = loads(s, 0)
			s.Finished(first, 0)
			got[2] = loads(s, 0)
			// Once more changes nothing; the second ends without a first chunk.
			s.FirstToken(first, 0)
			s.Finished(first, 0)
			s.Finished(second, 0)
			got[3] = loads(s, 0)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("requests and tokens in flight (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSchedulersListenWhereTheyCountWhatIsInFlight(t *testing.T) {
	for plugins, want := range map[string]bool{
		"":                               false,
		"{type: prefix-cache-scorer}":    false,
		"{type: active-request-scorer}":  true,
		"{type: inflight-load-producer}": true,
	} {
		s := New(mustLoad(t, "plugins: [{type: queue-scorer}, "+plugins+"]"), config.Cluster{Endpoints: 1}, 1)
		if got := s.Routing().Responses != nil; got != want {
			t.Errorf("%q: listens: %t, want %t", plugins, got, want)
		}
	}
}

func TestActiveRequestScorerSpreadsRequests(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: active-request-scorer}]"), config.Cluster{Endpoints: 4}, 1)
	for n := range 40 {
		route(t, s, idle(4), request(n, 10))
	}
	for e := range 4 {
		if got := loads(s, e)[0]; got != 10 {
			t.Errorf("endpoint %d has %d requests, want 10", e, got)
		}
	}
}

// The ledger against a map, with IDs in and out of order.
func TestLedgerAgreesWithAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	l := scheduler.NewLedger[int64]()
	oracle := map[int]int64{}
	for range 20000 {
		id := random.IntN(300) * 1000
		tokens, known := oracle[id]
		switch {
		case !known:
			oracle[id] = int64(random.IntN(1000))
			l.Put(id, oracle[id])
		case random.IntN(2) == 0:
			got := l.Of(id)
			if got == nil || *got != tokens {
				t.Fatalf("of(%d) = %v, want %d", id, got, tokens)
			}
			*got, oracle[id] = 0, 0
		default:
			if got, ok := l.Remove(id); !ok || got != tokens {
				t.Fatalf("remove(%d) = %d, %t, want %d", id, got, ok, tokens)
			}
			delete(oracle, id)
		}
	}
	if _, ok := l.Remove(-1); ok || l.Of(-1) != nil {
		t.Error("an unknown request has tokens")
	}
	if l.Index.Len() != len(oracle) || len(l.Entries) > 300 {
		t.Errorf("%d requests in %d places, want %d in at most 300", l.Index.Len(), len(l.Entries), len(oracle))
	}
}

func TestLedgerRefusesARequestThatIsInFlight(t *testing.T) {
	defer paniccheck.Want(t, "no panic")
	l := scheduler.NewLedger[int64]()
	l.Put(3, 1)
	l.Put(3, 1)
}

// An endpoint that was gone for a while starts anew, though what it had in flight
// goes on.
func TestCountsOfEndpointsThatAreGoneAreForgotten(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: inflight-load-producer}, {type: active-request-scorer}]"), config.Cluster{Endpoints: 1}, 1)
	view := idle(1)
	check := func(what string, want [2]int64) {
		t.Helper()
		if got := loads(s, 0); got != want {
			t.Errorf("%s: requests and tokens %v, want %v", what, got, want)
		}
	}
	before, waiting := request(1, 100), request(2, 100)
	route(t, s, view, before)
	route(t, s, view, waiting)
	check("before", [2]int64{2, 200})

	view.Down = []bool{true}
	if _, err := s.Route(view, request(3, 100)); err == nil {
		t.Error("an endpoint is found")
	}
	check("while it is gone", [2]int64{0, 0})

	view.Down = nil
	after := request(4, 100)
	route(t, s, view, after)
	check("when it is back", [2]int64{1, 100})
	s.FirstToken(waiting, 0)
	s.Finished(waiting, 0)
	s.Finished(before, 0)
	check("after the end of what it had", [2]int64{1, 100})
	s.FirstToken(after, 0)
	s.Finished(after, 0)
	check("at the end", [2]int64{0, 0})
}
