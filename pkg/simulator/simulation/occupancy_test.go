// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// toFirst is a router that knows one endpoint.
type toFirst struct{}

func (toFirst) Route(*policy.View, *policy.Request) (policy.Route, error) {
	return policy.To(0), nil
}

// TestLittlesLaw: requests in the system, summed over time, are the times that
// each spent there, summed over requests; to the nanosecond.
func TestLittlesLaw(t *testing.T) {
	for seed := range int64(30) {
		config := randomConfig(randomBytes(seed))
		config.Horizon = simulator.Horizon{Drain: time.Hour}
		s := newSimulation(context.Background(), config)
		watch := &occupancy{}
		watch.s = s
		s.Observers = append(s.Observers, watch)
		o, err := s.run()
		if err != nil {
			t.Fatal(err)
		}
		if _, spent := sumCells(o).E2E.Sum(); uint64(watch.integral()) != spent {
			t.Errorf("scenario %d: %d request·ns in the system, %d spent by requests", seed, watch.integral(), spent)
		}
	}
}

// occupancy is an observer that notes who comes and goes when.
type occupancy struct {
	recorder
	changes []change
}

type change struct {
	at simtime.Time
	by int64
}

func (c *occupancy) Arrived(_ int32) {
	s := c.s
	c.changes = append(c.changes, change{s.Now, 1})
}
func (c *occupancy) Rejected(*policy.Request, simulator.Reason) {}
func (c *occupancy) Formed(int32, latency.Step)                 {}
func (c *occupancy) Preempted(int32, int32)                     {}
func (c *occupancy) Token(int32, int32, simtime.Time)           {}
func (c *occupancy) Ended(_ int32, at simtime.Time, _ request.Ending) {
	c.changes = append(c.changes, change{at, -1})
}

// integral is the number in the system summed over time.
func (c *occupancy) integral() int64 {
	slices.SortStableFunc(c.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	sum, count, last := int64(0), int64(0), simtime.Time(0)
	for _, change := range c.changes {
		sum += count * int64(change.at-last)
		last = change.at
		count += change.by
	}
	return sum
}

func simulate(t testing.TB, c simulator.Config) *simulator.Cell {
	o, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return sumCells(o)
}
