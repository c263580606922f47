// SPDX-License-Identifier: Apache-2.0

package arrival

import "windtunnel.dev/windtunnel/pkg/stats"

// HasBursts reports whether arrivals of a process are denser at some times than its rate
// says.
func (p Process) HasBursts() bool { return p != Constant && p != Periodic }

// Density returns how dense arrivals are at the last one, from 0 to 1, uniform over all
// arrivals: what part of all gaps is longer than the gap before it, or, where a process has
// states, what part of all requests is in states of lower rates. How the rate changes in time
// does not matter. The process has bursts. What is left open is drawn from the stream.
func (c *Clock) Density(s *stats.Stream) float64 {
	if m, modulated := c.points.(*mmpp); modulated {
		return m.density(s)
	}
	longer := c.gaps.Tail(c.gap)
	if c.gap == 0 {
		longer += float64((1 - longer) * s.Float64())
	}
	return longer
}

func (m *mmpp) density(s *stats.Stream) float64 {
	below, own, all := 0.0, 0.0, 0.0
	for i := range m.states {
		requests := float64(m.states[i].RateFactor * m.states[i].MeanDuration.Seconds())
		all += requests
		switch factor := m.states[m.state].RateFactor; {
		case m.states[i].RateFactor < factor:
			below += requests
		case m.states[i].RateFactor == factor:
			own += requests
		}
	}
	return (below + float64(own*s.Float64())) / all
}
