// SPDX-License-Identifier: Apache-2.0

package admission

import "windtunnel.dev/windtunnel/pkg/policy"

// saturation sheds requests whose priority is below a bound while the saturation level
// is 1 or more, as the EPP sheds those below 0.
type saturation struct {
	level    saturationLevel
	priority int
}

func readSaturation(l *loader) func(int64) policy.Admission {
	s := saturation{
		level:    readSaturationLevel(l),
		priority: l.Integer("priority", 0, "requests below this priority are shed"),
	}
	l.boundsPriority = true
	return func(int64) policy.Admission { return s }
}

func (s saturation) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	if request.Priority < s.priority && s.level.of(view) >= 1 {
		return policy.Reject(policy.ErrShed)
	}
	return policy.AdmissionResponse{}
}
