// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// ofSession is a request of a session.
func ofSession(n int, session int32) *policy.Request {
	r := request(n, 1)
	r.Session = session
	return r
}

func TestClientsSendBackTheEndpointOfTheLastAnswer(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: session-affinity-scorer}]"), config.Cluster{Endpoints: 3}, 1)
	scores := func(n int, session int32) []float64 {
		route(t, s, idle(3), ofSession(n, session))
		return append([]float64{}, s.LastResult().Scores...)
	}
	check := func(what string, want, got []float64) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: scores (-want +got):\n%s", what, diff)
		}
	}
	none := []float64{0, 0, 0}
	check("first request", none, scores(0, 1))
	check("before an answer", none, scores(1, 1))
	s.FirstToken(ofSession(0, 1), 2)
	check("after an answer", []float64{0, 0, 1}, scores(2, 1))
	check("another session", none, scores(3, 5))
	check("no session", none, scores(4, 0))
	s.FirstToken(ofSession(4, 0), 1)
	check("no session after an answer", none, scores(5, 0))
	s.FirstToken(ofSession(1, 1), 0)
	check("after another answer", []float64{1, 0, 0}, scores(6, 1))
}

func TestSessionAffinityFilterKeepsTheEndpointIfItIsACandidate(t *testing.T) {
	s := plant(t, "plugins: [{type: utilization-detector}, {type: session-affinity-filter}]", unlabelled(3)...)
	view := idle(3)
	s.FirstToken(ofSession(0, 1), 1)
	for _, step := range []struct {
		waiting int
		session int32
		want    []int
	}{{0, 1, []int{1}}, {0, 2, []int{0, 1, 2}}, {9, 1, []int{0, 2}}, {0, 1, []int{1}}} {
		view.Scrapes[1].Waiting = step.waiting
		if diff := cmp.Diff(step.want, s.Decide(view, ofSession(1, step.session)).Candidates); diff != "" {
			t.Errorf("%+v: candidates (-want +got):\n%s", step, diff)
		}
	}
}

// Each step is a request at a time, with a queue on endpoint 0 that a detector
// may take for overload; want is whom the session was held to, -1 for nobody.
func TestSessionBindings(t *testing.T) {
	type step struct {
		seconds float64
		waiting int
		want    int
		to      int
	}
	cases := map[string][]step{
		"the first request binds":                     {{0, 0, -1, 2}, {1, 0, 2, 2}, {2, 0, 2, 2}},
		"a pick elsewhere does not move it":           {{0, 0, -1, 2}, {1, 0, 2, 1}, {2, 0, 2, 2}},
		"an absent endpoint does":                     {{0, 0, -1, 0}, {1, 9, -1, 1}, {2, 0, 1, 1}},
		"unused until the sweep after its time":       {{1, 0, -1, 2}, {309, 0, 2, 2}},
		"swept":                                       {{1, 0, -1, 2}, {310, 0, -1, 1}, {311, 0, 1, 1}},
		"swept only when its time has passed":         {{0, 0, -1, 2}, {309, 0, 2, 2}},
		"use renews it":                               {{1, 0, -1, 2}, {200, 0, 2, 2}, {500, 0, 2, 2}},
		"a pick elsewhere does not renew it":          {{1, 0, -1, 2}, {200, 0, 2, 1}, {320, 0, -1, 0}},
		"the endpoint is back before anybody noticed": {{0, 0, -1, 0}, {5, 0, 0, 0}},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			s := plant(t, "plugins: [{type: utilization-detector}, {type: session-affinity-scorer, parameters: {strategy: session_id}}]", unlabelled(3)...)
			for n, step := range steps {
				now := simtime.Time(step.seconds * 1e9)
				view := &policy.View{Now: now, Scrapes: []policy.Scrape{{At: now, Waiting: step.waiting}, {At: now}, {At: now}}}
				d := s.Decide(view, ofSession(n, 3))
				held := -1
				for i, e := range d.Candidates {
					if d.Scores[i] == 1 {
						held = e
					}
				}
				if held != step.want {
					t.Errorf("step %d: held to %d, want %d", n, held, step.want)
				}
				for _, f := range s.Scheduler.PickListeners {
					f.Routed(&s.Cycle, scheduler.Picks{Primary: step.to, Prefill: scheduler.None})
				}
			}
		})
	}
}

func TestSessionBindingsFollowTheirSchedule(t *testing.T) {
	s := &sessionBindings{ttl: 3 * time.Second, sweep: 2 * time.Second}
	for now, want := range map[float64]bool{3: false, 4: false, 5.9: false, 6: true, 100: true} {
		if got := s.swept(simtime.Time(time.Second), simtime.Time(now*1e9)); got != want {
			t.Errorf("at %v s: swept %t, want %t", now, got, want)
		}
	}
}

func TestSessionAffinityIsExactWhereThereAreSessions(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: session-affinity-scorer}]")
	for cluster, want := range map[*config.Cluster]config.Treatment{
		nil:                            config.Approximated,
		{Endpoints: 1}:                 config.Approximated,
		{Endpoints: 1, Sessions: true}: config.Exact,
	} {
		if r := c.Report(cluster)[0]; r.Treatment != want || (r.Note == noSessions) != (want == config.Approximated) {
			t.Errorf("%+v: %+v", cluster, r)
		}
	}
}

// The profile that a plugin looks at does not run.
func TestSessionsOfAnotherProfileAreNotHeld(t *testing.T) {
	for _, strategy := range []string{"session_id", "encoded_endpoint_header"} {
		c := mustLoad(t, "plugins: [{type: session-affinity-scorer, parameters: {profileName: prefill, strategy: "+strategy+"}}]")
		s := New(c, config.Cluster{Endpoints: 2}, 1)
		e := route(t, s, idle(2), ofSession(0, 1))
		s.FirstToken(ofSession(0, 1), e)
		route(t, s, idle(2), ofSession(1, 1))
		if diff := cmp.Diff([]float64{0, 0}, s.LastResult().Scores); diff != "" {
			t.Errorf("%s: scores (-want +got):\n%s", strategy, diff)
		}
		if r := c.Report(nil)[0]; r.Treatment != config.Exact || r.Note != `holds no session: profile "prefill" does not run` {
			t.Errorf("%s: %+v", strategy, r)
		}
	}
}

func TestParametersOfSessionAffinity(t *testing.T) {
	for _, typeName := range []string{"session-affinity-scorer", "session-affinity-filter"} {
		checkParameterFaults(t, typeName, "{strategy: cookie}",
			`strategy: Unsupported value: "cookie": supported values: "encoded_endpoint_header", "session_id"`)
		checkParameterFaults(t, typeName, "{strategy: session_id, sessionIdConfig: {sources: [{}, {header: a, attribute: b}, {attribute: c, producer: d}], evictionTtlSeconds: -1, evictionSweepSeconds: -1}}",
			`sessionIdConfig.sources[0]: Invalid value: exactly one of header and attribute must be set`,
			`sessionIdConfig.sources[1]: Invalid value: exactly one of header and attribute must be set`,
			`sessionIdConfig.evictionTtlSeconds: Invalid value: -1: must be greater than 0`,
			`sessionIdConfig.evictionSweepSeconds: Invalid value: -1: must be greater than 0`)
	}
}
