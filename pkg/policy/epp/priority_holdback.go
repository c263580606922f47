// SPDX-License-Identifier: Apache-2.0

package epp

const holdbackByValue = "value"

// priorityHoldbackLimit is priority-holdback-policy: the highest of N priorities
// may fill the pool up to greatest, the lowest up to least, and those between up
// to a ceiling on the line from one to the other: by rank,
// cᵢ = greatest − i·(greatest − least)/(N − 1), or by value,
// c(p) = least + (p − pₘᵢₙ)/(pₘₐₓ − pₘᵢₙ)·(greatest − least). A single priority
// has the greatest ceiling.
type priorityHoldbackLimit struct {
	least, greatest float64
	byValue         bool
}

func newPriorityHoldback(p *holdbackParameters) priorityHoldbackLimit {
	return priorityHoldbackLimit{least: *p.MinCeiling, greatest: p.MaxCeiling, byValue: p.Domain == holdbackByValue}
}

func (l priorityHoldbackLimit) limit(_ float64, priorities []int, ceilings []float64) {
	last := len(priorities) - 1
	if last <= 0 {
		for i := range ceilings {
			ceilings[i] = l.greatest
		}
		return
	}
	spread := l.greatest - l.least
	highest, lowest := float64(priorities[0]), float64(priorities[last])
	for i, p := range priorities {
		if l.byValue {
			share := (float64(p) - lowest) / (highest - lowest)
			ceilings[i] = l.least + float64(share*spread)
			continue
		}
		ceilings[i] = l.greatest - float64(float64(i)*spread)/float64(last)
	}
}
