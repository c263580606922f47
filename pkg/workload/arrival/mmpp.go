// SPDX-License-Identifier: Apache-2.0

package arrival

import "windtunnel.dev/windtunnel/pkg/stats"

// mmpp is a Markov-modulated Poisson process. A state lasts for an exponential time in
// seconds, so the process has a cursor of its own in the rates, which says how many
// requests they expect until the state ends.
type mmpp struct {
	states  []State
	factors []float64 // of the states; their mean over time is 1
	stream  *stats.Stream
	rates   cursor
	state   int
	at      float64 // requests expected so far
	endsAt  float64 // when the state ends, in requests expected
}

func newMMPP(a *Arrivals, stream *stats.Stream) *mmpp {
	m := &mmpp{states: a.States, stream: stream, rates: newCursor(a)}
	seconds, weighted := 0.0, 0.0
	for _, s := range a.States {
		seconds += s.MeanDuration.Seconds()
		weighted += float64(s.RateFactor * s.MeanDuration.Seconds())
	}
	for _, s := range a.States {
		m.factors = append(m.factors, s.RateFactor*(seconds/weighted))
	}
	left := float64(stream.Float64() * seconds)
	for m.state < len(a.States)-1 && left >= a.States[m.state].MeanDuration.Seconds() {
		left -= a.States[m.state].MeanDuration.Seconds()
		m.state++
	}
	m.drawEnd()
	return m
}

// drawEnd draws how long the state lasts.
func (m *mmpp) drawEnd() {
	m.endsAt = m.rates.advance(float64(m.states[m.state].MeanDuration.Seconds() * m.stream.Exponential()))
}

// next takes a unit's exponential share from each state in turn, at the state's factor.
func (m *mmpp) next() float64 {
	left := m.stream.Exponential()
	for {
		held := float64(m.factors[m.state] * (m.endsAt - m.at))
		if left < held {
			m.at += left / m.factors[m.state]
			return m.at
		}
		if m.rates.ended() {
			return m.endsAt + left + 1 // more than the rates expect in all
		}
		left -= held
		m.at = m.endsAt
		m.state = (m.state + 1) % len(m.states)
		m.drawEnd()
	}
}

// cursor walks through the rates in steps of busy time, which stands still while the rate
// is 0.
type cursor struct {
	rate     float64 // where there are no stages
	stages   []Stage // those to come, the one under way first
	again    []Stage // what comes after them, again and again; empty for nothing
	elapsed  float64 // seconds of the stage under way
	expected float64 // requests before the stage under way
}

func newCursor(a *Arrivals) cursor {
	if a.Profile == nil {
		return cursor{rate: a.RatePerSecond, stages: a.Stages}
	}
	once, again := a.Profile.pieces(a.RatePerSecond)
	return cursor{stages: once, again: again}
}

func (c *cursor) ended() bool { return c.rate == 0 && len(c.stages) == 0 && len(c.again) == 0 }

// advance walks a number of seconds and returns how many requests the rates expect up to there.
func (c *cursor) advance(seconds float64) float64 {
	if c.rate > 0 {
		c.expected += float64(c.rate * seconds)
		return c.expected
	}
	for {
		if len(c.stages) == 0 {
			if len(c.again) == 0 {
				return c.expected
			}
			c.stages = c.again
		}
		stage := &c.stages[0]
		if stage.busy() {
			left := stage.Duration.Seconds() - c.elapsed
			if seconds < left {
				c.elapsed += seconds
				return c.expected + stage.expectedAfter(c.elapsed)
			}
			seconds -= left
			c.expected += stage.expected()
		}
		c.elapsed = 0
		c.stages = c.stages[1:]
	}
}
