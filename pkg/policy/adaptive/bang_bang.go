// SPDX-License-Identifier: Apache-2.0

package adaptive

// bangBang moves both weights by a step: away from prefixes where more than a share of
// the arrivals is rejected, and towards prefixes where less than another share is. It has
// no equilibrium: it stays anywhere between the two shares, or cycles.
type bangBang struct {
	bounds
	gate
	low, high, step float64
}

func readBangBang(l *loader) func(world) law {
	b := bangBang{bounds: readBounds(l), gate: readGate(l)}
	b.low, b.high, b.step = readThresholds(l)
	return func(world) law { return &b }
}

func readThresholds(l *loader) (low, high, step float64) {
	low = l.Between("low", 0, 1, 0.02, "share of rejected requests below which the weight of prefixes grows")
	high = l.Between("high", 0, 1, 0.1, "share of rejected requests above which the weight of load grows")
	step = l.Positive("step", 0.5, "by how much a weight changes after an epoch")
	if low > high {
		l.Invalid("high", "must be at least low")
	}
	return low, high, step
}

func (b *bangBang) next(now Weights, s Signal) (Weights, bool) {
	switch rate := s.rejectionRate(); {
	case rate > b.high:
		return b.clamp(Weights{now.Prefix - b.step, now.Load + b.step}), true
	case b.closed(&s):
		return now, false
	case rate < b.low:
		return b.clamp(Weights{now.Prefix + b.step, now.Load - b.step}), true
	}
	return now, true
}
