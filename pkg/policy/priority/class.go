// SPDX-License-Identifier: Apache-2.0

package priority

import "windtunnel.dev/windtunnel/pkg/policy"

// class gives each class a priority.
type class []int

func readClass(l *loader) func() policy.Priority {
	otherwise := l.Integer("value", 0, "the priority of classes without one of their own")
	c := class(l.IntegersOf("value", "class", l.world.Classes, otherwise, "the priority of one class"))
	return func() policy.Priority { return c }
}

func (c class) Prioritize(_ *policy.View, request *policy.Request) (int, policy.Hints) {
	return c[request.Class], policy.Hints{}
}
