// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// TestRequestsComeInTheOrderOfTheChoices has a client that sends one request each second. The first
// one waits in the EPP for 2 s, and the answer to the second one takes 1 ms; the EPP hears of no other.
func TestRequestsComeInTheOrderOfTheChoices(t *testing.T) {
	const ms = simtime.Time(time.Millisecond)
	source := func() workload.Source {
		return workload.NewClients([]workload.Client{{
			Name: "client", Arrivals: workload.Arrivals{Process: workload.Constant, RatePerSecond: 1},
			Input: workload.Lengths{Distribution: stats.Constant{Value: 8}, Min: 1}, Output: workload.Lengths{Distribution: stats.Constant{Value: 8}, Min: 1},
		}}, 1)
	}
	choices, sent := NewChoices(nil), source()
	for _, chosen := range []simtime.Time{3002 * ms, 2001 * ms} {
		q, _ := sent.Next()
		choices.Add(&load.Outcome{Request: q, RequestEnd: simulator.RequestEnd{ID: q.ID, Arrival: q.Arrival}, Chosen: chosen})
	}
	type came struct {
		Step, ID int
		At       simtime.Time
	}
	for name, tc := range map[string]struct {
		at   func(*choice) simtime.Time
		want []came
	}{
		"as it chose":        {func(c *choice) simtime.Time { return choices.at(c, true) }, []came{{2, 0, 2001*ms - ms*2/3}, {1, 1, 3000 * ms}}},
		"as its answer came": {func(c *choice) simtime.Time { return c.Answered }, []came{{2, 0, 2001 * ms}, {1, 1, 3002 * ms}}},
	} {
		var got []came
		ordered := choices.inOrder(source(), tc.at)
		for q, more := ordered.Next(); more; q, more = ordered.Next() {
			got = append(got, came{q.Origin.Step, q.ID, q.Arrival})
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("requests %s (−want +got):\n%s", name, diff)
		}
	}
}
