// SPDX-License-Identifier: Apache-2.0

package adaptive

// seedLaw is bang-bang as its design says, to the letter: epochs count admitted requests,
// and the rate is rejected ÷ admitted, so that 30 % of the arrivals read as 43 %, and an
// epoch in which all are rejected does not end. Without rejections the weight of prefixes
// grows. The cap is 1.33, which 4:3 breaks.
type seedLaw struct {
	bounds
	low, high, step float64
}

// seedCap is the design's rule of safety.
const seedCap = 1.33

func readSeedLaw(l *loader) func(world) law {
	s := seedLaw{bounds: readBounds(l)}
	s.low, s.high, s.step = readThresholds(l)
	l.countsAdmitted = true
	return func(world) law { return &s }
}

func (b *seedLaw) next(now Weights, s Signal) (Weights, bool) {
	switch rate := float64(s.Rejected) / float64(s.Admitted); {
	case rate > b.high:
		now = b.clamp(Weights{now.Prefix - b.step, now.Load + b.step})
	case rate < b.low:
		now = b.clamp(Weights{now.Prefix + b.step, now.Load - b.step})
	}
	if now.Prefix/now.Load > seedCap {
		now.Load = now.Prefix / seedCap
	}
	return now, true
}
