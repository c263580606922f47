// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// TestScrapesOfASlowRun runs at a quarter of real time: 20 ms of the workload are 80 ms of the machine, in
// which the scrape of the first 40 ms gets older by 10 ms of the workload.
func TestScrapesOfASlowRun(t *testing.T) {
	start, notes := time.Unix(1000, 0), NewNotes(1, 0)
	for i, at := range []time.Duration{40 * time.Millisecond, 81 * time.Millisecond} {
		notes.Scraped(0, start.Add(at), &replicas.Metrics{Waiting: i + 1})
	}
	choices := NewChoices(nil)
	choices.Start, choices.Speed = start, 0.25
	now := simtime.Time(20 * time.Millisecond)
	got := notes.Scrapes().seen(&policy.View{Now: now, Scrapes: make([]policy.Scrape, 1)}, choices, now).Scrapes[0]
	if want := simtime.Time(10 * time.Millisecond); got.Waiting != 1 || got.At != want {
		t.Errorf("the scrape is %+v, want the first one, of %v", got, want)
	}
}
