// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const randomPickerType = "random-picker"

// randomPicker takes any candidate, whatever its score.
var randomPicker = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         randomPickerType,
		Registration: version.GIE(".."),
		Roles:        config.PickerRole,
		Parameters:   newPickerParameters,
	},
	NewPicker: func(b *scheduler.Builder, p *config.Plugin, profile string) scheduler.Picker {
		return uniform{pickerStream(b, p, profile)}
	},
}

type uniform struct{ random *stats.Stream }

func (u uniform) Pick(scores []float64) int { return u.random.IntN(len(scores)) }

func (u uniform) LeftToChance(scores []float64) bool { return len(scores) > 1 }
