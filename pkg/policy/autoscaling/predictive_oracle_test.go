// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestTheOracleKnowsWhatComes(t *testing.T) {
	s := newScene(2)
	world := s.world()
	world.FutureRate = func(_, from, to simtime.Time) float64 {
		if from <= simtime.Time(10*time.Minute) && to > simtime.Time(10*time.Minute) {
			return 20
		}
		return 4
	}
	o := loaded(t, "predictive-oracle", world, "capacity=2", "headroom=0").New()
	for _, step := range []struct {
		minutes int
		want    string
	}{{1, "2"}, {7, "2"}, {8, "10"}, {9, "10"}, {12, "10"}, {16, "2"}} {
		s.view.Now = simtime.Time(time.Duration(step.minutes) * time.Minute)
		if wanted, why := s.ask(o); wanted != step.want {
			t.Errorf("after %d min: %s: %s, want %s", step.minutes, wanted, why, step.want)
		}
	}
}
