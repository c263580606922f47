// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// named are the fields of a group with their values.
func named(g *Group, cells []float64) map[string]float64 {
	m := map[string]float64{}
	for i, f := range g.Fields {
		m[f.Name] = cells[i]
	}
	return m
}

// What is filled in stands at the place of the field of its name.
func TestFieldsStandAtTheirPlaces(t *testing.T) {
	l := AdmissionLayout(Names{Tenants: []string{"a", "b"}, Classes: []string{"c"}})
	c := &Caller{Layout: l, Frame: NewFrame(l, 2)}
	const second = simtime.Time(time.Second)
	traffic := policy.NewTraffic(2, 1, time.Minute)
	q := &policy.Request{
		Tokens: 10, Tenant: 1, Priority: 3, Session: 4, Adapter: 5, Arrival: 7 * second,
		TTFT: 8 * time.Second, TPOT: 9 * time.Millisecond,
	}
	traffic.Arrive(7*second, q)
	traffic.Delay(q, 1)
	view := &policy.View{
		Now: 9 * second, Traffic: traffic, Down: []bool{true, false},
		Scrapes: []policy.Scrape{{}, {
			At: 8 * second, Waiting: 1, Running: 2, KVUsage: 0.5, Blocks: 100, BlockTokens: 16, Transfers: 3, TransferDelay: time.Second,
		}},
	}
	FillGateway(c, view, q)
	for name, want := range map[string]map[string]float64{
		"request": {"tokens": 10, "tenant": 1, "slo_class": 0, "priority": 3, "session": 4, "adapter": 5, "age": 2, "ttft_target": 8, "tpot_target": 0.009},
		"gateway": {"in_flight": 0, "in_flight_tokens": 0, "delayed": 1, "arrival_rate": 1. / 9, "admission_rate": 0, "rejection_rate": 0},
		"tenant":  {"in_flight": 0, "in_flight_tokens": 0, "delayed": 1, "arrival_rate": 1. / 9, "admission_rate": 0, "rejection_rate": 0},
	} {
		group, first, _, _ := l.Find(name)
		got := named(group, c.Frame.Scalars[first:])
		if rate, ok := got["arrival_rate"]; ok {
			want["arrival_rate"] = rate // of a window
			if rate <= 0 {
				t.Errorf("%s: an arrival rate of %v", name, rate)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if c.Frame.Rows != 1 {
		t.Fatalf("%d rows for an endpoint that is there and one that is not", c.Frame.Rows)
	}
	want := map[string]float64{
		"number": 1, "waiting": 1, "running": 2, "kv_usage": 0.5, "scrape_age": 1, "blocks": 100, "block_tokens": 16, "transfers": 3, "transfer_delay": 1,
	}
	if diff := cmp.Diff(want, named(l.Rows, c.Frame.Cells)); diff != "" {
		t.Errorf("endpoint (-want +got):\n%s", diff)
	}
}
