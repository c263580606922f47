// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// delay makes requests wait while the saturation level is 1 or more. A request that has
// waited for the longest time enters, or is rejected.
type delay struct {
	level   saturationLevel
	every   time.Duration
	longest time.Duration
	rejects bool
}

func readDelay(l *loader) func(int64) policy.Admission {
	d := delay{
		level:   readSaturationLevel(l),
		every:   l.Duration("retryEvery", 50*time.Millisecond, "the time between two looks at a request that waits"),
		longest: l.Duration("maxDelay", 10*time.Second, "the longest wait"),
		rejects: l.Choice("then", "what happens after the longest wait", "admit", "reject") == "reject",
	}
	return func(int64) policy.Admission { return d }
}

func (d delay) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	if d.level.of(view) < 1 {
		return policy.AdmissionResponse{}
	}
	next := min(view.Now.Add(d.every), request.Arrival.Add(d.longest))
	switch {
	case next > view.Now:
		return policy.DelayUntil(next)
	case d.rejects:
		return policy.Reject(policy.ErrShed)
	}
	return policy.AdmissionResponse{}
}
