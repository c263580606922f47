// SPDX-License-Identifier: Apache-2.0

package priority

import "windtunnel.dev/windtunnel/pkg/policy"

// hinted is a policy that also hints to the engines, by class.
type hinted struct {
	policy.Priority
	prefillChunks []int
}

func (h hinted) Prioritize(view *policy.View, request *policy.Request) (int, policy.Hints) {
	priority, _ := h.Priority.Prioritize(view, request)
	return priority, policy.Hints{PrefillChunk: h.prefillChunks[request.Class]}
}

// withHints returns how a policy is made that also hints to the engines, if the parameters
// say so.
func (l *loader) withHints(without func() policy.Priority) func() policy.Priority {
	chunks := l.PrefillChunks(l.world.Classes)
	if chunks == nil {
		return without
	}
	return func() policy.Priority { return hinted{without(), chunks} }
}
