// SPDX-License-Identifier: Apache-2.0

package scheduler

import "slices"

// profiles are those that may run, in the order in which they do.
func (s *staged) profiles() []*schedulingProfile {
	switch {
	case s.byHeaders != nil:
		var all []*schedulingProfile
		for _, p := range s.byHeaders {
			if p != nil && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
		return all
	case s.Prefill == nil:
		return []*schedulingProfile{s.Decode}
	case s.Decider == nil:
		return []*schedulingProfile{s.Prefill, s.Decode}
	default:
		return []*schedulingProfile{s.Decode, s.Prefill}
	}
}

// Explain says how the profiles chose for the last request.
func (s *staged) Explain(c *Cycle, x *Explanation) {
	for _, p := range s.profiles() {
		if p.ran {
			x.Profiles = append(x.Profiles, p.explanation(c, x))
		}
	}
	if s.Reason != "" {
		x.Decider = &DeciderAnswer{nameOf(s.deciderPlugin), s.Reason}
	}
}

// explanation is of the last run, in the memory of x.
func (p *schedulingProfile) explanation(c *Cycle, x *Explanation) ProfileRun {
	run := ProfileRun{
		Profile:    p.name,
		Candidates: x.listOf(p.candidates),
		Scores:     x.Numbers(p.scores),
		Picker:     nameOf(p.pickerPlugin),
		Chosen:     x.endpointOrNil(p.Chosen),
	}
	run.Endpoints = take(&x.memory.ints, len(p.memory))[:0]
	for e := range p.memory {
		if !c.Gone(e) {
			run.Endpoints = append(run.Endpoints, e)
		}
	}
	run.Filters = p.filterRuns(run.Endpoints, x)
	if p.Chosen == None {
		return run
	}
	run.Scorers = x.ScorerList(len(p.Scorers))
	for i := range p.Scorers {
		p.Scorers[i].explain(p.trace.raw[i], x, &run.Scorers[i])
	}
	run.Tied, run.ByChance = TiedAtTop(p.scores), p.Picker.LeftToChance(p.scores)
	return run
}

// listOf copies a list into the memory of the explanation. It is never nil.
func (x *Explanation) listOf(values []int) []int {
	list := take(&x.memory.ints, len(values))
	copy(list, values)
	return list
}

// filterRuns says what each filter that was asked took out of the endpoints.
func (p *schedulingProfile) filterRuns(before []int, x *Explanation) []FilterRun {
	kept := p.trace.kept
	runs := x.FilterList(len(p.filterRefs))[:0]
	for _, ref := range p.filterRefs {
		run := FilterRun{PluginName: nameOf(ref.plugin), Dropped: take(&x.memory.ints, len(before))[:0]}
		if len(before) == 0 {
			break
		}
		if ref.made {
			for _, e := range before {
				if !slices.Contains(kept[0], e) {
					run.Dropped = append(run.Dropped, e)
				}
			}
			before, kept = kept[0], kept[1:]
		}
		runs = append(runs, run)
	}
	return runs
}

func (s *weightedScorer) explain(raw []float64, x *Explanation, run *ScorerRun) {
	*run = ScorerRun{
		PluginName: nameOf(s.plugin),
		Weight:     Number(s.weight.factor),
		Raw:        x.Numbers(raw),
		Clamped:    x.Numbers(raw),
		Weighted:   x.Numbers(s.weighted),
	}
	for i, score := range raw {
		run.Clamped[i] = Number(NewWeight(1).Of(score))
	}
}
