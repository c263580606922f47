// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A schedulingProfile chooses an endpoint: filters in order, then scorers, then
// the picker. An endpoint's score is the sum over scorers of the weight times
// the raw score clamped to [0, 1]; the sum is not normalised.
type schedulingProfile struct {
	Filters []Filter
	// lasting and preserving say that all filters are.
	lasting, preserving bool
	// removed says of each filter whether it has ever removed a candidate.
	removed []bool
	Scorers []weightedScorer
	Picker  Picker
	// topPicker is the picker, if it goes by the highest score.
	topPicker topPicker
	// ranker is the only scorer, where it ranks many endpoints for a topPicker.
	ranker ranker
	// pickListeners receive each pick of this profile.
	pickListeners []profilePickListener

	// All that follows is of the last run.
	candidates []int
	scores     []float64 // of the candidates
	// tops are of the scores where candidates are many and the picker goes by tops; nil otherwise.
	tops     *ScoreTops
	rescored []int32 // scratch
	changed  []int32 // scratch
	Chosen   int     // an endpoint

	// memory has len == endpoints; candidates may point into it. It is intact if it lists all
	// endpoints.
	memory []int
	intact bool
	// whole says that the candidates are those of each request: all that lasting filters keep,
	// none being down. indexOf is their index by endpoint, -1 for other endpoints.
	whole   bool
	indexOf []int32
	// ran is whether the profile has run for the last request.
	ran bool
	// scored says that the last run left the scores of whole candidates.
	scored bool
	// trace is of the last run; nil unless decisions are explained.
	trace *profileTrace
	// force is nil while nothing is forced.
	force policy.Force

	// What follows only explains.
	name         string
	filterRefs   []filterRef
	pickerPlugin *config.Plugin
}

// A filterRef is a filter of the document. Where it keeps all whatever the
// request, it was not made.
type filterRef struct {
	plugin *config.Plugin
	made   bool
}

type weightedScorer struct {
	Scorer
	rescorer rescorer // the same one, if it is
	plugin   *config.Plugin
	weight   Weight
	// weighted is the scorer's part in the scores of the last run.
	weighted []float64
	// told says that some run gave two candidates other parts.
	told bool
}

func newSchedulingProfile(b *Builder, config *config.Profile) *schedulingProfile {
	p := &schedulingProfile{name: config.Name, memory: make([]int, b.Endpoints), scores: make([]float64, b.Endpoints), lasting: true, preserving: true}
	b.Profile = config.Name
	for _, entry := range config.Plugins {
		instance := b.Plugins[entry.PluginRef]
		kind := b.Factory(instance)
		if kind.NewFilter != nil {
			made := kind.NewFilter(b, instance)
			if made != nil {
				p.Filters, p.removed = append(p.Filters, made), append(p.removed, false)
				_, lasts := made.(lastingFilter)
				_, preserves := made.(preservingFilter)
				p.lasting, p.preserving = p.lasting && lasts, p.preserving && preserves
				b.Connect(made)
			}
			p.filterRefs = append(p.filterRefs, filterRef{instance, made != nil})
		}
		if kind.NewScorer != nil {
			scorer := kind.NewScorer(b, instance)
			b.Connect(scorer)
			again, _ := scorer.(rescorer)
			if w, ok := scorer.(profilePickListener); ok && b.Dialect.Framework < version.GIE10 {
				p.pickListeners = append(p.pickListeners, w)
			}
			p.Scorers = append(p.Scorers, weightedScorer{
				Scorer:   scorer,
				rescorer: again,
				plugin:   instance,
				weight:   NewWeight(*entry.Weight),
				weighted: make([]float64, b.Endpoints),
			})
		}
		if kind.NewPicker != nil {
			p.Picker, p.pickerPlugin = kind.NewPicker(b, instance, config.Name), instance
		}
	}
	if p.Picker == nil {
		panic(fmt.Sprintf("epp: profile %q has no picker after defaulting", config.Name))
	}
	p.topPicker, _ = p.Picker.(topPicker)
	if p.topPicker != nil && len(p.Scorers) == 1 && p.preserving && !b.ScoresFew() {
		if r, ok := p.Scorers[0].Scorer.(ranker); ok && r.KeepRanks() {
			p.ranker = r
		}
	}
	return p
}

// Run reports whether an endpoint was chosen.
func (p *schedulingProfile) Run(c *Cycle) bool {
	if p.trace != nil {
		p.trace.Begin()
	}
	p.Filter(c)
	p.ran = true
	if len(p.candidates) == 0 {
		p.scores, p.Chosen, p.scored = p.scores[:0], None, false
		return false
	}
	if p.ranker == nil || !p.pickRanked() {
		p.Score(c)
		p.Chosen = p.candidates[p.pick()]
	}
	if p.force != nil {
		p.Chosen = p.force(c.Request, p.candidates, p.Chosen)
	}
	for _, w := range p.pickListeners {
		w.Picked(c, p.Chosen)
	}
	return true
}

// Skip is for a request that does not come to the profile. What has changed
// since the last run is not known to the next one.
func (p *schedulingProfile) Skip() {
	p.scores, p.Chosen, p.scored, p.ran = p.scores[:0], None, false, false
}

func (p *schedulingProfile) Filter(c *Cycle) {
	if p.whole && c.Down == nil && p.trace == nil {
		return
	}
	p.runFilters(c)
	p.whole = p.lasting && c.Down == nil
	if p.whole && p.indexOf == nil {
		p.indexCandidates()
	}
}

// indexCandidates prepares for requests that have the same candidates.
func (p *schedulingProfile) indexCandidates() {
	p.indexOf = make([]int32, len(p.memory))
	for e := range p.indexOf {
		p.indexOf[e] = None
	}
	for i, e := range p.candidates {
		p.indexOf[e] = int32(i)
	}
	if n := len(p.candidates); p.topPicker != nil && !scoresFew(n) {
		p.tops = newScoreTops(n)
	}
}

func (p *schedulingProfile) runFilters(c *Cycle) {
	p.resetCandidates(c.Down)
	for i, f := range p.Filters {
		before := len(p.candidates)
		if before == 0 {
			return
		}
		p.candidates = f.Filter(c, p.candidates)
		p.removed[i] = p.removed[i] || len(p.candidates) < before
		if p.trace != nil {
			p.trace.filtered(p.candidates)
		}
	}
}

// resetCandidates makes all endpoints that are not down candidates.
func (p *schedulingProfile) resetCandidates(down []bool) {
	all := p.memory // a field would be read again for each endpoint
	if !p.intact {
		for e := range all {
			all[e] = e
		}
	}
	p.candidates, p.intact = all, down == nil && p.preserving
	if down != nil {
		p.candidates = slices.DeleteFunc(p.candidates, func(e int) bool { return down[e] })
	}
}

// Score scores all candidates, or those whose scores may be others than those of the last
// request.
func (p *schedulingProfile) Score(c *Cycle) {
	n := len(p.candidates)
	p.scores, p.rescored = p.scores[:n], p.rescored[:0]
	again := p.scored && p.whole && c.changed != nil && p.trace == nil
	all := !again || p.tops == nil
	changed := c.changed
	if again && n < len(p.memory) {
		changed = p.changedCandidates(changed)
	}
	for i := range p.Scorers {
		s := &p.Scorers[i]
		s.weighted = s.weighted[:n]
		if again && s.rescorer != nil {
			if rescored, ok := s.rescorer.Rescore(c, changed, p.indexOf, s.weight, s.weighted); ok {
				if !all {
					p.rescored = append(p.rescored, rescored...)
				}
				s.told = s.told || len(rescored) > 0 && differ(s.weighted)
				continue
			}
		}
		all = true
		p.scoreAll(c, s)
	}
	p.scored = p.whole
	if all || len(p.rescored) > n/topGroup {
		p.sum()
	} else {
		p.sumAgain()
	}
}

// changedCandidates are those of the endpoints whose scrape has changed.
func (p *schedulingProfile) changedCandidates(changed []int32) []int32 {
	p.changed = p.changed[:0]
	for _, e := range changed {
		if p.indexOf[e] != None {
			p.changed = append(p.changed, e)
		}
	}
	return p.changed
}

// scoreAll has a scorer score all candidates.
func (p *schedulingProfile) scoreAll(c *Cycle, s *weightedScorer) {
	if p.trace != nil {
		p.trace.Score(c, p.candidates, s)
	} else {
		s.Score(c, p.candidates, s.weight, s.weighted)
	}
	s.told = s.told || differ(s.weighted)
}

// pick returns the index of the candidate that the picker takes. A score may be no number:
// the precise prefix scorer divides infinities where the weights of tiers are too large to add up
// over the blocks of a prompt. Such a score has no place among tops, and the picker itself decides
// where the first candidate has it.
func (p *schedulingProfile) pick() int {
	if p.tops != nil && p.whole && !math.IsNaN(p.scores[0]) {
		highest, tied := p.tops.Highest()
		return p.tops.Of(highest, p.topPicker.PickTied(tied))
	}
	return p.Picker.Pick(p.scores)
}

// pickRanked chooses among all endpoints without their scores, and reports whether ranks decide.
func (p *schedulingProfile) pickRanked() bool {
	if p.trace != nil || len(p.candidates) < len(p.memory) {
		return false
	}
	s := &p.Scorers[0]
	tops, above := p.ranker.Ranks()
	highest, tied := tops.Highest()
	if highest <= above || !s.weight.separates() {
		return false
	}
	s.told = s.told || tied < len(p.candidates)
	p.Chosen = tops.Of(highest, p.topPicker.PickTied(tied))
	p.scores, p.scored = p.scores[:0], false
	return true
}

// sumAgain is sum where the parts of the endpoints in rescored alone may have changed, of those
// that are candidates.
func (p *schedulingProfile) sumAgain() {
	for _, e := range p.rescored {
		at := p.indexOf[e]
		if at == None {
			continue
		}
		sum := 0.0
		for i := range p.Scorers {
			sum += p.Scorers[i].weighted[at]
		}
		p.tops.set(int(at), sum)
	}
}

// sum adds up the scorers' parts, in the order of the profile.
func (p *schedulingProfile) sum() {
	clear(p.scores)
	parts := p.Scorers
	for ; len(parts) >= 3; parts = parts[3:] {
		addThree(p.scores, parts[0].weighted, parts[1].weighted, parts[2].weighted)
	}
	for i := range parts {
		add(p.scores, parts[i].weighted)
	}
	if p.tops != nil && p.whole {
		p.tops.renewAll(p.scores)
	}
}

func add(sum, part []float64) {
	part = part[:len(sum)]
	for i := range sum {
		sum[i] += part[i]
	}
}

// addThree is add of a, b and c in turn. Most of the time goes into reading and
// writing the sums.
func addThree(sum, a, b, c []float64) {
	a, b, c = a[:len(sum)], b[:len(sum)], c[:len(sum)]
	for i := range sum {
		sum[i] = sum[i] + a[i] + b[i] + c[i]
	}
}
