// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// jitterShare is the standard deviation of a step's duration under jitter, as a
// share of it.
const jitterShare = 0.01

// jitter lengthens or shortens each step a little, at random, without changing
// the mean. A saturated engine amplifies the smallest change of a step into
// another order of preemptions, so that a single replay says little about the
// last half percent; the mean over a few replays under jitter does.
//
// The draw is a hash of the seed and of the step itself, so that it depends on
// nothing but them.
type jitter struct {
	timer latency.StepTimer
	seed  uint64
}

// newJitter returns the timer as replay sees it. Replay 0 has no jitter.
func newJitter(timer latency.StepTimer, replay int) latency.StepTimer {
	if replay == 0 {
		return timer
	}
	return jitter{timer, stats.Hash64(stats.HashString("calibrate/jitter"), uint64(replay))}
}

// StepTime implements latency.StepTimer.
func (j jitter) StepTime(s latency.Step) time.Duration {
	d := float64(j.timer.StepTime(s))
	bits := stats.Hash64(j.seed, uint64(s.Sequences), uint64(s.PrefillTokens), uint64(s.ContextTokens), uint64(s.AttentionPairs))
	uniform := float64(bits>>11)*0x1p-52 - 1 // −1 to 1: a standard deviation of 1/√3
	share := float64(jitterShare*uniform) * math.Sqrt(3)
	return max(1, time.Duration(math.Round(d+float64(d*share))))
}
