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
			x.Profiles = append(x.Profiles, p.explanation(c))
		}
	}
	if s.Reason != "" {
		x.Decider = &DeciderAnswer{nameOf(s.deciderPlugin), s.Reason}
	}
}

// explanation is of the last run.
func (p *schedulingProfile) explanation(c *Cycle) ProfileRun {
	run := ProfileRun{
		Profile:    p.name,
		Endpoints:  []int{},
		Candidates: append([]int{}, p.candidates...),
		Scores:     numbers(p.scores),
		Picker:     nameOf(p.pickerPlugin),
		Chosen:     endpointOrNil(p.Chosen),
	}
	for e := range p.memory {
		if !c.Gone(e) {
			run.Endpoints = append(run.Endpoints, e)
		}
	}
	run.Filters = p.filterRuns(run.Endpoints)
	if p.Chosen == None {
		return run
	}
	for i := range p.Scorers {
		run.Scorers = append(run.Scorers, p.Scorers[i].explanation(p.trace.raw[i]))
	}
	run.Tied, run.ByChance = TiedAtTop(p.scores), p.Picker.LeftToChance(p.scores)
	return run
}

// filterRuns says what each filter that was asked took out of the endpoints.
func (p *schedulingProfile) filterRuns(before []int) []FilterRun {
	var runs []FilterRun
	kept := p.trace.kept
	for _, ref := range p.filterRefs {
		run := FilterRun{PluginName: nameOf(ref.plugin), Dropped: []int{}}
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

func (s *weightedScorer) explanation(raw []float64) ScorerRun {
	run := ScorerRun{
		PluginName: nameOf(s.plugin),
		Weight:     Number(s.weight.factor),
		Raw:        numbers(raw),
		Weighted:   numbers(s.weighted),
	}
	for _, score := range raw {
		run.Clamped = append(run.Clamped, Number(NewWeight(1).Of(score)))
	}
	return run
}

func numbers(all []float64) []Number {
	var list []Number
	for _, x := range all {
		list = append(list, Number(x))
	}
	return list
}
