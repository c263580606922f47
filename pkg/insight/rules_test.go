// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// silent is a source of labels.
type silent struct{}

func (silent) Next() (workload.Request, bool) { return workload.Request{}, false }

func (silent) Labels() workload.Labels {
	return workload.Labels{Tenants: []string{"a", "b"}, Classes: []string{"chat"}}
}

// story makes a collector of two replicas and one scaler, whose requests have 1 s for their first
// token.
func story() *Collector {
	return NewCollector(&simulator.Config{
		Source: silent{}, Pools: []simulator.Pool{{Name: "llama", Replicas: 2}}, Targets: []simulator.Target{{TTFT: time.Second}},
		Scaling: []simulator.ScaledUnit{{Name: "scaler"}},
	}, Thresholds{})
}

// told is a request of a story: on replica 0 of two without queues, unless it says otherwise.
type told struct {
	id, tenant, prompt int
	at, ttft           time.Duration
	edit               func(*record)
}

func (c *Collector) tell(q told) {
	r := c.of(q.id)
	r.pick = pick{replica: 0, decodes: noReplica, holds: noReplica, place: []int16{0, 1}, waiting: []int16{0, 0}}
	e := simulator.RequestEnd{
		ID: q.id, Tenant: q.tenant, Ended: completed, Measured: true, Scheduled: true, PromptTokens: max(q.prompt, 1000), OutputTokens: 10,
		Arrival: simtime.Time(q.at), FirstToken: simtime.Time(q.at + q.ttft), LastToken: simtime.Time(q.at + q.ttft + time.Second), End: simtime.Time(q.at + q.ttft + time.Second),
	}
	r.end = e
	if q.edit != nil {
		q.edit(r)
	}
	c.Ended(r.end)
}

// each tells of so many requests.
func each(n int, of func(i int) told) func(*Collector) {
	return func(c *Collector) {
		for i := range n {
			q := of(i)
			q.id = i
			c.tell(q)
		}
	}
}

func at(i int) time.Duration { return time.Duration(i) * 100 * time.Millisecond }

func TestRules(t *testing.T) {
	const fast, slow = 50 * time.Millisecond, 3 * time.Second
	begun := func(replica, cached int, waiting ...int16) func(*record) {
		return func(r *record) {
			r.beginning = keyed{beginning{source: 7}, 800}
			r.pick.replica, r.end.CachedTokens = replica, cached
			if waiting != nil {
				r.pick.waiting = waiting
			}
		}
	}
	scale := func(changes ...int) func(*Collector) {
		return func(c *Collector) {
			n := 2
			for i, by := range changes {
				c.Scaled(simulator.ScalerCall{At: simtime.Time(i+1) * 60e9, Was: []int{n}, Wanted: []int{n + by}, Stated: []int{n + by}})
				n += by
			}
			c.tell(told{at: 10 * time.Minute, ttft: fast})
		}
	}
	for name, test := range map[string]struct {
		tell func(*Collector)
		want []Type
	}{
		"all is well": {each(200, func(i int) told { return told{at: at(i), ttft: fast} }), nil},
		"a fifth of the requests is late": {each(200, func(i int) told {
			return told{at: at(i), ttft: []time.Duration{slow, fast, fast, fast, fast}[i%5]}
		}), []Type{TailBlowUp, SLOViolation}},
		"half of the requests are overtaken": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: func(r *record) { r.end.Overtaken = i%2 == 0 }}
		}), []Type{PriorityInversion}},
		"one in 20 is overtaken": {each(600, func(i int) told {
			return told{at: at(i), ttft: fast, edit: func(r *record) { r.end.Overtaken = i%20 == 0 }}
		}), nil},
		"half of the requests wait behind the head of the line": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: func(r *record) { r.end.Blocked = i%2 == 0 }}
		}), []Type{HeadOfLineBlocking}},
		"the router believes in what is not there": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: func(r *record) { r.end.Believed = policy.Believing(900) }}
		}), []Type{ShadowDivergence}},
		"the router believes in what is there": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: func(r *record) { r.end.Believed, r.end.CachedTokens = policy.Believing(900), 880 }}
		}), nil},
		"requests pass over who has their beginning": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: begun(i%2, 0)}
		}), []Type{PrefixBlind}},
		"requests pass over who has a queue": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: begun(i%2, 800, 9, 9)}
		}), nil},
		"requests come back to what is gone": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: begun(0, 100)}
		}), []Type{CacheThrashing}},
		"requests come back to what is there": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: begun(0, 800)}
		}), nil},
		"one replica gets all": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: func(r *record) { r.pick.here.waiting, r.pick.waiting[0] = 30, 30 }}
		}), []Type{HotReplica}},
		"one replica gets all and has no queue": {each(200, func(i int) told { return told{at: at(i), ttft: fast} }), nil},
		"decode endpoints have queues": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: func(r *record) { r.pick.decodes, r.pick.there.waiting = 1, 8 }}
		}), []Type{PDBackpressure}},
		"prefill endpoints have longer queues": {each(200, func(i int) told {
			return told{at: at(i), ttft: fast, edit: func(r *record) {
				r.pick.decodes, r.pick.there.waiting, r.pick.here.waiting, r.pick.waiting = 1, 8, 9, []int16{9, 9}
			}}
		}), nil},
		"a tenant's burst makes the other wait": {each(900, func(i int) told {
			switch {
			case i < 300:
				return told{at: at(i), ttft: fast}
			case i < 600:
				return told{tenant: 1, at: 30*time.Second + at(i-300)/10, ttft: slow}
			case i < 650:
				return told{at: 30*time.Second + at(i-600), ttft: slow}
			}
			return told{at: 35*time.Second + at(i-650), ttft: fast}
		}), []Type{TenantBurst, SLOViolation, TailBlowUp}},
		"requests are preempted": {func(c *Collector) {
			for i := range 100 {
				c.Preempted(simulator.Preemption{At: simtime.Time(at(i)), Request: i})
			}
			each(200, func(i int) told { return told{at: at(i), ttft: fast} })(c)
		}, []Type{PreemptionStorm}},
		"a scaler swings":        {scale(1, -1, 1, -1), []Type{ScaleOscillation}},
		"a scaler goes one way":  {scale(1, 1, 1, 1), nil},
		"a scaler swings slowly": {scale(1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, -1), nil},
		"too few requests":       {each(10, func(i int) told { return told{at: at(i), ttft: slow} }), nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := story()
			test.tell(c)
			var got []Type
			for _, a := range c.Report().Anomalies {
				got = append(got, a.Type)
				if a.Severity < 0 || a.Severity > 1 || a.Share < 0 || a.Share > 1 || a.Count == 0 || len(a.Requests) > examples {
					t.Errorf("%+v", a)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("anomalies (−want +got):\n%s", diff)
			}
		})
	}
}

// A collector keeps so many beginnings and slots at most, however many requests there are.
func TestMemoryIsBounded(t *testing.T) {
	c := story()
	each(50_000, func(i int) told {
		return told{at: at(i), ttft: time.Second, tenant: i % 2, edit: func(r *record) { r.beginning = keyed{beginning{source: uint64(i)}, 800} }}
	})(c)
	if len(c.open) != 0 {
		t.Errorf("%d requests are open", len(c.open))
	}
	for _, rule := range c.rules {
		switch r := rule.(type) {
		case *reuse:
			if n := len(r.seen.young) + len(r.seen.old); n > 2*manyBeginnings {
				t.Errorf("%d beginnings", n)
			}
		case *tenantBurst:
			if n := r.span(); n > slots {
				t.Errorf("%d slots", n)
			}
			arrived := 0
			for _, s := range slices.Concat(r.tenants...) {
				arrived += s.arrived
			}
			if arrived != 50_000 {
				t.Errorf("the slots have %d arrivals, want 50000", arrived)
			}
		}
	}
	if n := len(c.sample.all); n > sampled || n < sampled/2 {
		t.Errorf("%d sampled decisions", n)
	}
}

// Without any request there is no anomaly.
func TestNothingWentWrongWhereNothingHappened(t *testing.T) {
	c := story()
	if all := c.Report().Anomalies; len(all) > 0 {
		t.Errorf("there are %+v", all)
	}
	for _, kind := range Types {
		if n, known := c.Counts()[kind]; n != 0 || !known {
			t.Errorf("%d of %s (counted: %v)", n, kind, known)
		}
	}
}

// A collector that only counts counts as one that reports, and knows of each request whether a rule
// counts it.
func TestACounterCounts(t *testing.T) {
	whole, counter := story(), story()
	counter.onlyCounts = true
	tell := each(100, func(i int) told {
		return told{id: i, at: time.Duration(i) * time.Second, ttft: time.Duration(1+i%2) * 900 * time.Millisecond}
	})
	tell(whole)
	tell(counter)
	if diff := cmp.Diff(whole.Counts(), counter.Counts()); diff != "" || whole.Counts()[SLOViolation] != 50 {
		t.Errorf("counts (−of a report +of a counter):\n%s", diff)
	}
	for id, want := range []bool{false, true} {
		counter.tell(told{id: 100 + id, ttft: time.Duration(1+id) * 900 * time.Millisecond})
		if counter.Counted() != want || counter.InFlight(100+id) {
			t.Errorf("request %d is counted: %v", 100+id, counter.Counted())
		}
	}
}
