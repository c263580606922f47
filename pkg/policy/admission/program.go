// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// program lets a program admit requests.
type program struct{ *sandbox.Caller }

// ProgramWindow is the time over which programs see rates.
const ProgramWindow = time.Minute

// Delays that programs may ask for.
const (
	minProgramDelay = time.Millisecond
	maxProgramDelay = 24 * time.Hour
)

// NewProgram returns an admission by a program of the layout [sandbox.AdmissionLayout], over
// at most that number of endpoints. Its view has traffic with rates over [ProgramWindow]. A
// request that the program rejects is shed; a delay is at least 1 ms and at most a day.
func NewProgram(code sandbox.Code, l *sandbox.Layout, endpoints int, seed int64, faults *policy.Faults) policy.Admission {
	return program{sandbox.NewCaller(code, l, endpoints, stats.NewStream(seed, "sandbox/admission").Float64, faults)}
}

func (p program) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	sandbox.FillGateway(p.Caller, view, request)
	answer, ok := p.Call()
	switch {
	case !ok || answer[0] == 0:
		return policy.AdmissionResponse{}
	case answer[0] < 0:
		return policy.Reject(policy.ErrShed)
	}
	delay := maxProgramDelay
	if answer[0] < maxProgramDelay.Seconds() {
		delay = max(time.Duration(answer[0]*float64(time.Second)), minProgramDelay)
	}
	return policy.DelayUntil(view.Now.Add(delay))
}
