// SPDX-License-Identifier: Apache-2.0

package scheduler

import "windtunnel.dev/windtunnel/pkg/policy/epp/config"

// None stands for no endpoint.
const None = -1

// Picks are the endpoints that the profiles chose for a request.
type Picks struct {
	// Primary is the decode profile's, prefill the prefill profile's: none where
	// that did not run or found no endpoint.
	Primary, Prefill int
}

// Of returns the pick of the prefill profile or else of the primary one.
func (p Picks) Of(prefill bool) int {
	if prefill {
		return p.Prefill
	}
	return p.Primary
}

// A Decider says whether another endpoint than the chosen decode endpoint is to
// compute the prompt.
type Decider interface {
	Decide(c *Cycle, decode int) Reason
}

// staged runs the profiles of one request.
type staged struct {
	Decode *schedulingProfile
	// byHeaders are the profiles that run in place of decode, by set of headers; nil
	// where a header names none. It is nil where headers do not matter.
	byHeaders []*schedulingProfile
	// Prefill is nil where only decode ever runs.
	Prefill *schedulingProfile
	// Decider is nil where prefill comes first.
	Decider Decider
	// deciderPlugin is the decider's.
	deciderPlugin *config.Plugin
	peers         bool

	Reason Reason // of the last run
}

func newStaged(b *Builder, c *config.Config) staged {
	if c.Stages.Header != "" {
		return newStagedByHeader(b, c)
	}
	s := staged{Decode: newSchedulingProfile(b, c.Document.Profile(c.Stages.Decode))}
	if c.Stages.Prefill == "" {
		return s
	}
	s.Prefill, s.peers = newSchedulingProfile(b, c.Document.Profile(c.Stages.Prefill)), c.Stages.SecondSeesFirst
	if !c.Stages.PrefillFirst {
		p := b.Plugins[c.Stages.Decider]
		s.Decider, s.deciderPlugin = b.Factory(p).NewDecider(b, p), p
	}
	return s
}

func newStagedByHeader(b *Builder, c *config.Config) staged {
	s := staged{}
	made := map[string]*schedulingProfile{}
	for _, name := range c.Stages.Primaries(&b.Cluster) {
		if made[name] == nil && c.Document.HasProfile(name) {
			made[name] = newSchedulingProfile(b, c.Document.Profile(name))
		}
		s.byHeaders = append(s.byHeaders, made[name])
		if s.Decode == nil {
			s.Decode = made[name]
		}
	}
	if s.Decode == nil {
		panic("epp: no request names a profile that there is")
	}
	return s
}

// selectByHeaders makes the profile that a request's headers name the one that decides, and
// reports whether there is one.
func (s *staged) selectByHeaders(headers int32) bool {
	p := s.byHeaders[headers]
	s.skipOthers(p)
	if p != nil {
		s.Decode = p
	}
	return p != nil
}

// Run reports whether there is an endpoint to decode. Where a prefill endpoint
// is wanted and none is left, the decode endpoint does all of it.
func (s *staged) Run(c *Cycle) (Picks, bool) {
	s.Reason = ""
	if s.byHeaders != nil && !s.selectByHeaders(c.Headers) {
		return Picks{None, None}, false
	}
	switch {
	case s.Prefill == nil:
		ok := s.Decode.Run(c)
		return Picks{s.Decode.Chosen, None}, ok
	case s.Decider == nil:
		s.Prefill.Run(c)
		c.Peer = s.Prefill.Chosen
		ok := s.Decode.Run(c)
		return Picks{s.Decode.Chosen, s.Prefill.Chosen}, ok
	}
	if !s.Decode.Run(c) {
		s.Prefill.Skip()
		return Picks{None, None}, false
	}
	s.Reason = s.Decider.Decide(c, s.Decode.Chosen)
	if s.Reason != Disaggregated {
		s.Prefill.Skip()
		return Picks{s.Decode.Chosen, None}, true
	}
	if s.peers {
		c.Peer = s.Decode.Chosen
	}
	s.Prefill.Run(c)
	return Picks{s.Decode.Chosen, s.Prefill.Chosen}, true
}

// Skip is for a request that comes to no profile.
func (s *staged) Skip() {
	s.Reason = ""
	s.Decode.Skip()
	if s.Prefill != nil {
		s.Prefill.Skip()
	}
	s.skipOthers(nil)
}

// skipOthers is skip for the profiles that a request's headers do not name.
func (s *staged) skipOthers(than *schedulingProfile) {
	for _, p := range s.byHeaders {
		if p != nil && p != than {
			p.Skip()
		}
	}
}
