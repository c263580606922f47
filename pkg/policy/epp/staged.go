// SPDX-License-Identifier: Apache-2.0

package epp

// none stands for no endpoint.
const none = -1

// picks are the endpoints that the profiles chose for a request.
type picks struct {
	// primary is the decode profile's, prefill the prefill profile's: none where
	// that did not run or found no endpoint.
	primary, prefill int
}

// of returns the pick of the prefill profile or else of the primary one.
func (p picks) of(prefill bool) int {
	if prefill {
		return p.prefill
	}
	return p.primary
}

// A decider says whether another endpoint than the chosen decode endpoint is to
// compute the prompt.
type decider interface {
	decide(c *cycle, decode int) Reason
}

// staged runs the profiles of one request.
type staged struct {
	decode *schedulingProfile
	// byHeaders are the profiles that run in place of decode, by set of headers; nil
	// where a header names none. It is nil where headers do not matter.
	byHeaders []*schedulingProfile
	// prefill is nil where only decode ever runs.
	prefill *schedulingProfile
	// decider is nil where prefill comes first.
	decider decider
	// deciderPlugin is the decider's.
	deciderPlugin *plugin
	peers         bool

	reason Reason // of the last run
}

func newStaged(b *builder, c *Config) staged {
	if c.stages.header != "" {
		return newStagedByHeader(b, c)
	}
	s := staged{decode: newSchedulingProfile(b, c.document.profile(c.stages.decode))}
	if c.stages.prefill == "" {
		return s
	}
	s.prefill, s.peers = newSchedulingProfile(b, c.document.profile(c.stages.prefill)), c.stages.peers
	if !c.stages.prefillFirst {
		p := b.plugins[c.stages.decider]
		s.decider, s.deciderPlugin = b.factory(p).newDecider(b, p), p
	}
	return s
}

func newStagedByHeader(b *builder, c *Config) staged {
	s := staged{}
	made := map[string]*schedulingProfile{}
	for _, name := range c.stages.primaries(&b.Cluster) {
		if made[name] == nil && c.document.hasProfile(name) {
			made[name] = newSchedulingProfile(b, c.document.profile(name))
		}
		s.byHeaders = append(s.byHeaders, made[name])
		if s.decode == nil {
			s.decode = made[name]
		}
	}
	if s.decode == nil {
		panic("epp: no request names a profile that there is")
	}
	return s
}

// turnTo makes the profile that a request's headers name the one that decides, and
// reports whether there is one.
func (s *staged) turnTo(headers int32) bool {
	p := s.byHeaders[headers]
	s.skipOthers(p)
	if p != nil {
		s.decode = p
	}
	return p != nil
}

// run reports whether there is an endpoint to decode. Where a prefill endpoint
// is wanted and none is left, the decode endpoint does all of it.
func (s *staged) run(c *cycle) (picks, bool) {
	s.reason = ""
	if s.byHeaders != nil && !s.turnTo(c.headers) {
		return picks{none, none}, false
	}
	switch {
	case s.prefill == nil:
		ok := s.decode.run(c)
		return picks{s.decode.chosen, none}, ok
	case s.decider == nil:
		s.prefill.run(c)
		c.peer = s.prefill.chosen
		ok := s.decode.run(c)
		return picks{s.decode.chosen, s.prefill.chosen}, ok
	}
	if !s.decode.run(c) {
		s.prefill.skip()
		return picks{none, none}, false
	}
	s.reason = s.decider.decide(c, s.decode.chosen)
	if s.reason != Disaggregated {
		s.prefill.skip()
		return picks{s.decode.chosen, none}, true
	}
	if s.peers {
		c.peer = s.decode.chosen
	}
	s.prefill.run(c)
	return picks{s.decode.chosen, s.prefill.chosen}, true
}

// skip is for a request that comes to no profile.
func (s *staged) skip() {
	s.reason = ""
	s.decode.skip()
	if s.prefill != nil {
		s.prefill.skip()
	}
	s.skipOthers(nil)
}

// skipOthers is skip for the profiles that a request's headers do not name.
func (s *staged) skipOthers(than *schedulingProfile) {
	for _, p := range s.byHeaders {
		if p != nil && p != than {
			p.skip()
		}
	}
}
