// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/stats"

const maxScorePickerType = "max-score-picker"

// maxScorePicker takes the highest score. Of equal ones each is equally likely,
// which is what shuffling before a stable sort comes to.
var maxScorePicker = pluginType{
	name:       maxScorePickerType,
	roles:      pickerRole,
	parameters: newPickerParameters,
	newPicker: func(b *builder, p *plugin, profile string) picker {
		return &maxScore{random: pickerStream(b, p, profile), best: make([]int, 0, b.endpoints)}
	},
}

type maxScore struct {
	random *stats.Stream
	best   []int
}

func (m *maxScore) pick(scores []float64) int {
	m.best = append(m.best[:0], 0)
	for i := 1; i < len(scores); i++ {
		switch highest := scores[m.best[0]]; {
		case scores[i] > highest:
			m.best = append(m.best[:0], i)
		case scores[i] == highest:
			m.best = append(m.best, i)
		}
	}
	if len(m.best) == 1 {
		return m.best[0]
	}
	return m.best[m.random.IntN(len(m.best))]
}
