// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// letters is a genome of texts: a change sets one letter, a cross takes one from the father.
type letters struct{ first string }

func (l letters) First() search.Value { return l.first }

func (l letters) Child(mother, father search.Value, changes int, s *stats.Stream) (search.Value, []string) {
	child := []byte(mother)
	var changed []string
	for range changes {
		i, to := s.IntN(len(child)), byte('a'+s.IntN(26))
		if s.IntN(4) == 0 {
			to = father[i]
		}
		if child[i] != to {
			changed = append(changed, fmt.Sprintf("%d: %c → %c", i, child[i], to))
			child[i] = to
		}
	}
	return string(child), changed
}

func evolved(first string) search.Parameter {
	return search.Parameter{Name: "word", Kind: search.Evolved, Genome: letters{first}}
}

// spelling is how far a word is from another one; the feature is its first letter.
func spelling(target string) func(search.Proposal) search.Trial {
	return func(p search.Proposal) search.Trial {
		loss := 0.0
		for i := range target {
			loss += float64(max(int(target[i])-int(p.Point[0][i]), int(p.Point[0][i])-int(target[i])))
		}
		if len(p.Point) > 1 {
			loss += numberOf(p.Point, 1)
		}
		t := outcome(p, loss)
		t.Features = []float64{float64(p.Point[0][0])}
		return t
	}
}

// islandProblems are searches with islands: over numbers, over texts, and over both.
func islandProblems() map[string]search.Problem {
	problems := map[string]search.Problem{}
	for name, space := range map[string]search.Space{
		"numbers": peculiar, "texts": spaceOf(evolved("zzzzz")),
		"both": ruled(spaceOf(evolved("zzzzz"), continuous("x", "0", "8"), choice("c", "u", "v")), `x < 6.0 || c == "u"`),
	} {
		p := problemOf(search.MAPElites, space, 300)
		p.Settings.Islands = search.IslandSettings{Count: 3, MigrateEvery: 4}
		p.Settings.Features = []search.Feature{{Min: 'a', Max: 'z', Bins: 5}}
		if name == "numbers" {
			p.Objectives = 2
			p.Settings.Features = []search.Feature{{Min: 0, Max: 1, Bins: 6}, {Min: 0, Max: 1, Bins: 6}}
		}
		problems[name] = p
	}
	return problems
}

func playIslands(t *testing.T, name string, a search.Algorithm) [][]search.Trial {
	if name == "numbers" {
		return play(t, a, peculiarTrial)
	}
	return play(t, a, spelling("hello"))
}

func TestIslandsGoOnFromWhatTheyWereTold(t *testing.T) {
	for name, p := range islandProblems() {
		told := playIslands(t, name, mustNew(t, p))
		for cut := range told {
			resumed := mustNew(t, p)
			for _, trials := range told[:cut] {
				resumed.Tell(trials)
			}
			var want []search.Proposal
			for _, trial := range told[cut] {
				want = append(want, trial.Proposal)
			}
			if diff := cmp.Diff(want, resumed.Ask()); diff != "" {
				t.Fatalf("%s: generation %d (−want +got):\n%s", name, cut, diff)
			}
		}
	}
}

func TestIslandsTryEachPointOnceAndNoMoreThanTheyMay(t *testing.T) {
	for name, p := range islandProblems() {
		seen := map[string]bool{}
		for _, trials := range playIslands(t, name, mustNew(t, p)) {
			for _, trial := range trials {
				key := strings.Join(trial.Point, ",")
				if seen[key] {
					t.Errorf("%s: %s comes twice", name, key)
				}
				seen[key] = true
			}
		}
		if len(seen) != p.Settings.MaxTrials {
			t.Errorf("%s: %d points of %d", name, len(seen), p.Settings.MaxTrials)
		}
	}
}

func TestEvolvedTextsComeToTheirTarget(t *testing.T) {
	var best, random []float64
	for seed := range int64(10) {
		p := islandProblems()["texts"]
		p.Settings.Seed = seed
		least := 1e9
		for _, trials := range play(t, mustNew(t, p), spelling("hello")) {
			for _, trial := range trials {
				least = min(least, trial.Losses()[0])
			}
		}
		best = append(best, least)
		s, blind := stats.NewStream(seed, "blind"), 1e9
		for range p.Settings.MaxTrials {
			word, _ := letters{}.Child("zzzzz", "zzzzz", 8, s)
			drawn := spelling("hello")(search.Proposal{Point: search.Values{word}, Effort: search.Effort{Share: 1, Seeds: 1}})
			blind = min(blind, drawn.Losses()[0])
		}
		random = append(random, blind)
	}
	checkBetter(t, "distance", best, random)
}

func TestOriginsLeadToTheFirstValue(t *testing.T) {
	a := mustNew(t, islandProblems()["texts"])
	told := play(t, a, spelling("hello"))
	origins, ok := search.As[interface {
		Origin(search.Values) (search.Origin, bool)
	}](a)
	if !ok {
		t.Fatal("no origins")
	}
	if first := told[0][0].Point[0]; first != "zzzzz" {
		t.Errorf("the first point is %q", first)
	}
	islands := map[int]int{}
	for number, trials := range told {
		for _, trial := range trials {
			from, known := origins.Origin(trial.Point)
			if !known || from.Generation != number {
				t.Fatalf("%q is of generation %d, not %d", trial.Point, from.Generation, number)
			}
			islands[from.Island]++
			for p, steps := trial.Point, 0; p[0] != "zzzzz"; steps++ {
				of, _ := origins.Origin(p)
				if p = of.Parent; len(of.Changes) == 0 || steps > len(told) {
					t.Fatalf("%q has no line to the first value", trial.Point)
				}
			}
		}
	}
	if len(islands) != 3 || islands[0] != 100 || islands[2] != 100 {
		t.Errorf("points by island: %v", islands)
	}
}

func TestFaultsOfIslandsAndOfWhatEvolves(t *testing.T) {
	few := problemOf(search.MAPElites, spaceOf(evolved("a")), 100)
	few.Settings.Features = []search.Feature{{Min: 0, Max: 1, Bins: 2}}
	few.Settings.Islands.Count, few.Settings.Generation = 4, 3
	other := problemOf(search.TPE, spaceOf(evolved("a"), continuous("x", "0", "1")), 100)
	_, errs := search.New(few, path)
	_, more := search.New(other, path)
	other.Space = ruled(other.Space, "word < 3")
	_, ruledErrs := search.New(other, path)
	want := []string{
		"FieldValueInvalid at spec.search.generationSize: must be at least the number of islands, 4",
		"FieldValueInvalid at spec.search.algorithm: must be MAPElites, since a parameter evolves",
		"FieldValueInvalid at spec.rules[0].expression: column 1: parameter \"word\" evolves, so its values are no numbers and no labels",
	}
	got := lines(append(append(errs, more...), ruledErrs...))
	if diff := cmp.Diff(want, got[:min(3, len(got))]); diff != "" {
		t.Errorf("errors (−want +got):\n%s", diff)
	}
}
