// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/stats"

const randomPickerType = "random-picker"

// randomPicker takes any candidate, whatever its score.
var randomPicker = factory{
	pluginType: pluginType{
		name:         randomPickerType,
		registration: gie(".."),
		roles:        pickerRole,
		parameters:   newPickerParameters,
	},
	newPicker: func(b *builder, p *plugin, profile string) picker {
		return uniform{pickerStream(b, p, profile)}
	},
}

type uniform struct{ random *stats.Stream }

func (u uniform) pick(scores []float64) int { return u.random.IntN(len(scores)) }

func (u uniform) leftToChance(scores []float64) bool { return len(scores) > 1 }
