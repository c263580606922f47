// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func TestBacklogGrowthIsAShareOfWhatArrives(t *testing.T) {
	// A request a second, of which so many a second are served in turn.
	served := func(perSecond float64) *backlog {
		b := &backlog{}
		end := 0.0
		for i := range 1000 {
			at := float64(i)
			b.arrivals = append(b.arrivals, simtime.Time(at*1e9))
			end = max(end, at) + 1/perSecond
			b.ends = append(b.ends, simtime.Time(end*1e9))
		}
		return b
	}
	for name, tc := range map[string]struct {
		backlog *backlog
		horizon simulator.Horizon
		want    float64
	}{
		"all that arrives is served": {served(2), simulator.Horizon{}, 0},
		"half of it":                 {served(0.5), simulator.Horizon{}, 0.5},
		"nothing":                    {&backlog{arrivals: served(1).arrivals}, simulator.Horizon{}, 1},
		"what came too late is none": {served(0.5), simulator.Horizon{Duration: 500 * time.Second}, 0.5},
		"after a warm-up":            {served(0.75), simulator.Horizon{WarmUp: 800 * time.Second}, 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.backlog.growth(tc.horizon)
			if got == nil || math.Abs(*got-tc.want) > 0.015 {
				t.Errorf("growth %v, want %v", got, tc.want)
			}
		})
	}
	if got := (&backlog{arrivals: served(1).arrivals[:99]}).growth(simulator.Horizon{}); got != nil {
		t.Errorf("growth of too few is %v", *got)
	}
}
