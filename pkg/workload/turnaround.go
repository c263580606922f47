// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// DefaultTurnaround is the turnaround of users who do not think, where none is given.
const DefaultTurnaround = 2 * time.Millisecond

// SteadyVariation is the coefficient of variation of answers below which they do not
// take the users of a loop out of step. In lengths that are uniform between 0.8 and 1
// times a figure, as benchmarks draw them, it is 0.064.
const SteadyVariation = 0.05

// staysInStep says whether nothing in what a client asks takes its users apart: they get
// answers of about one length and think for one time. Requests that an engine prefills in
// one step then end in one step, and what comes while that long step runs joins them.
// Some milliseconds from turn to turn do not change that.
func (c *Client) staysInStep() bool {
	if s := c.Sessions; s != nil && (s.AnswerVariation > 0 || s.ThinkTime != nil && !s.ThinkTime.isConstant()) {
		return false
	}
	return c.ClosedLoop.ThinkTime.isConstant() && c.answerVariation() < SteadyVariation
}

// answerVariation estimates the coefficient of variation of answers, reasoning included.
func (c *Client) answerVariation() float64 {
	mean, standardError := meanOf(func(s *stats.Stream) float64 {
		answer := c.Output.draw(s)
		return float64(answer + c.Reasoning.draw(answer, s))
	})
	return standardError * math.Sqrt(clampedDraws) / max(mean, 1)
}

// turnTime draws what the network and the client take from an end at a time to the
// user's next request. Real users are out of step in the long run, so a user of a loop
// that would stay in it pauses once, after the first answer, for a random share of the time
// that this took.
func (u *users) turnTime(c *client, user int32, at simtime.Time) time.Duration {
	if u == nil || u.spec.Turnaround == 0 {
		return 0
	}
	stream := u.stream(&u.turn, "workload/turnaround/", c, user)
	turn := u.turnaround.draw(stream)
	if c.reactor.staysInStep && u.isFirstEnd(user) {
		turn += time.Duration(due.RoundNs(float64(at-u.spec.begins(user)) * stream.Float64()))
	}
	return turn
}

// isFirstEnd says whether a user has had no end before.
func (u *users) isFirstEnd(user int32) bool {
	for len(u.answered) <= int(user) {
		u.answered = append(u.answered, false)
	}
	before := u.answered[user]
	u.answered[user] = true
	return !before
}
