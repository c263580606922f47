// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// maxScorePicker takes the highest score. Of equal ones each is equally likely,
// which is what shuffling before a stable sort comes to, unless the cluster says
// otherwise.
var maxScorePicker = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.MaxScorePickerType,
		Registration: version.GIE(".."),
		Roles:        config.PickerRole,
		Parameters:   newPickerParameters,
	},
	NewPicker: func(b *scheduler.Builder, p *config.Plugin, profile string) scheduler.Picker {
		return &maxScore{ties: b.TieBreaker(pickerStream(b, p, profile)), best: make([]int, 0, b.Endpoints)}
	},
}

type maxScore struct {
	ties scheduler.TieBreaker
	best []int
}

func (m *maxScore) Pick(scores []float64) int {
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
	return m.best[m.ties.Of(len(m.best))]
}

// PickTop counts those that are tied, and then looks for the one that is drawn.
func (m *maxScore) PickTop(t *scheduler.ScoreTops) int {
	highest, tied := t.Highest()
	return t.Of(highest, m.ties.Of(tied))
}

func (m *maxScore) LeftToChance(scores []float64) bool {
	_, random := m.ties.(scheduler.RandomOfTie)
	return random && scheduler.TiedAtTop(scores) > 1
}
