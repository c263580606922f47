// SPDX-License-Identifier: Apache-2.0

package admission

import "windtunnel.dev/windtunnel/pkg/policy"

// rejectAll rejects every request.
type rejectAll struct{}

func readRejectAll(*loader) func(int64) policy.Admission {
	return func(int64) policy.Admission { return rejectAll{} }
}

func (rejectAll) Admit(*policy.View, *policy.Request) policy.AdmissionResponse {
	return policy.Reject(policy.ErrClassRefused)
}
