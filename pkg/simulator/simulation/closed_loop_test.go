// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// closedLoop is a source of users each of whom sends the next request of a script
// some time after the last one has ended, whichever way it did. It notes what it
// hears.
type closedLoop struct {
	script
	thinks  int
	arrived int
	known   []workload.Request // in order of arrival
	log     []string
}

// newClosedLoop lets so many users begin with the first requests of a script.
func newClosedLoop(from script, users, thinks int) *closedLoop {
	l := &closedLoop{script: from, thinks: thinks}
	for range users {
		if r, ok := l.script.Next(); ok {
			l.send(r, r.Arrival)
		}
	}
	return l
}

func (l *closedLoop) send(r workload.Request, at simtime.Time) {
	r.Arrival = at
	place, _ := slices.BinarySearchFunc(l.known, at+1, func(r workload.Request, at simtime.Time) int {
		return cmp.Compare(r.Arrival, at)
	})
	l.known = slices.Insert(l.known, place, r)
}

func (l *closedLoop) Due() (simtime.Time, bool) {
	if len(l.known) == 0 {
		return 0, false
	}
	return l.known[0].Arrival, true
}

func (l *closedLoop) Next() (workload.Request, bool) {
	r := l.known[0]
	l.known = l.known[1:]
	r.ID = l.arrived
	l.arrived++
	return r, true
}

func (l *closedLoop) Ended(e workload.End) {
	l.log = append(l.log, fmt.Sprint(e.ID, " ", e.Ending, " at ", e.At))
	if r, ok := l.script.Next(); ok {
		l.send(r, e.At+1+simtime.Time(e.ID*7%max(1, l.thinks)))
	}
}

// randomClosedLoop lets users wait for answers.
func randomClosedLoop(c *choices, config *simulator.Config) {
	s := scatterOf(config)
	s.users, s.thinks = 1+c.pick(6), c.pick(40)
}

// heardOf is what the source of a run has heard.
func heardOf(c *simulator.Config) []string {
	if l, ok := c.Listener.(*closedLoop); ok {
		return l.log
	}
	return nil
}

// TestAClosedLoopWaitsForItsAnswers: of users who wait for their answers, there are
// never more requests in flight than users, and each comes the thinking time after
// an end.
func TestAClosedLoopWaitsForItsAnswers(t *testing.T) {
	const users, requests = 5, 200
	from := script{labels: workload.Labels{Tenants: []string{"t"}, Classes: []string{"c"}}}
	for id := range requests {
		from.requests = append(from.requests, workload.Request{
			OutputTokens: 1 + id%20, Prompt: prompt.Prompt{Extents: []prompt.Extent{{Source: uint64(id), Tokens: int32(10 + id%30)}}},
		})
	}
	loop := newClosedLoop(from, users, 0)
	ends, arrivals := map[int]simtime.Time{}, map[int]simtime.Time{}
	config := simulator.Config{
		Pools:    []simulator.Pool{llamaPool(t, 2)},
		Policies: policy.RoutedBy((&leastWaiting{}).routing().Router),
		Source:   loop,
		Listener: loop,
		Horizon:  simulator.Horizon{Drain: time.Hour},
		Ended:    func(e simulator.RequestEnd) { arrivals[e.ID], ends[e.ID] = e.Arrival, e.End },
	}
	o, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sumCells(o); sum.Completed != requests {
		t.Errorf("%d requests completed, want %d", sum.Completed, requests)
	}
	after := map[simtime.Time]int{}
	for _, at := range ends {
		after[at+1]++
	}
	for id, at := range arrivals {
		inFlight := 0
		for other, from := range arrivals {
			if from <= at && ends[other] > at {
				inFlight++
			}
		}
		if inFlight > users {
			t.Errorf("at %v %d requests of %d users are in flight", at, inFlight, users)
		}
		if id >= users && after[at] == 0 {
			t.Errorf("request %d arrives at %v, 1 ns after no end", id, at)
		}
	}
}

// TestAClosedLoopEndsAtTheHorizon: what is in flight then drains, and nobody hears
// of it.
func TestAClosedLoopEndsAtTheHorizon(t *testing.T) {
	from := script{labels: workload.Labels{Tenants: []string{"t"}, Classes: []string{"c"}}}
	for id := range 1000 {
		from.requests = append(from.requests, workload.Request{
			OutputTokens: 50, Prompt: prompt.Prompt{Extents: []prompt.Extent{{Source: uint64(id), Tokens: 20}}},
		})
	}
	loop := newClosedLoop(from, 3, 0)
	o, err := Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{llamaPool(t, 1)}, Policies: policy.RoutedBy((&leastWaiting{}).routing().Router),
		Source: loop, Listener: loop, Horizon: simulator.Horizon{Duration: 5 * time.Second, Drain: time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	sum := sumCells(o)
	if heard := int64(len(loop.log)); sum.Arrived != sum.Completed || heard != sum.Arrived-3 {
		t.Errorf("%d of %d requests completed, and the source heard of %d ends, want all but 3", sum.Completed, sum.Arrived, heard)
	}
	if o.End < simtime.Time(5*time.Second) {
		t.Errorf("the run ends at %v, before its horizon", o.End)
	}
}
