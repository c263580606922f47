// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// twoRouters has router 0 over endpoints 0 and 1, and router 1 over endpoints 2 to 4.
func twoRouters(a, b *spy) policy.Routing {
	return policy.ByRouter(
		policy.RouterPolicies{Policies: policy.Policies{Routing: a.routing()}, Endpoints: 2},
		policy.RouterPolicies{Policies: policy.Policies{Routing: b.routing()}, First: 2, Endpoints: 3}).Routing
}

func fiveEndpoints(now simtime.Time, changed ...int32) *policy.View {
	v := &policy.View{
		Now: now, Scrapes: make([]policy.Scrape, 5), Down: make([]bool, 5), Adapters: make([]policy.Adapters, 5), Changed: changed,
	}
	for i := range v.Scrapes {
		v.Scrapes[i].Waiting = i
		v.Down[i] = i == 3
		v.Adapters[i].Max = max(0, i-1)
	}
	return v
}

// A fixed router notes what it sees and returns its decision.
type fixed struct {
	to  policy.Route
	saw policy.View
}

func (f *fixed) Route(v *policy.View, _ *policy.Request) (policy.Route, error) {
	f.saw = *v
	return f.to, nil
}

func TestOneOfSeveralRoutersSeesItsEndpoints(t *testing.T) {
	a, b := &fixed{to: policy.To(1)}, &fixed{to: policy.Route{Endpoint: 2, Prefill: 0}}
	r := policy.ByRouter(
		policy.RouterPolicies{Policies: policy.RoutedBy(a), Endpoints: 2},
		policy.RouterPolicies{Policies: policy.RoutedBy(b), First: 2, Endpoints: 3}).Routing
	for router, want := range map[int32]policy.Route{0: policy.To(1), 1: {Endpoint: 4, Prefill: 2}} {
		if got, err := r.Router.Route(fiveEndpoints(7), &policy.Request{Router: router}); err != nil || got != want {
			t.Errorf("a request of router %d goes to %v (%v), want %v", router, got, err, want)
		}
	}
	if a.saw.Adapters != nil {
		t.Errorf("the first router, of endpoints without adapters, sees %v", a.saw.Adapters)
	}
	want := policy.View{
		Now:     7,
		Scrapes: []policy.Scrape{{Waiting: 2}, {Waiting: 3}, {Waiting: 4}},
		Down:    []bool{false, true, false}, Adapters: []policy.Adapters{{Max: 1}, {Max: 2}, {Max: 3}},
	}
	if diff := cmp.Diff(want, b.saw); diff != "" {
		t.Errorf("the view of the second router (−want +got):\n%s", diff)
	}
	if len(a.saw.Scrapes) != 2 || r.Responses != nil || r.Usage != nil || r.Queue != nil || r.Evictor != nil || r.KVEvents != nil {
		t.Errorf("the first router sees %d endpoints, and together they take part in %+v", len(a.saw.Scrapes), r)
	}
}

func TestOneOfSeveralRoutersLearnsOfItsOwn(t *testing.T) {
	a, b := &spy{}, &spy{hears: true}
	r := twoRouters(a, b)
	q := &policy.Request{ID: 1, Router: 1}
	if to, err := r.Router.Route(fiveEndpoints(1), q); err != nil || to.Endpoint != 3 {
		t.Errorf("request 1 goes to %v (%v), want endpoint 3", to, err)
	}
	r.Responses.FirstToken(q, 3)
	r.Responses.Finished(q, 3)
	blocks := policy.CachedBlocks{Stretch: 5, From: 1, To: 2}
	r.KVEvents.Stored(1, 0, blocks, policy.GPUMemory)
	r.KVEvents.Stored(1, 4, blocks, policy.GPUMemory)
	r.KVEvents.Removed(2, 4, blocks, policy.GPUMemory)
	r.KVEvents.Cleared(3, 2)
	wantLog(t, "a", a)
	wantLog(t, "b", b, "route 1 at 1, changed all", "first of 1 from 1", "end of 1 from 1", "2 stored {5 1 2}", "2 removed {5 1 2}", "0 cleared")
}

func TestOneOfSeveralRoutersIsToldOfEveryChange(t *testing.T) {
	a, b := &spy{deaf: true}, &spy{deaf: true}
	r := twoRouters(a, b)
	route := func(id int, router int32, changed ...int32) {
		if _, err := r.Router.Route(fiveEndpoints(simtime.Time(id), changed...), &policy.Request{ID: id, Router: router}); err != nil {
			t.Error(err)
		}
	}
	route(0, 0)                            // nil: all of them
	route(1, 0, 4, 0)                      // the other router's does not matter
	route(2, 1, 1)                         // it has not seen anything yet
	route(3, 1, 3)                         //
	route(4, 0, 2)                         // 1 is from before
	route(5, 1, 2, 2, 2, 2, 2)             // endpoint 2 from before, and as long as the list may be
	route(6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) // longer than the endpoints: all may have changed
	wantLog(t, "a", a, "route 0 at 0, changed all", "route 1 at 1, changed [0]", "route 4 at 4, changed [1]")
	wantLog(t, "b", b, "route 2 at 2, changed all", "route 3 at 3, changed [1]", "route 5 at 5, changed all", "route 6 at 6, changed all")
}

// A router that holds requests is asked after its own requests and when it wakes, and at
// no other time.
func TestOneOfSeveralRoutersHoldsItsOwnRequests(t *testing.T) {
	a, b := &spy{holds: true, until: 40}, &spy{holds: true, until: 60}
	r := twoRouters(a, b)
	var got []int
	release := func(now simtime.Time) {
		for {
			released, ok := r.Queue.Release(fiveEndpoints(now, []int32{}...))
			if !ok {
				return
			}
			got = append(got, released.Request)
			if want := policy.To(map[int]int{0: 7, 1: 9, 2: 7}[released.Request]); released.Decision != want {
				t.Errorf("request %d goes to %v, want %v", released.Request, released.Decision, want)
			}
		}
	}
	for id, router := range []int32{0, 1, 0} {
		v := fiveEndpoints(simtime.Time(10*id), []int32{}...)
		if _, err := r.Router.Route(v, &policy.Request{ID: id, Router: router}); !errors.Is(err, policy.ErrHeld) {
			t.Errorf("request %d: %v, want it held", id, err)
		}
		release(v.Now)
	}
	for _, want := range []simtime.Time{40, 60} {
		if at, ok := r.Queue.Wake(30); !ok || at != want {
			t.Errorf("wakes at %v (%t), want %v", at, ok, want)
		}
		release(want)
	}
	if at, ok := r.Queue.Wake(61); ok {
		t.Errorf("wakes at %v though nothing is held", at)
	}
	if !slices.Equal(got, []int{0, 2, 1}) {
		t.Errorf("released %v, want 0, 2 and 1", got)
	}
	wantLog(t, "a", a, "route 0 at 0, changed []", "release at 0, changed []", "route 2 at 20, changed []", "release at 20, changed []",
		"release at 40, changed []", "release at 40, changed []", "release at 40, changed []")
	wantLog(t, "b", b, "route 1 at 10, changed []", "release at 10, changed []", "release at 60, changed []", "release at 60, changed []")
}

func TestOneOfSeveralRoutersTakesBackItsRequests(t *testing.T) {
	a, b := &spy{holds: true, until: 40}, &spy{holds: true, until: 60}
	r := twoRouters(a, b)
	q := &policy.Request{ID: 3, Router: 1}
	if _, err := r.Router.Route(fiveEndpoints(1), q); !errors.Is(err, policy.ErrHeld) {
		t.Error(err)
	}
	r.Queue.Release(fiveEndpoints(1))
	r.Queue.Cancel(5, q)
	if _, ok := r.Queue.Release(fiveEndpoints(5)); ok {
		t.Error("releases a request that was given up")
	}
	if at, ok := r.Queue.Wake(5); ok {
		t.Errorf("wakes at %v though nothing is held", at)
	}
	wantLog(t, "a", a)
	wantLog(t, "b", b, "route 3 at 1, changed all", "release at 1, changed all", "cancel 3 at 5", "release at 5, changed all")
}

func TestOneOfSeveralRoutersEvictsAfterItsOwnRequests(t *testing.T) {
	a := &spy{holds: true, evicts: true, evicted: []int{7}}
	b := &spy{holds: true, evicts: true, evicted: []int{8}}
	r := twoRouters(a, b)
	if _, ok := r.Evictor.Evict(1); ok {
		t.Error("evicts before a request was routed")
	}
	if _, err := r.Router.Route(fiveEndpoints(1), &policy.Request{Router: 1}); !errors.Is(err, policy.ErrHeld) {
		t.Error(err)
	}
	r.Queue.Release(fiveEndpoints(1)) // held requests wake at 0: released at once
	r.Queue.Release(fiveEndpoints(1))
	var got []int
	for id, ok := r.Evictor.Evict(1); ok; id, ok = r.Evictor.Evict(1) {
		got = append(got, id)
	}
	if !slices.Equal(got, []int{8}) {
		t.Errorf("evicts %v, want 8 only", got)
	}
}

func TestSeveralRoutersFollowEachOther(t *testing.T) {
	defer paniccheck.Want(t, "a gap between the endpoints of two routers is accepted")
	a := &spy{}
	policy.ByRouter(
		policy.RouterPolicies{Policies: policy.Policies{Routing: a.routing()}, Endpoints: 2},
		policy.RouterPolicies{Policies: policy.Policies{Routing: a.routing()}, First: 3, Endpoints: 1})
}
