// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/simtime"

// globalStrictFairness is global-strict-fairness-policy: whoever would be first
// if all flows of the band were one.
type globalStrictFairness struct{}

func (globalStrictFairness) pick(_ simtime.Time, flows []*flow) *flow {
	var best *flow
	for _, f := range flows {
		head := f.head()
		if head != nil && (best == nil || head.before(best.head())) {
			best = f
		}
	}
	return best
}
