// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"testing"
	"time"
)

// arrive lets requests arrive at a rate per second, up to a time.
func (s *scene) arrive(until time.Duration, rate func(time.Duration) float64) *scene {
	for at := time.Duration(s.view.Now) + scrape; at <= until; at += scrape {
		s.sample(at, func(x *Sample) {
			x.Gateway.Arrived += int64(math.Round(rate(at) * scrape.Seconds()))
			x.Gateway.Ended = x.Gateway.Arrived
		})
	}
	return s
}

func constant(rate float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return rate }
}

func TestPredictive(t *testing.T) {
	decide(t, "predictive", map[string]decision{
		"no sample is no signal":          {newScene(4), []string{"capacity=2"}, "4", "no signal: there is no sample"},
		"no step that ended is no signal": {newScene(4).arrive(45*time.Second, constant(8)), []string{"capacity=2"}, "4", "no step of 1m0s has ended"},
		"a constant rate":                 {newScene(4).arrive(2*time.Minute, constant(8)), []string{"capacity=2", "headroom=0"}, "4", "stays at 4: 8 requests/s arrive and at most 8 are forecast until"},
		"headroom":                        {newScene(4).arrive(2*time.Minute, constant(8)), []string{"capacity=2", "headroom=0.25"}, "5", "from 4 to 5"},
		"each pool has its capacity":      {newScene(4, 4).arrive(2*time.Minute, constant(8)), []string{"capacity:prefill=4", "capacity:decode=1", "headroom=0"}, "2:8", "from 4:4 to 2:8"},
		"a season without a past":         {newScene(4).arrive(2*time.Minute, constant(12)), []string{"capacity=2", "headroom=0", "method=seasonal", "period=1h"}, "6", "there is no forecast before a period has passed"},
	})
}

// A rate that rises evenly is forecast ahead of the present one, and a fall is not
// followed ahead of time.
func TestPredictiveLooksAhead(t *testing.T) {
	ramp := func(at time.Duration) float64 { return 10 + at.Minutes() }
	fall := func(at time.Duration) float64 { return 40 - at.Minutes() }
	for name, tc := range map[string]struct {
		rate   func(time.Duration) float64
		most   float64 // of the absolute error of the size
		rateAt time.Duration
	}{
		"a rise": {ramp, 1, 25 * time.Minute},
		"a fall": {fall, 1, 20 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(10)
			p := s.scaler(t, "predictive", "capacity=1", "headroom=0", "lead=5m", "scaleInCooldown=0s", "beta=0.5")
			for at := time.Minute; at <= 20*time.Minute; at += time.Minute {
				s.arrive(at, tc.rate).ask(p)
			}
			if got, want := float64(s.view.Pools[0].Wanted), tc.rate(tc.rateAt); math.Abs(got-want) > tc.most {
				t.Errorf("%g replicas for a rate of %g", got, want)
			}
		})
	}
}

// A rate that repeats is forecast from the period before, and the error of forecasts is
// noted.
func TestPredictiveKnowsSeasons(t *testing.T) {
	daily := func(at time.Duration) float64 {
		if at%(20*time.Minute) > 10*time.Minute {
			return 16
		}
		return 4
	}
	for method, tc := range map[string]struct {
		most       float64
		parameters []string
	}{
		"seasonal":     {0.01, nil},
		"holt-winters": {0.45, []string{"alpha=0.05", "beta=0.01", "gamma=0.8"}},
	} {
		t.Run(method, func(t *testing.T) {
			s := newScene(4)
			p := s.scaler(t, "predictive", append(tc.parameters, "capacity=2", "headroom=0", "lead=3m", "period=20m", "method="+method)...)
			before := 0
			for at := time.Minute; at <= 66*time.Minute; at += time.Minute {
				s.arrive(at, daily).ask(p)
				before = s.view.Pools[0].Wanted
			}
			var notes []Note
			s.view.Notes = &notes
			_, why := s.arrive(67*time.Minute, daily).ask(p)
			if after := s.view.Pools[0].Wanted; before < 2 || before > 3 || after < 8 || after > 9 {
				t.Errorf("%d, then %d replicas before the rate rises: %s", before, after, why)
			}
			if n := notes[1]; n.Name != "MAPE of forecasts" || n.Value > tc.most {
				t.Errorf("%+v, want at most %g", n, tc.most)
			}
		})
	}
}

// What was asked for ahead of a burst that is shorter than the lead is still there when the
// burst comes.
func TestPredictiveKeepsWhatABurstNeeds(t *testing.T) {
	burst := func(at time.Duration) float64 {
		if m := at % (30 * time.Minute); m > 20*time.Minute && m <= 22*time.Minute {
			return 16
		}
		return 4
	}
	s := newScene(4)
	p := s.scaler(t, "predictive", "capacity=2", "headroom=0", "lead=5m", "period=30m", "method=seasonal", "scaleInCooldown=0s")
	asked := time.Duration(0)
	for at := time.Minute; at < 60*time.Minute; at += time.Minute {
		s.arrive(at, burst).ask(p)
		switch n := s.view.Pools[0].Wanted; {
		case n >= 8 && asked == 0 && at > 40*time.Minute:
			asked = at
		case n < 8 && asked > 0 && at <= 51*time.Minute:
			t.Errorf("after %s: %d replicas, though 8 were wanted since %s", at, n, asked)
		}
	}
	if asked == 0 || asked > 46*time.Minute {
		t.Errorf("replicas for the burst at 50m were asked for at %s", asked)
	}
}
