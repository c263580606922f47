// SPDX-License-Identifier: Apache-2.0

package admission

import "windtunnel.dev/windtunnel/pkg/policy"

// tierShed refuses a class while the saturation level is at the class's threshold or
// above it, so that classes give way one after the other.
type tierShed struct {
	level      saturationLevel
	thresholds []float64 // by class
}

func readTierShed(l *loader) func(int64) policy.Admission {
	t := tierShed{level: readSaturationLevel(l)}
	otherwise := l.Positive("threshold", 1, "saturation from which on classes without a threshold of their own are refused")
	t.thresholds = l.PositiveOf("threshold", "class", l.names.Classes, otherwise, "the threshold of one class")
	return func(int64) policy.Admission { return t }
}

func (t tierShed) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	if t.level.of(view) >= t.thresholds[request.Class] {
		return policy.Reject(policy.ErrClassRefused)
	}
	return policy.AdmissionResponse{}
}
