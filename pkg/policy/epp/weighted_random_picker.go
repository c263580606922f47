// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const weightedRandomPickerType = "weighted-random-picker"

// weightedRandomPicker takes a candidate with probability score / Σ scores:
// each draws a key U^(1/score) with U uniform in (0, 1), and the greatest wins
// (Efraimidis and Spirakis: Weighted random sampling with a reservoir, 2006).
// Scores of 0 and below never win, unless there are no others: then all are
// equally likely. But keys are floating-point numbers, and those of tiny scores
// are 0: where all are, the first candidate wins, whatever its score.
var weightedRandomPicker = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         weightedRandomPickerType,
		Registration: version.GIE("gie-v1.0.."),
		Roles:        config.PickerRole,
		Parameters:   newPickerParameters,
	},
	NewPicker: func(b *scheduler.Builder, p *config.Plugin, profile string) scheduler.Picker {
		return weightedRandom{pickerStream(b, p, profile)}
	},
}

// leastKey is the logarithm of the least number that is not rounded to 0.
const leastKey = -745.1332191019411

type weightedRandom struct{ random *stats.Stream }

func (w weightedRandom) Pick(scores []float64) int {
	best, greatest := -1, math.Inf(-1)
	for i, score := range scores {
		if score <= 0 {
			continue
		}
		// The logarithm of the key has the same order.
		if key := stats.Log(w.random.OpenFloat64()) / score; best < 0 || key > greatest {
			best, greatest = i, key
		}
	}
	switch {
	case best < 0:
		return w.random.IntN(len(scores))
	case greatest < leastKey:
		return 0
	default:
		return best
	}
}

func (w weightedRandom) LeftToChance(scores []float64) bool {
	positive := 0
	for _, score := range scores {
		if score > 0 {
			positive++
		}
	}
	return positive > 1 || positive == 0 && len(scores) > 1
}
