// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// deadline is −(arrival + TTFT target) in ms: the request whose first token is due first
// is the most important. A request without a target has the least priority.
type deadline struct{}

func readDeadline(l *loader) func() policy.Priority {
	l.onlyOrder = true
	l.requireTTFT("deadline")
	return func() policy.Priority { return deadline{} }
}

func (deadline) Prioritize(_ *policy.View, request *policy.Request) (int, policy.Hints) {
	if request.TTFT == 0 {
		return math.MinInt32, policy.Hints{}
	}
	return inMilliseconds(-request.Arrival.Add(request.TTFT)), policy.Hints{}
}
