// SPDX-License-Identifier: Apache-2.0

package admission

import "windtunnel.dev/windtunnel/pkg/policy"

// hinted is a policy that also hints to the engines, by class.
type hinted struct {
	policy.Admission
	prefillChunks []int
}

func (h hinted) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	verdict := h.Admission.Admit(view, request)
	verdict.Hints.PrefillChunk = h.prefillChunks[request.Class]
	return verdict
}

// withHints returns how a policy is made that also hints to the engines, if the parameters
// say so.
func (l *loader) withHints(without func(seed int64) policy.Admission) func(seed int64) policy.Admission {
	chunks := l.PrefillChunks(l.names.Classes)
	if chunks == nil {
		return without
	}
	return func(seed int64) policy.Admission { return hinted{without(seed), chunks} }
}
