// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// spy is a router that notes what it is told.
type spy struct {
	log []string
	// held are requests that it keeps, until is when it lets the first one go.
	holds bool
	held  []int
	until simtime.Time
	hears bool
	deaf  bool
	// evicted are those that it ends.
	evicts  bool
	evicted []int
}

func (s *spy) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

func (s *spy) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	s.note("route %d at %d, changed %v", q.ID, v.Now, changes(v))
	if s.holds {
		s.held = append(s.held, q.ID)
		return policy.Route{}, policy.ErrHeld
	}
	return policy.To(q.ID), nil
}

// changes says which scrapes may have changed.
func changes(v *policy.View) any {
	if v.Changed == nil || len(v.Changed) > len(v.Scrapes) {
		return "all"
	}
	return v.Changed
}

// routing is the router with what it takes part in.
func (s *spy) routing() policy.Routing {
	r := policy.Routing{Router: s}
	if !s.deaf {
		r.Responses = s
	}
	if s.holds {
		r.Queue = s
	}
	if s.evicts {
		r.Evictor = s
	}
	if s.hears {
		r.KVEvents = s
	}
	return r
}

func (s *spy) FirstToken(q *policy.Request, e int) { s.note("first of %d from %d", q.ID, e) }
func (s *spy) Finished(q *policy.Request, e int)   { s.note("end of %d from %d", q.ID, e) }
func (s *spy) Cleared(_ simtime.Time, e int)       { s.note("%d cleared", e) }

func (s *spy) Stored(_ simtime.Time, e int, b policy.CachedBlocks, _ policy.CacheTier) {
	s.note("%d stored %v", e, b)
}

func (s *spy) Removed(_ simtime.Time, e int, b policy.CachedBlocks, _ policy.CacheTier) {
	s.note("%d removed %v", e, b)
}

func (s *spy) Wake(simtime.Time) (simtime.Time, bool) { return s.until, len(s.held) > 0 }

func (s *spy) Release(v *policy.View) (policy.Released, bool) {
	s.note("release at %d, changed %v", v.Now, changes(v))
	if len(s.held) == 0 || v.Now < s.until {
		return policy.Released{}, false
	}
	id := s.held[0]
	s.held = s.held[1:]
	return policy.Released{Request: id, Decision: policy.To(7)}, true
}

func (*spy) Queues(*policy.Request) bool { return true }

func (s *spy) Cancel(now simtime.Time, q *policy.Request) {
	s.note("cancel %d at %d", q.ID, now)
	s.held = slices.DeleteFunc(s.held, func(other int) bool { return other == q.ID })
}

func (s *spy) Evict(now simtime.Time) (int, bool) {
	s.note("evict at %d", now)
	if len(s.evicted) == 0 {
		return 0, false
	}
	id := s.evicted[0]
	s.evicted = s.evicted[1:]
	return id, true
}

func view(now simtime.Time, changed ...int32) *policy.View {
	return &policy.View{Now: now, Scrapes: make([]policy.Scrape, 3), Changed: changed}
}

func wantLog(t *testing.T, name string, s *spy, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.log); diff != "" {
		t.Errorf("%s (−want +got):\n%s", name, diff)
	}
	s.log = nil
}

func TestReplicasTakeTurnsAndHearOfTheirOwn(t *testing.T) {
	a, b := &spy{}, &spy{}
	r := policy.Replicate(a.routing(), b.routing())
	for id := range 3 {
		q := &policy.Request{ID: id, Turn: id}
		v := view(simtime.Time(id), []int32{}...)
		if id == 0 {
			v.Changed = nil // as of the first call of all
		}
		if d, err := r.Router.Route(v, q); err != nil || d != policy.To(id) {
			t.Errorf("request %d goes to %v, %v", id, d, err)
		}
		r.Responses.FirstToken(q, id)
		r.Responses.Finished(q, id)
	}
	// Routed again, a request comes to the same one.
	if _, err := r.Router.Route(view(9, []int32{}...), &policy.Request{ID: 1, Turn: 1}); err != nil {
		t.Error(err)
	}
	if r.KVEvents != nil {
		t.Error("a replicated router hears of caches though none of its routers does")
	}
	wantLog(t, "a", a, "route 0 at 0, changed all", "first of 0 from 0", "end of 0 from 0",
		"route 2 at 2, changed []", "first of 2 from 2", "end of 2 from 2")
	wantLog(t, "b", b, "route 1 at 1, changed all", "first of 1 from 1", "end of 1 from 1", "route 1 at 9, changed []")
}

// A router that is called every other time has to be told of what changed in
// between.
func TestReplicasAreToldOfEveryChange(t *testing.T) {
	a, b := &spy{deaf: true}, &spy{deaf: true}
	r := policy.Replicate(a.routing(), b.routing())
	route := func(id int, changed ...int32) {
		if _, err := r.Router.Route(view(simtime.Time(id), changed...), &policy.Request{ID: id, Turn: id}); err != nil {
			t.Error(err)
		}
	}
	route(0)          // nil: all of them
	route(1, 0)       // b has not seen anything yet
	route(2, 2)       // a sees 0 and 2
	route(3, 1)       // b sees 2 and 1
	route(5, 0, 1)    // b sees two
	route(4, 2)       // a sees all that came since
	route(7, 1, 1, 1) // b
	route(9, 0, 0, 0) // b
	route(6)          // a
	wantLog(t, "a", a, "route 0 at 0, changed all", "route 2 at 2, changed [0 2]", "route 4 at 4, changed all", "route 6 at 6, changed all")
	wantLog(t, "b", b, "route 1 at 1, changed all", "route 3 at 3, changed [2 1]", "route 5 at 5, changed [0 1]",
		"route 7 at 7, changed all", "route 9 at 9, changed [0 0 0]")
	if r.Responses != nil || r.Usage != nil || r.Queue != nil || r.Evictor != nil || r.KVEvents != nil {
		t.Error("a replicated router does what none of its routers does")
	}
}

func TestReplicasHoldRequestsEachInItsQueue(t *testing.T) {
	a, b := &spy{holds: true, until: 50}, &spy{holds: true, until: 40}
	r := policy.Replicate(a.routing(), b.routing())
	for id := range 3 {
		if _, err := r.Router.Route(view(1, []int32{}...), &policy.Request{ID: id, Turn: id}); !errors.Is(err, policy.ErrHeld) {
			t.Errorf("request %d: %v, want it held", id, err)
		}
	}
	var got []int
	release := func(now simtime.Time) {
		for {
			released, ok := r.Queue.Release(view(now, []int32{}...))
			if !ok {
				break
			}
			got = append(got, released.Request)
		}
	}
	for _, want := range []simtime.Time{40, 50} {
		at, ok := r.Queue.Wake(1)
		if !ok || at != want {
			t.Errorf("wakes at %v (%t), want %v", at, ok, want)
		}
		release(at)
	}
	if _, ok := r.Queue.Wake(51); ok {
		t.Error("wakes though it keeps nothing")
	}
	if !slices.Equal(got, []int{1, 0, 2}) {
		t.Errorf("released %v, want 1, then 0 and 2", got)
	}
}

func TestReplicasEndWhatTheyHaveSent(t *testing.T) {
	a, b, c := &spy{holds: true}, &spy{holds: true, evicts: true, evicted: []int{1, 4}}, &spy{holds: true, evicts: true, evicted: []int{2}}
	r := policy.Replicate(a.routing(), b.routing(), c.routing())
	var got []int
	for id, ok := r.Evictor.Evict(7); ok; id, ok = r.Evictor.Evict(7) {
		got = append(got, id)
	}
	if !slices.Equal(got, []int{1, 4, 2}) {
		t.Errorf("evicts %v, want 1, 4 and 2", got)
	}
	wantLog(t, "a", a)
	if policy.Replicate(a.routing(), a.routing()).Evictor != nil {
		t.Error("a replicated router ends requests though none of its routers does")
	}
}

func TestReplicasAllHearOfCaches(t *testing.T) {
	a, b, c := &spy{hears: true}, &spy{}, &spy{hears: true}
	r := policy.Replicate(a.routing(), b.routing(), c.routing())
	blocks := policy.CachedBlocks{Stretch: 5, From: 1, To: 2}
	r.KVEvents.Stored(1, 0, blocks, policy.GPUMemory)
	r.KVEvents.Removed(2, 1, blocks, policy.Storage)
	r.KVEvents.Cleared(3, 2)
	want := []string{"0 stored {5 1 2}", "1 removed {5 1 2}", "2 cleared"}
	wantLog(t, "a", a, want...)
	wantLog(t, "b", b)
	wantLog(t, "c", c, want...)
}
