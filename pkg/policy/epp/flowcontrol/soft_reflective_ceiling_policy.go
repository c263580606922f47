// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// softReflectiveCeiling has no ceiling for priority i of N, from the highest,
// while saturation s < 1 − i·s/(N − 1). Beyond, the priority is shut but for one
// cycle in round(s/(1 − s)), and at s ≥ 1 in all of them. The highest one only has
// the pool's own ceiling of 1.
var softReflectiveCeiling = flowFactory{
	PluginType: config.PluginType{
		Name:         "soft-reflective-ceiling-policy",
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.FlowControlRole | config.UsageLimitRole,
		Alpha:        true,
		Parameters:   func() any { return &struct{}{} },
		Treatment:    treatFlowControl(config.Approximated, "cycles without a waiting request do not count"),
	},
	newLimit: func(*config.Plugin) usageLimit { return &softReflectiveLimit{} },
}

type softReflectiveLimit struct {
	// cycles counts those in which some priority may be shut.
	cycles int64
}

func (l *softReflectiveLimit) limit(saturation float64, priorities []int, ceilings []float64) {
	last := len(priorities) - 1
	open := l.opens(saturation, last)
	for i := range ceilings {
		switch {
		case i == 0 || saturation < 1-float64(float64(i)*saturation)/float64(last):
			ceilings[i] = 1
		case open:
			ceilings[i] = 1
		default:
			ceilings[i] = 0
		}
	}
}

// opens counts the cycle and says whether it is one in which all may go.
func (l *softReflectiveLimit) opens(saturation float64, last int) bool {
	if last <= 0 || saturation < 1-saturation || saturation >= 1 {
		return false
	}
	l.cycles++
	// The EPP guards against a division by 0 in this way.
	period := max(1, int64(math.Round(saturation/(1-saturation+1e-9))))
	return l.cycles%period == 0
}
