// SPDX-License-Identifier: Apache-2.0

package epp

// maxScorePicker takes the highest score. Of equal ones each is equally likely,
// which is what shuffling before a stable sort comes to, unless the cluster says
// otherwise.
var maxScorePicker = factory{
	pluginType: pluginType{
		name:         maxScorePickerType,
		registration: gie(".."),
		roles:        pickerRole,
		parameters:   newPickerParameters,
	},
	newPicker: func(b *builder, p *plugin, profile string) picker {
		return &maxScore{ties: b.tieBreaker(pickerStream(b, p, profile)), best: make([]int, 0, b.Endpoints)}
	},
}

type maxScore struct {
	ties tieBreaker
	best []int
}

func (m *maxScore) pick(scores []float64) int {
	m.best = append(m.best[:0], 0)
	highest := scores[0]
	for i, score := range scores[1:] {
		switch {
		case score < highest:
		case score > highest:
			highest = score
			m.best = append(m.best[:0], i+1)
		case score == highest: // neither is NaN
			m.best = append(m.best, i+1)
		}
	}
	return m.best[m.ties.of(len(m.best))]
}

func (m *maxScore) leftToChance(scores []float64) bool {
	_, random := m.ties.(randomOfTie)
	return random && tiedAtTop(scores) > 1
}
