// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// recommendation is what the metrics recommended at a time. The first of an autoscaler is the
// count that it found.
type recommendation struct {
	replicas int32
	at       simtime.Time
}

// record keeps a recommendation, in the place of the last one that is stale, or at the end.
// stale is negative where none is.
func (a *Autoscaler) record(now simtime.Time, replicas int32, stale int) {
	r := recommendation{replicas, now}
	if stale < 0 {
		a.recommendations = append(a.recommendations, r)
		return
	}
	a.recommendations[stale] = r
}

// stabiliseDown returns the largest recommendation of the window, this one included.
func (a *Autoscaler) stabiliseDown(now simtime.Time, replicas int32) int32 {
	cutoff := now.Add(-a.options.DownscaleStabilisation)
	largest, stale := replicas, -1
	for i, r := range a.recommendations {
		if r.at < cutoff {
			stale = i
		} else {
			largest = max(largest, r.replicas)
		}
	}
	a.record(now, replicas, stale)
	return largest
}

// stabilise moves the current count as little as the recommendations of both windows allow.
func (a *Autoscaler) stabilise(now simtime.Time, current, replicas int32) int32 {
	upCutoff := now.Add(-*a.spec.Behavior.ScaleUp.Window)
	downCutoff := now.Add(-*a.spec.Behavior.ScaleDown.Window)
	least, most, stale := replicas, replicas, -1
	for i, r := range a.recommendations {
		if r.at > upCutoff {
			least = min(least, r.replicas)
		}
		if r.at > downCutoff {
			most = max(most, r.replicas)
		}
		if r.at < upCutoff && r.at < downCutoff {
			stale = i
		}
	}
	a.record(now, replicas, stale)
	return min(max(current, least), most)
}

// withWindow fills in a window that the author leaves open.
func (r *Rules) withWindow(window time.Duration) *Rules {
	if r.Window != nil {
		return r
	}
	filled := *r
	window = window.Truncate(time.Second)
	filled.Window = &window
	return &filled
}
