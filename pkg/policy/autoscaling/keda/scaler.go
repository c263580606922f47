// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Scaler is KEDA's part of one ScaledObject and what it remembers.
type Scaler struct {
	spec     Spec
	created  simtime.Time
	failures []int32
	// lastActive is when a poll last found activity, if wasActive.
	lastActive simtime.Time
	wasActive  bool
}

// New returns the scaler of an object that is created at a time. The object's spec may lack what
// has a default.
func New(spec Spec, created simtime.Time) *Scaler {
	return &Scaler{spec: defaults(spec), created: wholeSeconds(created), failures: make([]int32, len(spec.Triggers))}
}

// PollResult is the result of a poll.
type PollResult struct {
	// Replicas is the count to write, if Write.
	Replicas int32
	Write    bool
	// Active is the reason of the condition Active.
	Active Reason
}

// Reason is the reason of a condition.
type Reason string

// The reasons of the condition Active.
const (
	ScalerActive    Reason = "ScalerActive"
	ScalerNotActive Reason = "ScalerNotActive"
	ScalerCooldown  Reason = "ScalerCooldown"
)

// Request decides on a poll by the count that the target is to have, and what Activity says. An
// object that is paused has no conditions of its own.
func (s *Scaler) Request(now simtime.Time, current int32, active, failed bool) PollResult {
	if s.spec.Annotations.Paused {
		return PollResult{}
	}
	if active || s.spec.Annotations.Forced {
		return s.whileActive(now, current, failed)
	}
	return s.whileInactive(now, current, failed)
}

// whileActive brings the target up to where the autoscaler works. Failures of other triggers keep
// the time of the last activity.
func (s *Scaler) whileActive(now simtime.Time, current int32, failed bool) PollResult {
	d := PollResult{Active: ScalerActive}
	if current == 0 || s.spec.Idle != nil && current < s.spec.Min {
		if s.spec.Annotations.PausedOut {
			return d
		}
		d.Replicas, d.Write = max(s.spec.Min, 1), true
	} else if failed {
		return d
	}
	s.lastActive, s.wasActive = wholeSeconds(now), true
	return d
}

// whileInactive brings the target down after the cooldown, below where the autoscaler works. A
// failure without a fallback of at least one replica changes nothing.
func (s *Scaler) whileInactive(now simtime.Time, current int32, failed bool) PollResult {
	d := PollResult{Active: ScalerNotActive}
	fallback := s.spec.Fallback
	switch idle := s.spec.Idle; {
	case failed && (fallback == nil || fallback.Replicas != 0):
	case idle != nil && current > *idle, s.spec.Min == 0 && current > 0:
		if s.spec.Annotations.PausedIn {
			return d
		}
		if !s.cooledDown(now) {
			d.Active = ScalerCooldown
			return d
		}
		d.Write = true
		if idle != nil {
			d.Replicas = *idle
		}
	case idle == nil && current < s.spec.Min:
		d.Replicas, d.Write = s.spec.Min, true
	}
	return d
}

// cooledDown reports whether the triggers have been inactive for long enough.
func (s *Scaler) cooledDown(now simtime.Time) bool {
	if s.wasActive {
		return s.lastActive.Add(*s.spec.Cooldown) < now
	}
	return s.created.Add(s.spec.InitialCooldown) < now
}

// wholeSeconds returns a time as the API server stores it.
func wholeSeconds(t simtime.Time) simtime.Time {
	const second = simtime.Time(time.Second)
	return t - (t%second+second)%second
}
