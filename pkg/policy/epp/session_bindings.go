// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// sessionBindings are where the EPP sent sessions. A binding is made by the
// first request, used by each that goes to the same endpoint, and moves when a
// request finds the endpoint not among its candidates. A sweep every so often,
// from time 0 on, forgets those that were not used for longer than ttl.
type sessionBindings struct {
	ttl, sweep time.Duration
	bindings   []sessionBinding // by session
	// prefill is whether the pick of the prefill profile counts, not the primary
	// one's.
	prefill bool

	// missingIn is the cycle whose request has a binding to an endpoint that is
	// no candidate of the last profile that looked; 0 for none.
	missingIn uint64
}

type sessionBinding struct {
	endpoint int32 // plus 1; 0 is none
	used     simtime.Time
}

func (s *sessionBindings) Pinned(c *scheduler.Cycle, candidates []int) int {
	pinned := s.bound(c)
	s.missingIn = 0
	if pinned >= 0 && !slices.Contains(candidates, pinned) {
		s.missingIn = c.Number
	}
	return pinned
}

// bound returns the endpoint of the request's session, or -1.
func (s *sessionBindings) bound(c *scheduler.Cycle) int {
	if int(c.Session) >= len(s.bindings) {
		return -1
	}
	b := &s.bindings[c.Session]
	if b.endpoint == 0 || s.swept(b.used, c.Now) {
		return -1
	}
	return int(b.endpoint) - 1
}

// swept reports whether a sweep has come by, up to now, more than ttl after a
// binding was used.
func (s *sessionBindings) swept(used, now simtime.Time) bool {
	idle := now.Sub(used)
	if idle <= s.ttl {
		return false
	}
	lastSweep := time.Duration(now) / s.sweep * s.sweep
	return lastSweep-time.Duration(used) > s.ttl
}

func (s *sessionBindings) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	endpoint := p.Of(s.prefill)
	if c.Session == 0 || endpoint == scheduler.None {
		return
	}
	if bound := s.bound(c); bound >= 0 && bound != endpoint && s.missingIn != c.Number {
		return
	}
	s.bindings = scheduler.Grown(s.bindings, int(c.Session))
	s.bindings[c.Session] = sessionBinding{int32(endpoint + 1), c.Now}
}
