// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestOnlyReplicasHaveScores(t *testing.T) {
	c := NewChoices([]string{"127.0.0.1:8000", "127.0.0.1:8001"})
	o := &load.Outcome{Endpoint: "127.0.0.1:8001", Scores: map[string]float64{"127.0.0.1:8000": 1, "127.0.0.1:8001": 2, "10.0.0.1:8000": 9}}
	c.Add(o)
	if diff := cmp.Diff(map[int]float64{0: 1, 1: 2}, c.of[identityOf(&o.Request)].Scores); diff != "" {
		t.Errorf("scores (−want +got):\n%s", diff)
	}
}

// TestTheMomentOfAChoice runs at a quarter of real time: the EPP is asked at 4 s of the machine, answers at 16 s, and
// chose at 12 s.
func TestTheMomentOfAChoice(t *testing.T) {
	start := time.Unix(1000, 0)
	for name, tc := range map[string]struct {
		chosen time.Time
		want   simtime.Time
	}{
		"the EPP tells": {start.Add(12 * time.Second), simtime.Time(3 * time.Second)},
		"it does not":   {time.Time{}, simtime.Time(2 * time.Second)},
	} {
		c := NewChoices(nil)
		c.Start, c.Speed = start, 0.25
		o := &load.Outcome{Chosen: simtime.Time(4 * time.Second)}
		o.Arrival = simtime.Time(time.Second)
		c.Add(o)
		c.SetMoments(func(int) (chosen, ended time.Time) { return tc.chosen, time.Time{} })
		made := c.of[identityOf(&o.Request)]
		if got := c.at(&made, false); got != tc.want || made.Ended != 0 {
			t.Errorf("%s: it chose at %v, want %v; the end is at %v", name, got, tc.want, made.Ended)
		}
	}
}
