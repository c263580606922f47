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
		return &maxScore{b.TieBreaker(pickerStream(b, p, profile))}
	},
}

type maxScore struct{ ties scheduler.TieBreaker }

func (m *maxScore) Pick(scores []float64) int {
	highest, first, tied := scores[0], 0, 1
	for i := 1; i < len(scores); i++ {
		score := scores[i]
		switch {
		case score < highest:
		case score > highest:
			highest, first, tied = score, i, 1
		case score == highest: // neither is NaN
			tied++
		}
	}
	chosen := first
	for n := m.ties.Of(tied); n > 0; {
		if chosen++; scores[chosen] == highest {
			n--
		}
	}
	return chosen
}

func (m *maxScore) PickTied(tied int) int { return m.ties.Of(tied) }

func (m *maxScore) LeftToChance(scores []float64) bool {
	_, random := m.ties.(scheduler.RandomOfTie)
	return random && scheduler.TiedAtTop(scores) > 1
}
