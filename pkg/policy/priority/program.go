// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// program lets a program state priorities.
type program struct{ *sandbox.Caller }

// NewProgram returns priorities by a program of the layout [sandbox.PriorityLayout], over at
// most that number of endpoints. Its view has traffic.
func NewProgram(code sandbox.Code, l *sandbox.Layout, endpoints int, seed int64, faults *policy.Faults) policy.Priority {
	return program{sandbox.NewCaller(code, l, endpoints, stats.NewStream(seed, "sandbox/priority").Float64, faults)}
}

func (p program) Prioritize(view *policy.View, request *policy.Request) (int, policy.Hints) {
	sandbox.FillGateway(p.Caller, view, request)
	answer, ok := p.Call()
	if !ok {
		return 0, policy.Hints{}
	}
	return int(answer[0]), policy.Hints{}
}
