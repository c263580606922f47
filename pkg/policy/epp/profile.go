// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
)

// A schedulingProfile chooses an endpoint: filters in order, then scorers, then
// the picker. An endpoint's score is the sum over scorers of the weight times
// the raw score clamped to [0, 1]; the sum is not normalised.
type schedulingProfile struct {
	filters []filter
	scorers []weightedScorer
	picker  picker
	// witnesses are told of each pick of this profile.
	witnesses []witness

	// All that follows is of the last run.
	candidates []int
	scores     []float64 // of the candidates
	chosen     int       // an endpoint

	memory []int // len == endpoints; candidates points into it
	// whole says that the candidates are all endpoints, in order.
	whole bool
	// ran is whether the profile has run for the last request.
	ran bool
	// scored says that the last run left scores of all endpoints, in order.
	scored bool
	// trace is of the last run; nil unless decisions are explained.
	trace *profileTrace

	// What follows only explains.
	name         string
	filterRefs   []filterRef
	pickerPlugin *plugin
}

// A filterRef is a filter of the document. Where it keeps all whatever the
// request, it was not made.
type filterRef struct {
	plugin *plugin
	made   bool
}

type weightedScorer struct {
	scorer
	rescorer rescorer // the same one, if it is
	plugin   *plugin
	weight   weight
	// weighted is the scorer's part in the scores of the last run.
	weighted []float64
}

func newSchedulingProfile(b *builder, config *profile) *schedulingProfile {
	p := &schedulingProfile{name: config.Name, memory: make([]int, b.Endpoints), scores: make([]float64, b.Endpoints)}
	p.resetCandidates(nil)
	b.profile = config.Name
	for _, entry := range config.Plugins {
		instance := b.plugins[entry.PluginRef]
		kind := b.factory(instance)
		if kind.newFilter != nil {
			made := kind.newFilter(b, instance)
			if made != nil {
				p.filters = append(p.filters, made)
				b.connect(made)
			}
			p.filterRefs = append(p.filterRefs, filterRef{instance, made != nil})
		}
		if kind.newScorer != nil {
			scorer := kind.newScorer(b, instance)
			b.connect(scorer)
			again, _ := scorer.(rescorer)
			if w, ok := scorer.(witness); ok && b.dialect.framework < gie10 {
				p.witnesses = append(p.witnesses, w)
			}
			p.scorers = append(p.scorers, weightedScorer{
				scorer:   scorer,
				rescorer: again,
				plugin:   instance,
				weight:   weighing(*entry.Weight),
				weighted: make([]float64, b.Endpoints),
			})
		}
		if kind.newPicker != nil {
			p.picker, p.pickerPlugin = kind.newPicker(b, instance, config.Name), instance
		}
	}
	if p.picker == nil {
		panic(fmt.Sprintf("epp: profile %q has no picker after defaulting", config.Name))
	}
	return p
}

// run reports whether an endpoint was chosen.
func (p *schedulingProfile) run(c *cycle) bool {
	if p.trace != nil {
		p.trace.begin()
	}
	p.filter(c)
	p.ran = true
	if len(p.candidates) == 0 {
		p.scores, p.chosen, p.scored = p.scores[:0], none, false
		return false
	}
	p.score(c)
	p.chosen = p.candidates[p.picker.pick(p.scores)]
	for _, w := range p.witnesses {
		w.picked(c, p.chosen)
	}
	return true
}

// skip is for a request that does not come to the profile. What has changed
// since the last run is not known to the next one.
func (p *schedulingProfile) skip() {
	p.scores, p.chosen, p.scored, p.ran = p.scores[:0], none, false, false
}

func (p *schedulingProfile) filter(c *cycle) {
	if p.whole && c.down == nil && len(p.filters) == 0 {
		return
	}
	p.resetCandidates(c.down)
	for _, f := range p.filters {
		if len(p.candidates) == 0 {
			return
		}
		p.candidates = f.filter(c, p.candidates)
		if p.trace != nil {
			p.trace.filtered(p.candidates)
		}
	}
}

// resetCandidates makes all endpoints that are not down candidates.
func (p *schedulingProfile) resetCandidates(down []bool) {
	p.whole = down == nil && len(p.filters) == 0
	p.candidates = p.memory
	for e := range p.candidates {
		p.candidates[e] = e
	}
	if down != nil {
		p.candidates = slices.DeleteFunc(p.candidates, func(e int) bool { return down[e] })
	}
}

func (p *schedulingProfile) score(c *cycle) {
	n := len(p.candidates)
	p.scores = p.scores[:n]
	again := p.scored && p.whole && c.changed != nil
	for i := range p.scorers {
		s := &p.scorers[i]
		s.weighted = s.weighted[:n]
		if p.trace != nil {
			p.trace.score(c, p.candidates, s)
		} else if !again || s.rescorer == nil || !s.rescorer.rescore(c, c.changed, s.weight, s.weighted) {
			s.score(c, p.candidates, s.weight, s.weighted)
		}
	}
	p.scored = p.whole
	p.sum()
}

// sum adds up the scorers' parts, in the order of the profile.
func (p *schedulingProfile) sum() {
	clear(p.scores)
	parts := p.scorers
	for ; len(parts) >= 3; parts = parts[3:] {
		addThree(p.scores, parts[0].weighted, parts[1].weighted, parts[2].weighted)
	}
	for i := range parts {
		add(p.scores, parts[i].weighted)
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
