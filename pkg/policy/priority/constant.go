// SPDX-License-Identifier: Apache-2.0

package priority

import "windtunnel.dev/windtunnel/pkg/policy"

// constant gives every request the same priority.
type constant int

func readConstant(l *loader) func() policy.Priority {
	c := constant(l.Integer("value", 0, "the priority of all requests"))
	return func() policy.Priority { return c }
}

func (c constant) Prioritize(*policy.View, *policy.Request) (int, policy.Hints) {
	return int(c), policy.Hints{}
}
