// SPDX-License-Identifier: Apache-2.0

package epp

import "slices"

// Profiles that several plugins look for by name.
const (
	decodeProfile  = "decode"
	prefillProfile = "prefill"
	encodeProfile  = "encode"
)

// stages says which scheduling profiles run for a request, and when.
type stages struct {
	// decode is the primary profile: without its endpoint a request fails.
	decode string
	// encode chooses who encodes images, audio and video; "" where that never
	// runs. Simulated requests have none of these.
	encode string
	// prefill chooses who computes the prompt; "" where that never runs.
	prefill string
	// prefillFirst is whether prefill runs before decode, and for each request.
	prefillFirst bool
	// decider names the plugin that says whether prefill runs, unless it is
	// first.
	decider string
	// silent is whether nobody tells the engines what prefill chose: then one
	// does all the work, though the EPP believes in two.
	silent bool
	// bare is whether what is counted after the choice knows nothing of what the
	// decode endpoint holds of the prompt: the EPP makes that endpoint anew, with
	// another port, and forgets what was said of it.
	bare bool
	// peers is whether the second profile is told what the first one chose.
	peers bool
	// header names the profile that runs in place of decode for requests that carry
	// it; "" where none does.
	header string
}

// runs reports whether a profile ever does on a cluster, which may be nil.
func (s *stages) runs(profile string, cluster *Cluster) bool {
	if profile == s.decode || s.prefill != "" && profile == s.prefill {
		return true
	}
	return s.header != "" && slices.Contains(cluster.header(s.header), profile)
}

// mayRun reports whether the EPP runs a profile on some cluster, for some request:
// the encode profile too, which simulated requests never need.
func (s *stages) mayRun(profile string) bool {
	return s.header != "" || s.runs(profile, nil) || s.encode != "" && profile == s.encode
}

// primaries are the names of the profiles that run in place of decode, by set of
// headers.
func (s *stages) primaries(cluster *Cluster) []string {
	if s.header == "" {
		return []string{s.decode}
	}
	names := cluster.header(s.header)
	for i := range names {
		setDefault(&names[i], s.decode)
	}
	return names
}

// stagesOf follows from the profile handler. Where there are several, or too
// many profiles for it, that has been or will be reported.
func (l *loader) stagesOf(handler *plugin) stages {
	if handler == nil || handler.kind.stages == nil {
		return stages{decode: l.doc.SchedulingProfiles[0].Name}
	}
	return handler.kind.stages(l, handler)
}

// hasProfile reports whether the document has a profile, or will get it.
func (l *loader) hasProfile(name string) bool {
	if len(l.doc.SchedulingProfiles) == 0 {
		return name == defaultProfile
	}
	return slices.ContainsFunc(l.doc.SchedulingProfiles, func(p profile) bool { return p.Name == name })
}

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
		s.decider, s.deciderPlugin = p.kind.newDecider(b, p), p
	}
	return s
}

func (d *effective) hasProfile(name string) bool {
	return slices.ContainsFunc(d.SchedulingProfiles, func(p profile) bool { return p.Name == name })
}

func (d *effective) profile(name string) *profile {
	i := slices.IndexFunc(d.SchedulingProfiles, func(p profile) bool { return p.Name == name })
	return &d.SchedulingProfiles[i]
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
