// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// moments are many times, almost in order. Those before a moment that moves on are only counted,
// once a whole chunk of them is.
type moments struct {
	early int
	// late are chunks that are full, but for the last one, which has free places at its end.
	late []*momentChunk
	free int
}

// momentChunk is so small that a short simulation does not notice it.
type momentChunk [512]simtime.Time

// add takes a time. Of those before another one, only the number matters from now on.
func (m *moments) add(at, from simtime.Time) {
	if m.free == 0 {
		m.grow(from)
	}
	m.late[len(m.late)-1][len(momentChunk{})-m.free] = at
	m.free--
}

// grow adds an empty chunk, one whose times do not matter if there is one.
func (m *moments) grow(from simtime.Time) {
	old := slices.IndexFunc(m.late, func(c *momentChunk) bool { return slices.Max(c[:]) >= from })
	if old < 0 {
		old = len(m.late)
	}
	empty := &momentChunk{}
	if old > 0 {
		empty = m.late[0]
	}
	m.early += old * len(empty)
	m.late = append(slices.Delete(m.late, 0, old), empty)
	m.free = len(empty)
}

// at is the time that was added as the i-th, or one before it that matters as little.
func (m *moments) at(i int) simtime.Time {
	if i < m.early {
		return 0
	}
	i -= m.early
	return m.late[i/len(momentChunk{})][i%len(momentChunk{})]
}

// before counts the times before each reading. The readings are in order, and matter.
func (m *moments) before(readings []simtime.Time) []int {
	counts := make([]int, len(readings)+1)
	counts[0] = m.early
	next := 0 // the first reading after a time
	for i, c := range m.late {
		times := c[:]
		if i == len(m.late)-1 {
			times = c[:len(c)-m.free]
		}
		for _, at := range times {
			for next > 0 && at < readings[next-1] {
				next--
			}
			for next < len(readings) && readings[next] <= at {
				next++
			}
			counts[next]++
		}
	}
	for i := range readings {
		counts[i+1] += counts[i]
	}
	return counts
}
