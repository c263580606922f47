// SPDX-License-Identifier: Apache-2.0

package adaptive

// multiplicative changes both weights in proportion to how far the share of rejected
// requests is from a target: prefix × (1 − αe) and load × (1 + αe). With the target 0 the
// ratio never grows.
type multiplicative struct {
	bounds
	gate
	rate, target float64
}

func readMultiplicative(l *loader) func(world) law {
	m := multiplicative{
		bounds: readBounds(l), gate: readGate(l),
		rate:   l.Between("rate", 0.001, 1, 0.5, "α, by how much of the error the weights change"),
		target: readTarget(l),
	}
	return func(world) law { return &m }
}

func readTarget(l *loader) float64 {
	return l.Between("target", 0, 1, 0.06, "the share of rejected requests that the law aims at")
}

func (m *multiplicative) next(now Weights, s Signal) (Weights, bool) {
	if m.closed(&s) {
		return now, false
	}
	change := float64(m.rate * (s.rejectionRate() - m.target))
	return m.clamp(Weights{now.Prefix * (1 - change), now.Load * (1 + change)}), true
}
