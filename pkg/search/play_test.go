// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/ranktest"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// play plays a search to its end and returns its generations.
func play(t testing.TB, a search.Algorithm, try func(search.Proposal) search.Trial) [][]search.Trial {
	t.Helper()
	var told [][]search.Trial
	for {
		proposals := a.Ask()
		if len(proposals) == 0 {
			return told
		}
		if len(told) > 1000 {
			t.Fatal("the search does not end")
		}
		trials := make([]search.Trial, len(proposals))
		for i, p := range proposals {
			trials[i] = try(p)
		}
		a.Tell(trials)
		told = append(told, trials)
	}
}

// numberOf returns the value of a parameter as a number, 0 where it does not
// exist.
func numberOf(p search.Values, i int) float64 {
	x, _ := strconv.ParseFloat(p[i], 64)
	return x
}

// outcome is a trial with the same samples for all of its seeds.
func outcome(p search.Proposal, losses ...float64) search.Trial {
	t := search.Trial{Proposal: p}
	for range p.Effort.Seeds {
		t.Samples = append(t.Samples, losses)
	}
	return t
}

// noiseOf is a standard normal number that a seed gives a point.
func noiseOf(p search.Values, seed int) float64 {
	name := strconv.Itoa(seed)
	for _, v := range p {
		name += "/" + v
	}
	return stats.NewStream(1, name).Normal()
}

// peculiar is a space with everything: scales, choices, a chain of conditions,
// rules.
var peculiar = ruled(spaceOf(
	choice("picker", "max", "random", "weighted"),
	when(continuous("temperature", "0.1", "2"), "picker", "weighted"),
	logarithmic(integer("sequences", "16", "4096")),
	when(choice("mode", "soft", "hard"), "picker", "weighted", "random"),
	when(stepped("share", "0", "1", "0.25"), "mode", "soft"),
	logarithmic(continuous("rate", "0.5", "64")),
), "share * 200 <= sequences", `picker != "max" || sequences < 2000`)

// peculiarTrial has two objectives, constraints, features, a claim that breaks
// at a rate of about 10, and now and then a failure.
func peculiarTrial(p search.Proposal) search.Trial {
	x := numberOf(p.Point, 1) + numberOf(p.Point, 4)
	y := numberOf(p.Point, 2) / 4096
	t := search.Trial{Proposal: p, Features: []float64{y, x / 3}}
	for i := range p.Effort.Seeds {
		e := 0.05 * noiseOf(p.Point, p.Effort.First+i)
		t.Samples = append(t.Samples, []float64{x + e, 1 - y*x - e})
	}
	switch rate := numberOf(p.Point, 5); {
	case rate < 9:
		t.Claim = search.Holds
	case rate > 11:
		t.Claim = search.Breaks
	}
	t.Excess = max(0, y-0.8)
	if noiseOf(p.Point, -1) > 1.3 { // about 10 %
		t.Samples = nil
	}
	return t
}

// peculiarProblems have an algorithm each.
func peculiarProblems() map[search.Name]search.Problem {
	problems := map[search.Name]search.Problem{}
	for _, name := range []search.Name{search.SuccessiveHalving, search.Hyperband, search.NSGA2, search.MAPElites} {
		problems[name] = problemOf(name, peculiar, 150)
	}
	space := search.Space{Parameters: slices.Clone(peculiar.Parameters), Rules: peculiar.Rules}
	space.Parameters[1] = when(stepped("temperature", "0.5", "2", "0.5"), "picker", "weighted")
	space.Parameters[2] = stepped("sequences", "64", "256", "64")
	problems[search.Capacity] = problemOf(search.Capacity, space, 2000)
	for name, p := range problems {
		p.Objectives = 2
		p.Settings.Seed = 5
		p.Settings.Features = []search.Feature{{Min: 0, Max: 1, Bins: 6}, {Min: 0, Max: 1, Bins: 6}}
		p.Settings.Capacity.Load = "rate"
		problems[name] = p
	}
	return problems
}

func TestSearchesGoOnFromWhatTheyWereTold(t *testing.T) {
	for name, p := range peculiarProblems() {
		t.Run(string(name), func(t *testing.T) {
			told := play(t, mustNew(t, p), peculiarTrial)
			if len(told) < 3 {
				t.Fatalf("%d generations show nothing", len(told))
			}
			for cut := range told {
				resumed := mustNew(t, p)
				for _, trials := range told[:cut] {
					resumed.Tell(trials)
				}
				var want []search.Proposal
				for _, trial := range told[cut] {
					want = append(want, trial.Proposal)
				}
				for range 2 {
					if diff := cmp.Diff(want, resumed.Ask()); diff != "" {
						t.Fatalf("generation %d (−want +got):\n%s", cut, diff)
					}
				}
			}
		})
	}
}

func TestSearchesStayInTheSpaceAndWithinMaxTrials(t *testing.T) {
	for name, p := range peculiarProblems() {
		t.Run(string(name), func(t *testing.T) {
			points, efforts := map[string]bool{}, map[string]bool{}
			for _, trials := range play(t, mustNew(t, p), peculiarTrial) {
				for _, trial := range trials {
					if err := p.Space.Contains(trial.Point); err != nil {
						t.Errorf("%q %v", trial.Point, err)
					}
					point := strings.Join(trial.Point, ",")
					effort := stringOf(trial.Proposal)
					if efforts[effort] {
						t.Errorf("%s is proposed twice", effort)
					}
					points[point], efforts[effort] = true, true
				}
			}
			if n := len(points); n > p.Settings.MaxTrials {
				t.Errorf("%d points of %d", n, p.Settings.MaxTrials)
			}
		})
	}
}

func TestSearchesEndWithASpaceThatIsUsedUp(t *testing.T) {
	for _, name := range []search.Name{search.SuccessiveHalving, search.Hyperband, search.NSGA2, search.MAPElites} {
		p := problemOf(name, spaceOf(stepped("a", "1", "5", "1"), when(choice("b", "x", "y", "z"), "a", "2", "3")), 100)
		p.Settings.Features = []search.Feature{{Min: 0, Max: 1, Bins: 6}}
		points := map[string]bool{}
		for _, trials := range play(t, mustNew(t, p), func(p search.Proposal) search.Trial {
			trial := outcome(p, numberOf(p.Point, 0))
			trial.Features = []float64{0.5}
			return trial
		}) {
			for _, trial := range trials {
				points[strings.Join(trial.Point, ",")] = true
			}
		}
		if len(points) != 9 {
			t.Errorf("%s: %d points of 9", name, len(points))
		}
	}
}

func TestSearchesEndWhereEveryTrialFails(t *testing.T) {
	for name, p := range peculiarProblems() {
		a := mustNew(t, p)
		play(t, a, func(p search.Proposal) search.Trial { return search.Trial{Proposal: p} })
		if a, ok := search.As[interface{ Elites() []search.Elite }](a); ok && len(a.Elites()) > 0 {
			t.Errorf("%s: %d elites", name, len(a.Elites()))
		}
		if a, ok := search.As[interface{ Brackets() []search.Bracket }](a); ok {
			for _, b := range a.Brackets() {
				if b.Holds != "" || b.Breaks != "0.5" || !b.Undecided {
					t.Errorf("%+v", b)
				}
			}
		}
	}
}

// Names of points go into keys of results: they must not change.
func TestSearchesArePinned(t *testing.T) {
	want := map[search.Name]string{
		search.Capacity:          `19 generations, 1454 trials, 45793edaccc1937a, the last ["weighted" "2" "256" "soft" "1" "13.4543"] {1 0 1}`,
		search.Hyperband:         `3 generations, 199 trials, 26db3b1e12d52f9d, the last ["random" "" "153" "hard" "" "52.726"] {1 0 1}`,
		search.MAPElites:         `13 generations, 150 trials, bc0c8f0d3eca9f6d, the last ["weighted" "1.05744" "103" "soft" "0" "1.25419"] {1 0 1}`,
		search.NSGA2:             `13 generations, 150 trials, abeed2eee510fc1c, the last ["weighted" "0.88203" "67" "soft" "0.25" "1.39602"] {1 0 1}`,
		search.SuccessiveHalving: `3 generations, 216 trials, 451b68de1202fbaf, the last ["random" "" "29" "hard" "" "3.38457"] {1 0 1}`,
	}
	got := map[search.Name]string{}
	for name, p := range peculiarProblems() {
		told := play(t, mustNew(t, p), peculiarTrial)
		var proposals []string
		for _, trial := range slices.Concat(told...) {
			proposals = append(proposals, stringOf(trial.Proposal))
		}
		got[name] = fmt.Sprintf("%d generations, %d trials, %016x, the last %s", len(told), len(proposals),
			stats.HashString(strings.Join(proposals, " ")), proposals[len(proposals)-1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("searches (−want +got):\n%s", diff)
	}
}

func stringOf(p search.Proposal) string { return fmt.Sprintf("%q %v", p.Point, p.Effort) }

// checkBetter fails where one of two lists is not clearly the lesser, by
// Wilcoxon's test of their pairs at a level of 1 %.
func checkBetter(t *testing.T, name string, less, more []float64) {
	t.Helper()
	p := ranktest.WilcoxonP(more, less)
	t.Logf("%s: medians %.4g against %.4g, p %.2g", name, median(less), median(more), p)
	if p > 0.01 {
		t.Errorf("%s: not better", name)
	}
}

func median(xs []float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
