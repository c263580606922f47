// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
)

func TestLatencySLOAdmitter(t *testing.T) {
	busy := policy.Scrape{Running: 3, KVUsage: 0.5}
	late, slow, good := &predicted{-1, 1, 1}, &predicted{1, -1, 1}, &predicted{1, 1, 1}
	for _, tc := range []struct {
		name       string
		priority   int
		ttft, tpot time.Duration
		scrapes    []policy.Scrape
		predicted  []*predicted
		admitted   bool
	}{
		{"no endpoint can", -1, time.Second, 0, []policy.Scrape{busy, busy}, []*predicted{late, slow}, false},
		{"one can", -1, time.Second, 0, []policy.Scrape{busy, busy}, []*predicted{late, good}, true},
		{"an objective met to the last bit is missed", -1, time.Second, 0, []policy.Scrape{busy}, []*predicted{{0, 0, 1}}, false},
		{"one is idle", -1, 0, time.Second, []policy.Scrape{busy, {KVUsage: 0.5}}, []*predicted{late, late}, true},
		{"one is cold", -1, 0, time.Second, []policy.Scrape{busy, {Running: 1, KVUsage: 0.0199}}, []*predicted{late, late}, true},
		{"none is quite cold", -1, 0, time.Second, []policy.Scrape{busy, {Running: 1, KVUsage: 0.02}}, []*predicted{late, late}, false},
		{"nothing is predicted", -1, time.Second, 0, []policy.Scrape{busy}, []*predicted{nil}, true},
		{"nothing is stated", -1, 0, 0, []policy.Scrape{busy}, []*predicted{late}, true},
		{"it is no sheddable request", 0, time.Second, 0, []policy.Scrape{busy}, []*predicted{late}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := plant(t, "plugins: [{type: latency-slo-admitter}]", unlabelled(len(tc.scrapes))...)
			p.foresee(tc.predicted...)
			r := request(0, 100)
			r.Priority, r.TTFT, r.TPOT = tc.priority, tc.ttft, tc.tpot
			view := idle(len(tc.scrapes))
			copy(view.Scrapes, tc.scrapes)
			if got := p.Admitters[0].Admits(p.Begin(view, r)); got != tc.admitted {
				t.Errorf("admitted: %t, want %t", got, tc.admitted)
			}
		})
	}
}
