// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func TestBacklogGrowthIsAShareOfWhatArrives(t *testing.T) {
	// One request arrives each second; perSecond is the rate at which they are served, in turn.
	served := func(h simulator.Horizon, requests int, perSecond float64) *backlog {
		b := &backlog{horizon: h}
		end := 0.0
		for i := range requests {
			at := float64(i)
			if h.Duration > 0 && at >= h.Duration.Seconds() {
				break
			}
			b.arrive(simtime.Time(at * 1e9))
			if perSecond > 0 {
				end = max(end, at) + 1/perSecond
				b.ends.add(simtime.Time(end*1e9), b.middle())
			}
		}
		return b
	}
	for name, tc := range map[string]struct {
		horizon   simulator.Horizon
		perSecond float64
		want      float64
	}{
		"all that arrives is served": {simulator.Horizon{}, 2, 0},
		"half of it":                 {simulator.Horizon{}, 0.5, 0.5},
		"nothing":                    {simulator.Horizon{}, 0, 1},
		"until the horizon":          {simulator.Horizon{Duration: 500 * time.Second}, 0.5, 0.5},
		"after a warm-up":            {simulator.Horizon{WarmUp: 800 * time.Second}, 0.75, 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			got := served(tc.horizon, 1000, tc.perSecond).growth()
			if got == nil || math.Abs(*got-tc.want) > 0.015 {
				t.Errorf("growth %v, want %v", got, tc.want)
			}
		})
	}
	if got := served(simulator.Horizon{}, 99, 0).growth(); got != nil {
		t.Errorf("growth of too few is %v", *got)
	}
}

// What is only counted counts as if every time had been kept, and little more than half of the times is kept.
func TestBacklogForgetsWhatDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		b := &backlog{horizon: simulator.Horizon{WarmUp: time.Duration(random.IntN(1000))}}
		var arrivals, ends []simtime.Time
		now := simtime.Time(0)
		for i := range 10_000 {
			now += simtime.Time(random.IntN(10))
			b.arrive(now)
			arrivals = append(arrivals, now)
			if i%3 > 0 {
				end := now - simtime.Time(random.IntN(int(now)+1))
				b.ends.add(end, b.middle())
				ends = append(ends, end)
			}
			if i%50 == 0 {
				rejected := random.IntN(i + 1)
				b.ends.add(b.arrivals.at(rejected), b.middle())
				ends = append(ends, arrivals[rejected])
			}
		}
		readings := []simtime.Time{b.middle()}
		for range 20 {
			readings = append(readings, b.middle()+simtime.Time(random.IntN(int(now))))
		}
		slices.Sort(readings)
		slices.Sort(ends)
		arrived, ended := b.arrivals.before(readings), b.ends.before(readings)
		for i, at := range readings {
			wantArrived, _ := slices.BinarySearch(arrivals, at)
			wantEnded, _ := slices.BinarySearch(ends, at)
			if arrived[i] != wantArrived || ended[i] != wantEnded {
				t.Fatalf("before %d: %d arrived and %d ended, want %d and %d", at, arrived[i], ended[i], wantArrived, wantEnded)
			}
		}
		if kept := len(b.arrivals.late) * len(momentChunk{}); kept > 7000 {
			t.Errorf("places for %d arrivals of 10000", kept)
		}
	}
}
