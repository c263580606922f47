// SPDX-License-Identifier: Apache-2.0

package epp

import "fmt"

// A schedulingProfile chooses an endpoint: filters in order, then scorers, then
// the picker. An endpoint's score is the sum over scorers of the weight times
// the raw score clamped to [0, 1]; the sum is not normalised.
type schedulingProfile struct {
	filters []filter
	scorers []weightedScorer
	picker  picker

	// All that follows is of the last run.
	candidates []int
	scores     []float64 // of the candidates
	chosen     int       // an endpoint

	memory []int // len == endpoints; candidates points into it
}

type weightedScorer struct {
	scorer
	name   string
	weight float64
	// weighted is the scorer's part in the scores of the last run.
	weighted []float64
}

func newSchedulingProfile(b *builder, config *profile) *schedulingProfile {
	p := &schedulingProfile{memory: make([]int, b.endpoints), scores: make([]float64, b.endpoints)}
	for _, entry := range config.Plugins {
		instance := b.plugins[entry.PluginRef]
		kind := instance.kind
		if kind.newFilter != nil {
			p.filters = append(p.filters, kind.newFilter(b, instance))
		}
		if kind.newScorer != nil {
			p.scorers = append(p.scorers, weightedScorer{
				scorer:   kind.newScorer(b, instance),
				name:     instance.Name,
				weight:   *entry.Weight,
				weighted: make([]float64, b.endpoints),
			})
		}
		if kind.newPicker != nil {
			p.picker = kind.newPicker(b, instance, config.Name)
		}
	}
	if p.picker == nil {
		panic(fmt.Sprintf("epp: profile %q has no picker after defaulting", config.Name))
	}
	return p
}

// run reports whether an endpoint was chosen.
func (p *schedulingProfile) run(c *cycle) bool {
	p.filter(c)
	if len(p.candidates) == 0 {
		p.scores, p.chosen = p.scores[:0], -1
		return false
	}
	p.score(c)
	p.chosen = p.candidates[p.picker.pick(p.scores)]
	return true
}

func (p *schedulingProfile) filter(c *cycle) {
	p.candidates = p.memory
	for e := range p.candidates {
		p.candidates[e] = e
	}
	for _, f := range p.filters {
		if len(p.candidates) == 0 {
			return
		}
		p.candidates = f.filter(c, p.candidates)
	}
}

func (p *schedulingProfile) score(c *cycle) {
	n := len(p.candidates)
	p.scores = p.scores[:n]
	clear(p.scores)
	for i := range p.scorers {
		s := &p.scorers[i]
		s.weighted = s.weighted[:n]
		s.score(c, p.candidates, s.weighted)
		for j, raw := range s.weighted {
			s.weighted[j] = float64(s.weight * min(max(raw, 0), 1))
			p.scores[j] += s.weighted[j]
		}
	}
}
