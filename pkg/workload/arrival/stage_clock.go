// SPDX-License-Identifier: Apache-2.0

package arrival

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// stageClock finds times in stages. A process with rates that change is one of rate 1 whose
// time is the number of requests that the rates expect: of a Poisson process
// that makes one with the rates of the stages.
type stageClock struct {
	stages         []Stage      // those to come, the one under way first
	again          []Stage      // what comes after them, again and again; empty for nothing
	start          simtime.Time // of the stage under way
	expectedBefore float64      // what the stages before it expect
}

// timeOf returns when the rates expect a number of requests, due.MaxTime where they never
// do. Calls are in ascending order.
func (l *stageClock) timeOf(expected float64) simtime.Time {
	for ; len(l.stages) > 0 || l.repeat(expected); l.stages = l.stages[1:] {
		stage := &l.stages[0]
		end := l.start.Add(stage.Duration)
		if stage.busy() {
			// To the nearest ns, so that what falls on the end is not lost.
			at := l.start + due.RoundNs(stage.secondsUntil(expected-l.expectedBefore)*1e9)
			if at <= end {
				return at
			}
			l.expectedBefore += stage.expected()
		}
		l.start = end
	}
	return due.MaxTime
}

// repeat begins the stages that come again, if there are some, and reports whether they
// begin in time. It leaves out whole rounds in which the rates do not reach the number of requests.
func (l *stageClock) repeat(expected float64) bool {
	if len(l.again) == 0 {
		return false
	}
	round, requests := time.Duration(0), 0.0
	for i := range l.again {
		round += l.again[i].Duration
		requests += l.again[i].expected()
	}
	if rounds := math.Floor((expected-l.expectedBefore)/requests) - 1; rounds >= 1 {
		if rounds >= float64((due.MaxTime-l.start)/simtime.Time(round)) {
			return false
		}
		l.start = l.start.Add(time.Duration(rounds) * round)
		l.expectedBefore += float64(rounds * requests)
	}
	l.stages = l.again
	return l.start < due.MaxTime-simtime.Time(round)
}

// busy reports whether requests come in the stage.
func (s *Stage) busy() bool { return s.RatePerSecond > 0 || s.RampPerSecond > 0 }

// expected returns how many requests the stage expects.
func (s *Stage) expected() float64 {
	return float64((s.RatePerSecond + float64(0.5*s.RampPerSecond)) * s.Duration.Seconds())
}

// expectedAfter returns how many requests the stage expects in its first seconds.
func (s *Stage) expectedAfter(seconds float64) float64 {
	slope := s.RampPerSecond / s.Duration.Seconds()
	return float64((s.RatePerSecond + float64(0.5*float64(slope*seconds))) * seconds)
}

// secondsUntil returns when the stage expects a number of requests, in seconds after its start.
// It is more than the duration where the stage expects fewer.
func (s *Stage) secondsUntil(requests float64) float64 {
	if s.RampPerSecond == 0 {
		return requests / s.RatePerSecond
	}
	// The root of rate·t + slope/2·t² = requests, in the form that does not cancel. Where
	// the rate falls to 0, rounding may take the square below 0 at the end of the stage.
	slope := s.RampPerSecond / s.Duration.Seconds()
	square := float64(s.RatePerSecond*s.RatePerSecond) + float64(2*float64(slope*requests))
	if all := s.expected(); requests > all && requests <= all+float64(1e-12*all) {
		return s.Duration.Seconds()
	} else if square < 0 || requests > all {
		return math.Inf(1)
	}
	if requests <= 0 {
		return 0
	}
	return float64(2*requests) / (s.RatePerSecond + math.Sqrt(square))
}
