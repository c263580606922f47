// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// poisson calls visit at the times of a Poisson process, until end.
func poisson(s *stats.Stream, perSecond float64, end simtime.Time, visit func(at simtime.Time)) {
	for at := simtime.Time(0); ; {
		at += simtime.Time(s.Exponential() / perSecond * 1e9)
		if at > end {
			return
		}
		visit(at)
	}
}

// TestRateHasNoBias reads the rate of Poisson arrivals at each tenth of a
// window, from the first one on, averaged over many runs.
func TestRateHasNoBias(t *testing.T) {
	const window, runs = 10 * time.Second, 4000
	for name, perSecond := range map[string]float64{
		"λT = 0.6": 0.06, "λT = 1.2": 0.12, "λT = 3": 0.3, "λT = 6": 0.6, "λT = 100": 10,
	} {
		t.Run(name, func(t *testing.T) {
			s := stats.NewStream(1, name)
			sums := make([]float64, 30)
			errors := make([]float64, 30) // squared, as stated
			for range runs {
				r := newRate(window, 0)
				next := 0
				read := func(until simtime.Time) {
					for ; next < len(sums) && simtime.Time(next+1)*1e9 <= until; next++ {
						value, relative := r.perSecond(simtime.Time(next+1) * 1e9)
						sums[next] += value
						errors[next] += value * value * relative * relative
					}
				}
				poisson(s, perSecond, 30e9, func(at simtime.Time) { read(at); r.add(at) })
				read(30e9)
			}
			for i, sum := range sums {
				mean, deviation := sum/runs, math.Sqrt(errors[i]/runs/runs)
				if math.Abs(mean-perSecond) > 4*deviation {
					t.Errorf("%d s after the start: %v/s, want %v ± %v", i+1, mean, perSecond, deviation)
				}
			}
		})
	}
}

// TestRateStandardError compares the stated error with the spread over runs.
func TestRateStandardError(t *testing.T) {
	const window, perSecond, runs = 10 * time.Second, 10.0, 4000
	for name, at := range map[string]simtime.Time{"after half a window": 5e9, "after ten windows": 100e9} {
		t.Run(name, func(t *testing.T) {
			s := stats.NewStream(1, name)
			spread, stated := newMoments(time.Hour, 0), 0.0
			for range runs {
				r := newRate(window, 0)
				poisson(s, perSecond, at, r.add)
				value, relative := r.perSecond(at)
				spread.add(0, value, 1)
				stated += value * relative / runs
			}
			if got := math.Sqrt(spread.variance()); math.Abs(stated/got-1) > 0.05 {
				t.Errorf("stated %v, spread %v", stated, got)
			}
		})
	}
}

func TestRateCountsBursts(t *testing.T) {
	r := newRate(10*time.Second, 0)
	for second := range 200 {
		for range 9 {
			r.add(simtime.Time(second) * 1e9)
		}
	}
	// Half a second after the last of the bursts: their mean over time.
	if got, _ := r.perSecond(199.5e9); math.Abs(got/9-1) > 0.001 {
		t.Errorf("nine at each second: %v/s", got)
	}
}

func TestRateDecaysWhenRead(t *testing.T) {
	r := newRate(10*time.Second, 0)
	for i := range 1000 {
		r.add(simtime.Time(i) * 1e8)
	}
	before, _ := r.perSecond(100e9)
	after, _ := r.perSecond(120e9)
	if want := before * math.Exp(-2); math.Abs(after/want-1) > 0.001 {
		t.Errorf("two windows after %v/s the rate is %v, want %v", before, after, want)
	}
	if silent, _ := r.perSecond(1e18); silent != 0 {
		t.Errorf("for ever after it is %v", silent)
	}
}

func TestRateBeforeAnythingWasSeen(t *testing.T) {
	r := newRate(time.Second, 5e9)
	for _, at := range []simtime.Time{0, 5e9, 6e9} {
		if got, relative := r.perSecond(at); got != 0 || relative != 0 {
			t.Errorf("at %v: %v ± %v", at, got, relative)
		}
	}
	r.add(5e9)
	if got, _ := r.perSecond(5e9); got != 0 {
		t.Errorf("at the instant of the start: %v", got)
	}
}
