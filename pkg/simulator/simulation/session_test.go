// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// sessionFeatures are those of features that concern engines: a session has no gateway of its own.
var sessionFeatures = map[string][]feature{
	"serving":                     {},
	"tiers":                       {randomTiers},
	"adapters":                    {randomAdapters},
	"speculation":                 {randomSpeculation},
	"ranks":                       {randomRanks},
	"speculation, adapters":       {randomSpeculation, randomAdapters},
	"tiers, adapters and exports": {randomTiers, randomAdapters, randomExports},
}

// TestSessionAgainstRun holds a session against a run that has the same requests at the same times on
// the same endpoints: each token comes at the same nanosecond, and each answer ends there.
func TestSessionAgainstRun(t *testing.T) {
	for name, with := range sessionFeatures {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(400) {
				data := randomChoices(seed, 120, 500)
				want := tokensOfRun(t, sessionConfig(data, with))
				got := tokensOfSession(t, sessionConfig(data, with))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("scenario %d (-run +session):\n%s", seed, diff)
				}
			}
		})
	}
}

// sessionConfig is a random cluster whose requests go to the endpoints in turn.
func sessionConfig(data []byte, with []feature) simulator.Config {
	c := randomConfigWith(data, with...)
	c.Policies = policy.RoutedBy(deal{})
	c.Horizon, c.Listener = simulator.Horizon{Drain: 1 << 60}, nil
	return c
}

// deal sends requests to the endpoints in turn.
type deal struct{}

func (deal) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	return policy.To(q.ID % len(v.Scrapes)), nil
}

// stream is what the client of a request sees.
type stream struct {
	Tokens    []simtime.Time
	Completed simtime.Time
	Refused   string
}

// streams are those of all requests, by number.
type streams map[int]*stream

func (s streams) of(number int) *stream {
	if s[number] == nil {
		s[number] = &stream{}
	}
	return s[number]
}

func (s streams) Given(g Given) {
	for range g.Tokens {
		s.of(g.Request).Tokens = append(s.of(g.Request).Tokens, g.At)
	}
}

func (s streams) Completed(at simtime.Time, number int) { s.of(number).Completed = at }

func tokensOfRun(t *testing.T, c simulator.Config) streams {
	t.Helper()
	s := newSimulation(context.Background(), c)
	seen := &streamObserver{s: s, streams: streams{}}
	s.Observers = append(s.Observers, seen)
	if _, err := s.run(); err != nil {
		t.Fatal(err)
	}
	return seen.streams
}

// streamObserver notes what clients see of a run.
type streamObserver struct {
	s *simulation
	streams
}

func (o *streamObserver) Arrived(int32) {}

func (o *streamObserver) Rejected(info *policy.Request, reason simulator.Reason) {
	o.of(info.ID).Refused = reason.String()
}

func (o *streamObserver) Token(id, n int32, at simtime.Time) {
	o.Given(Given{At: at, Request: o.s.Requests.All[id].Info.ID, Tokens: int(n)})
}

func (o *streamObserver) Ended(id int32, at simtime.Time, how request.Ending) {
	if how == request.EndCompleted {
		o.Completed(at, o.s.Requests.All[id].Info.ID)
	}
}

func (o *streamObserver) Formed(int32, latency.Step) {}
func (o *streamObserver) Preempted(int32, int32)     {}
func (o *streamObserver) Settled(int32)              {}
func (o *streamObserver) Over()                      {}

func tokensOfSession(t *testing.T, c simulator.Config) streams {
	t.Helper()
	source := c.Source
	told := &inOrder{t: t, streams: streams{}}
	s := OpenSession(context.Background(), c, told)
	endpoints := len(s.s.cluster.Replicas)
	for {
		w, ok := source.Next()
		if !ok {
			break
		}
		// A live clock stops at some of the events before an arrival, in places of its own.
		for w.ID%3 == 0 && s.Next() < w.Arrival {
			advance(t, s, s.Next()+1)
		}
		_, err := s.Submit(w.Arrival, Submission{Endpoint: w.ID % endpoints, Request: w})
		if refusal := (Refusal{}); errors.As(err, &refusal) {
			told.of(w.ID).Refused = refusal.Reason.String()
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for s.Next() < simtime.Never {
		advance(t, s, s.Next()+1)
	}
	return told.streams
}

func advance(t *testing.T, s *Session, until simtime.Time) {
	t.Helper()
	if err := s.Advance(until); err != nil {
		t.Fatal(err)
	}
}

// inOrder checks that what it is told comes in order of time.
type inOrder struct {
	t   *testing.T
	now simtime.Time
	streams
}

func (o *inOrder) Given(g Given) {
	o.passes(g.At)
	o.streams.Given(g)
}

func (o *inOrder) Completed(at simtime.Time, number int) {
	o.passes(at)
	o.streams.Completed(at, number)
}

func (o *inOrder) passes(at simtime.Time) {
	if at < o.now {
		o.t.Errorf("told of %v after %v", at, o.now)
	}
	o.now = at
}
