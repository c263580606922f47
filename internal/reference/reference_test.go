// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"context"
	"reflect"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// TestEveryRequestIsServed, with every invariant of the engine checked.
func TestEveryRequestIsServed(t *testing.T) {
	for name, config := range map[string]simulator.Config{
		"R":                          R(500, 4, 1),
		"guided, many replicas":      Guided(500, 70, 1),
		"disaggregated, many a role": Disaggregated(500, 100, 1),
	} {
		config.CheckInvariants = true
		o, err := simulation.Run(context.Background(), config)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(o.Cells) != 1 || o.Cells[0].Completed != 500 {
			t.Errorf("%s: cells %+v, want one with 500 completed", name, o.Cells)
		}
	}
}

// TestPreemptingPreempts: each request at least twice, and all are served.
func TestPreemptingPreempts(t *testing.T) {
	config := Preempting(2000, 2, 1)
	config.CheckInvariants = true
	o, err := simulation.Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	if c := o.Cells[0]; c.Completed != 2000 || c.Preemptions < 2*2000 {
		t.Errorf("%d completed and %d preemptions, want 2000 and twice as many", c.Completed, c.Preemptions)
	}
}

// TestTheClosedLoopHasTheLoadOfR: its users send as many requests a second as the clients of
// R, within 2 %.
func TestTheClosedLoopHasTheLoadOfR(t *testing.T) {
	const requests = 20_000
	seconds := map[string]float64{}
	for name, config := range map[string]simulator.Config{"open": R(requests, 16, 1), "closed": Closed(requests, 16, 1)} {
		o, err := simulation.Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Cells) != 1 || o.Cells[0].Completed != requests {
			t.Fatalf("%s: cells %+v, want one with %d completed", name, o.Cells, requests)
		}
		seconds[name] = o.End.Sub(0).Seconds()
	}
	if ratio := seconds["closed"] / seconds["open"]; ratio < 0.98 || ratio > 1.02 {
		t.Errorf("the runs end after %v, of which the ratio is %.3f", seconds, ratio)
	}
}

// TestClients: the rate is 25 requests/s a replica, whatever their number, and
// the busiest client has twice the share of the next.
func TestClients(t *testing.T) {
	for replicas, want := range map[int]int{4: 20, 16: 20, 64: 80, 256: 320} {
		all := Clients(replicas)
		rate := 0.0
		for _, c := range all {
			rate += c.Arrivals.RatePerSecond
		}
		first, second := all[0].Arrivals.RatePerSecond, all[1].Arrivals.RatePerSecond
		if len(all) != want || rate/float64(25*replicas) < 0.999 || rate/float64(25*replicas) > 1.001 || first/second < 1.999 || first/second > 2.001 {
			t.Errorf("%d replicas: %d clients with %v requests/s, the first two %v and %v", replicas, len(all), rate, first, second)
		}
	}
}

// TestProgramsDecideAsThePolicy: what the forms of one policy decide has the same outcome.
func TestProgramsDecideAsThePolicy(t *testing.T) {
	outcomes := map[Form]*simulator.Result{}
	for _, form := range Forms {
		o, err := simulation.Run(context.Background(), Programmed(form)(2000, 16, 1))
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Cells) != 1 || o.Cells[0].Completed != 2000 {
			t.Fatalf("%s: cells %+v, want one with 2000 completed", form, o.Cells)
		}
		if outcomes[form] = o; !reflect.DeepEqual(o.Cells, outcomes[Native].Cells) {
			t.Errorf("%s has not the outcome of the policy", form)
		}
	}
}
