// SPDX-License-Identifier: Apache-2.0

package scheduler

import "windtunnel.dev/windtunnel/pkg/policy"

// Force implements [policy.Forcible]. It replaces picks of the primary profile, among the
// endpoints that its filters leave; the prefill profile and the decider see the replaced
// pick wherever they see a pick.
func (s *Scheduler) Force(force policy.Force) {
	for _, p := range s.Staged.profiles() {
		if p != s.Staged.Prefill {
			p.force = force
		}
	}
}
