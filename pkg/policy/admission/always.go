// SPDX-License-Identifier: Apache-2.0

package admission

import "windtunnel.dev/windtunnel/pkg/policy"

// always admits every request.
type always struct{}

func readAlways(*loader) func(int64) policy.Admission {
	return func(int64) policy.Admission { return always{} }
}

func (always) Admit(*policy.View, *policy.Request) policy.AdmissionResponse {
	return policy.AdmissionResponse{}
}
