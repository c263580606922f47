// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// event is a change of the count.
type event struct {
	change int32
	at     simtime.Time
}

// events are the changes in one direction.
type events []event

// within sums the changes of the period that ends now.
func (e events) within(now simtime.Time, period time.Duration) int32 {
	cutoff := now.Add(-period)
	var total int32
	for _, each := range e {
		if each.at > cutoff {
			total += each.change
		}
	}
	return total
}

// remember keeps a change of the count. Only limits of a behaviour read it.
func (a *Autoscaler) remember(now simtime.Time, before, after int32) {
	switch {
	case a.spec.Behavior == nil:
	case after > before:
		a.ups = a.ups.record(now, after-before, a.spec.Behavior.ScaleUp)
	default:
		a.downs = a.downs.record(now, before-after, a.spec.Behavior.ScaleDown)
	}
}

// record replaces the last event that no policy of its own direction can see, or adds one. A
// policy of the other direction with a longer period may see a stale event until then, as it
// does in the real controller.
func (e events) record(now simtime.Time, change int32, r *Rules) events {
	cutoff := now.Add(-r.longestPeriod())
	stale := -1
	for i, each := range e {
		if each.at < cutoff {
			stale = i
		}
	}
	if stale < 0 {
		return append(e, event{change, now})
	}
	e[stale] = event{change, now}
	return e
}

// longestPeriod returns the longest period of the policies.
func (r *Rules) longestPeriod() time.Duration {
	var longest time.Duration
	for _, p := range r.Policies {
		longest = max(longest, p.Period)
	}
	return longest
}
