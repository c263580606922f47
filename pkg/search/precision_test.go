// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

// refined is a grid of candidates with some seeds, and more of them at its end.
func refined(candidates, seeds int, relative float64, maxSeeds int) search.Problem {
	p := problemOf(search.Grid, spaceOf(stepped("candidate", "1", fmt.Sprint(candidates), "1")), candidates)
	p.Seeds = seeds
	p.Settings.Precision = &search.PrecisionSettings{Relative: relative, MaxSeeds: maxSeeds}
	return p
}

// A standard deviation of a fifth of the mean takes (1.96·0.2/0.05)² ≈ 61 seeds
// for ±5 %.
func TestPrecisionTakesAsManySeedsAsTheSpreadAsksFor(t *testing.T) {
	const runs = 200
	covered, total := 0, 0
	for run := range runs {
		told := play(t, mustNew(t, refined(1, 10, 0.05, 500)), func(p search.Proposal) search.Trial {
			return sampled(p, func(_ float64, seed int) float64 { return 10 + 2*normal(run, seed) })
		})
		var sum, squares, n float64
		for _, generation := range told {
			for _, row := range generation[0].Samples {
				sum, squares, n = sum+row[0], squares+row[0]*row[0], n+1
			}
		}
		mean := sum / n
		half := 2.0 * math.Sqrt((squares/n-mean*mean)/n)
		total += int(n)
		if math.Abs(mean-10) <= half {
			covered++
		}
		if half > 0.056*mean {
			t.Errorf("run %d stops at %v ± %v", run, mean, half)
		}
	}
	t.Logf("%.1f seeds on average; %d of %d intervals cover the mean", float64(total)/runs, covered, runs)
	if total < 50*runs || total > 75*runs || covered < 180 {
		t.Errorf("%d seeds in %d runs, %d cover the mean", total, runs, covered)
	}
}

func TestPrecisionIsForTheBestAndTheBaselineUnderTheSameSeeds(t *testing.T) {
	loss := func(c float64, seed int) float64 { return 10*c + c*normal(c, seed) }
	tests := map[string]struct {
		problem search.Problem
		want    []string // points with more seeds
	}{
		"few candidates": {refined(3, 4, 0.04, 100), []string{"1", "2", "3"}},
		"many":           {refined(12, 4, 0.04, 100), []string{"1", "9"}},
	}
	for name, tc := range tests {
		p := tc.problem
		if name == "many" {
			p.Baseline = search.Values{"9"}
		}
		told := play(t, mustNew(t, p), func(p search.Proposal) search.Trial { return sampled(p, loss) })
		if len(told) < 2 {
			t.Errorf("%s: no more seeds", name)
		}
		for _, generation := range told[1:] {
			var points []string
			for _, trial := range generation {
				points = append(points, trial.Point[0])
				if trial.Effort != generation[0].Effort {
					t.Errorf("%s: efforts %v and %v", name, trial.Effort, generation[0].Effort)
				}
			}
			if diff := cmp.Diff(tc.want, points); diff != "" {
				t.Errorf("%s: points with more seeds (−want +got):\n%s", name, diff)
			}
		}
	}
}

func TestPrecisionEndsAtMaxSeedsAndBeginsWithTwo(t *testing.T) {
	noisy := func(_ float64, seed int) float64 { return 1 + 50*normal(seed) }
	told := play(t, mustNew(t, refined(1, 1, 0.01, 30)), func(p search.Proposal) search.Trial { return sampled(p, noisy) })
	var efforts []search.Effort
	for _, generation := range told {
		efforts = append(efforts, generation[0].Effort)
	}
	want := []search.Effort{{Share: 1, First: 0, Seeds: 1}, {Share: 1, First: 1, Seeds: 1}, {Share: 1, First: 2, Seeds: 2}, {Share: 1, First: 4, Seeds: 4}, {Share: 1, First: 8, Seeds: 8}, {Share: 1, First: 16, Seeds: 14}}
	if diff := cmp.Diff(want, efforts); diff != "" {
		t.Errorf("efforts (−want +got):\n%s", diff)
	}

	sure := func(float64, int) float64 { return 7 }
	if n := len(play(t, mustNew(t, refined(1, 3, 0.01, 30)), func(p search.Proposal) search.Trial { return sampled(p, sure) })); n != 1 {
		t.Errorf("what does not vary takes %d generations", n)
	}
	failing := func(p search.Proposal) search.Trial { return search.Trial{Proposal: p} }
	if n := len(play(t, mustNew(t, refined(2, 3, 0.01, 30)), failing)); n != 1 {
		t.Errorf("failures take %d generations", n)
	}
}

// Candidates are all the same; the one that looks best under the seeds that
// chose it looks like the others under fresh ones.
func TestConfirmationIsFreeOfTheLuckThatChoseTheBest(t *testing.T) {
	const runs = 300
	chosen, confirmed := 0.0, 0.0
	for run := range runs {
		p := problemOf(search.Grid, spaceOf(stepped("candidate", "1", "20", "1")), 20)
		p.Seeds, p.Settings.Confirm, p.Baseline = 5, 8, search.Values{"3"}
		told := play(t, mustNew(t, p), func(p search.Proposal) search.Trial {
			return sampled(p, func(c float64, seed int) float64 { return normal(run, c, seed) })
		})
		last := told[len(told)-1]
		if len(told) != 2 || last[0].Effort != (search.Effort{Share: 1, First: 5, Seeds: 8}) {
			t.Fatalf("generations end with %v", last[0].Proposal)
		}
		if n := len(last); n > 2 || last[n-1].Point[0] != "3" {
			t.Fatalf("confirmed are %v", last)
		}
		for _, trial := range told[0] {
			if trial.Point[0] == last[0].Point[0] {
				chosen += trial.Losses()[0] / runs
			}
		}
		confirmed += last[0].Losses()[0] / runs
	}
	t.Logf("the best of 20 equals: %.3f under the seeds that chose it, %.3f under fresh ones", chosen, confirmed)
	if chosen > -0.7 || math.Abs(confirmed) > 4/math.Sqrt(8*runs) {
		t.Errorf("means %v and %v", chosen, confirmed)
	}
}

func TestOfCandidatesThatAreEqualTheBaselineIsConfirmed(t *testing.T) {
	p := problemOf(search.Grid, spaceOf(stepped("candidate", "1", "5", "1")), 5)
	p.Seeds, p.Settings.Confirm, p.Baseline = 2, 3, search.Values{"4"}
	told := play(t, mustNew(t, p), func(p search.Proposal) search.Trial {
		return sampled(p, func(c float64, _ int) float64 { return math.Abs(c - 3.5) })
	})
	last := told[len(told)-1]
	if len(told) != 2 || len(last) != 1 || last[0].Point[0] != "4" {
		t.Errorf("%d generations, the last one %v", len(told), last)
	}
}

func TestNothingIsConfirmedWhereAllFailed(t *testing.T) {
	p := problemOf(search.Grid, spaceOf(stepped("candidate", "1", "20", "1")), 20)
	p.Settings.Confirm = 3
	failing := func(p search.Proposal) search.Trial { return search.Trial{Proposal: p} }
	if n := len(play(t, mustNew(t, p), failing)); n != 1 {
		t.Errorf("%d generations", n)
	}
}

func TestSettingsAtTheEndOfASearchAreChecked(t *testing.T) {
	p := refined(3, 5, 1, 4)
	p.Settings.Confirm = 1
	want := []string{
		"FieldValueInvalid at spec.replications.precision: must lie between 0 and 100 %",
		"FieldValueInvalid at spec.replications.maxCount: must be at least 5, the seeds that every point gets",
		"FieldValueInvalid at spec.search.confirm: must be at least 2: one seed does not show the spread",
	}
	_, errs := search.New(p, path)
	if diff := cmp.Diff(want, lines(errs)); diff != "" {
		t.Errorf("errors (−want +got):\n%s", diff)
	}
}

// All that is wrapped around an algorithm, at once, cut off anywhere.
func TestWrappedSearchesGoOnWhereTheyWereCutOff(t *testing.T) {
	for _, algorithm := range []search.Name{search.Grid, search.Random, search.SuccessiveHalving, search.Hyperband, search.NSGA2} {
		p := raced(30)
		p.Settings.Algorithm, p.Settings.Generation = algorithm, 8
		p.Baseline = search.Values{"17"}
		p.Settings.Precision = &search.PrecisionSettings{Relative: 0.01, MaxSeeds: 40}
		p.Settings.Confirm = 4
		try := func(p search.Proposal) search.Trial {
			if p.Point[0] == "5" {
				return search.Trial{Proposal: p}
			}
			return sampled(p, func(c float64, seed int) float64 {
				return 40 + math.Abs(c-11)/3 + 5*normal(seed) + normal(c, seed)
			})
		}
		told := play(t, mustNew(t, p), try)
		for i, generation := range told {
			resumed := mustNew(t, p)
			for _, trials := range told[:i] {
				resumed.Tell(trials)
			}
			var got, want []search.Proposal
			for _, trial := range generation {
				want = append(want, trial.Proposal)
			}
			got = append(got, resumed.Ask()...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: generation %d (−want +got):\n%s", algorithm, i, diff)
			}
		}
		first := told[len(told)-1][0]
		if first.Effort.Seeds != 4 || first.Effort.First < 20 {
			t.Errorf("%s: the search ends with %v after %d generations", algorithm, first.Proposal, len(told))
		}
	}
}
