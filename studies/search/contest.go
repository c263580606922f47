// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/ranktest"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/study"
)

// budget is what a search may simulate, in full trials.
const budget = 100

// contestant is a way to search and how often it is tried, under the seeds from
// 1 on.
type contestant struct {
	search v1alpha1.Search
	seeds  int
}

// contestants begin with the reference, which gets more seeds so that it is well
// known. Those that try points with less effort first get as many points as the
// budget allows.
var contestants = []contestant{
	{v1alpha1.Search{Algorithm: v1alpha1.RandomSearch, MaxTrials: budget}, 20},
	{v1alpha1.Search{Algorithm: v1alpha1.SobolSearch, MaxTrials: budget}, 10},
	{v1alpha1.Search{Algorithm: v1alpha1.LatinHypercubeSearch, MaxTrials: budget}, 10},
	{v1alpha1.Search{Algorithm: v1alpha1.TPESearch, MaxTrials: budget}, 10},
	{v1alpha1.Search{Algorithm: v1alpha1.GPSearch, MaxTrials: budget}, 10},
	{v1alpha1.Search{Algorithm: v1alpha1.CMAESSearch, MaxTrials: budget}, 10},
	{v1alpha1.Search{Algorithm: v1alpha1.NSGA2Search, MaxTrials: budget}, 10},
	{v1alpha1.Search{Algorithm: v1alpha1.MAPElitesSearch, MaxTrials: budget, Features: features}, 10},
	{v1alpha1.Search{Algorithm: v1alpha1.SuccessiveHalvingSearch, MaxTrials: 300}, 10},
	{v1alpha1.Search{Algorithm: v1alpha1.HyperbandSearch, MaxTrials: 183}, 10},
}

// features tell profiles apart for MAPElites: those that find much in caches
// from those that spread, and those that crowd sequences out from the others.
var features = []v1alpha1.Feature{
	{Metric: "cacheHit.gpu", Min: "0.1", Max: "0.9", Bins: 4},
	{Metric: "preemptions", Min: "0", Max: "900", Bins: 3},
}

// entry is what a contestant found, seed by seed.
type entry struct {
	contestant
	found []*found
}

func (e *entry) name() string { return string(e.search.Algorithm) }

// bests are the best losses by seed, within the budget.
func (e *entry) bests() []float64 {
	return e.each(func(f *found) float64 { return f.curve.best() })
}

// confirmed are the best points' losses under fresh seeds.
func (e *entry) confirmed() []float64 {
	return e.each(func(f *found) float64 { return f.confirmed })
}

func (e *entry) each(of func(*found) float64) []float64 {
	values := make([]float64, len(e.found))
	for i, f := range e.found {
		values[i] = of(f)
	}
	return values
}

// compete has all contestants search.
func (s *sample) compete(all []contestant) ([]entry, error) {
	entries := make([]entry, len(all))
	type place struct{ entry, seed int }
	var places []place
	for i, c := range all {
		entries[i] = entry{c, make([]*found, c.seeds)}
		for seed := range c.seeds {
			places = append(places, place{i, seed})
		}
	}
	err := study.ForEach(len(places), func(i int) error {
		e := &entries[places[i].entry]
		how := e.search
		how.Seed, how.Confirm = int64(places[i].seed+1), s.sweep.Spec.Search.Confirm
		f, err := s.conduct(s.sweep, how)
		if err != nil {
			return err
		}
		e.found[places[i].seed] = f
		return withinBudget(e.name(), f)
	})
	return entries, err
}

// withinBudget says which contestant had more than the others.
func withinBudget(name string, f *found) error {
	if f.effort > budget {
		return fmt.Errorf("%s took %v full trials, and may %d", name, f.effort, budget)
	}
	return nil
}

// against returns, for each entry but the first, the p-value of its losses lying
// below the first one's: by Mann and Whitney's test, counted exactly, and
// corrected by Holm for all of them together.
func against(entries []entry, losses func(*entry) []float64) []float64 {
	var ps []float64
	for i := range entries[1:] {
		ps = append(ps, ranktest.MannWhitneyP(losses(&entries[0]), losses(&entries[i+1])))
	}
	return stats.Holm(ps)
}
