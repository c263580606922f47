// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A window is held against a list of all that was counted.
func TestAWindowCountsTheSlotsThatItCovers(t *testing.T) {
	const length, slot = 160 * time.Millisecond, 10 * time.Millisecond
	w, random := policy.NewWindow(length), stats.NewStream(1, "window")
	type count struct {
		slot simtime.Time
		n    int64
	}
	var all []count
	now := simtime.Time(0)
	for range 5000 {
		now += simtime.Time(random.IntN(int(30*time.Millisecond))) * simtime.Time(random.IntN(2))
		if random.IntN(100) == 0 {
			now += simtime.Time(time.Second)
		}
		n := int64(random.IntN(4))
		w.Add(now, n)
		all = append(all, count{now / simtime.Time(slot), n})
		want := int64(0)
		for _, c := range all {
			if c.slot > now/simtime.Time(slot)-16 {
				want += c.n
			}
		}
		if got := w.Sum(now); got != want {
			t.Fatalf("at %v the window counts %d, want %d", now, got, want)
		}
	}
}

func TestRatesOfAWindow(t *testing.T) {
	for name, tc := range map[string]struct {
		counted, read simtime.Time // in ms
		want          float64
	}{
		"nothing was counted":         {-1, 500, 0},
		"a part is the least of time": {0, 0, 10 / 0.1},
		"the run is short":            {0, 800, 10 / 0.8},
		"a full window":               {1600, 3100, 10 / 1.5},
		"it has passed":               {0, 5000, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := policy.NewWindow(1600 * time.Millisecond)
			if tc.counted >= 0 {
				w.Add(tc.counted*1e6, 10)
			}
			if got := w.Rate(tc.read * 1e6); got != tc.want {
				t.Errorf("%v per second, want %v", got, tc.want)
			}
		})
	}
}
