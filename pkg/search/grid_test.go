// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

// problemOf is a problem with one objective and one seed.
func problemOf(algorithm search.Name, s search.Space, maxTrials int) search.Problem {
	return search.Problem{
		Space: s, Objectives: 1, Seeds: 1,
		Settings: search.Settings{Algorithm: algorithm, Seed: 1, MaxTrials: maxTrials},
	}
}

func mustNew(t testing.TB, p search.Problem) search.Algorithm {
	t.Helper()
	a, errs := search.New(p, path)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return a
}

// generation asks for the points of a generation, and tells a loss for each.
func generation(a search.Algorithm) []search.Values {
	var points []search.Values
	var trials []search.Trial
	for i, p := range a.Ask() {
		points = append(points, p.Point)
		trials = append(trials, search.Trial{Proposal: p, Samples: [][]float64{{float64(i)}}})
	}
	a.Tell(trials)
	return points
}

// allPoints asks until there is nothing more.
func allPoints(a search.Algorithm) []search.Values {
	var all []search.Values
	for {
		points := generation(a)
		if len(points) == 0 {
			return all
		}
		all = append(all, points...)
	}
}

func TestGridGoesThroughItsPointsLikeNestedLoops(t *testing.T) {
	space := spaceOf(choice("router", "load", "prefix"), stepped("weight", "0", "1", "0.5"), choice("seed", "7"))
	want := []search.Values{
		{"load", "0", "7"}, {"load", "0.5", "7"}, {"load", "1", "7"},
		{"prefix", "0", "7"}, {"prefix", "0.5", "7"}, {"prefix", "1", "7"},
	}
	g := mustNew(t, problemOf(search.Grid, space, 6))
	if diff := cmp.Diff(want, generation(g)); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
	if more := g.Ask(); len(more) != 0 {
		t.Errorf("the grid goes on with %v", more)
	}
}

func TestGridInGenerationsGivesTheSamePoints(t *testing.T) {
	p := problemOf(search.Grid, spaceOf(stepped("a", "0", "1", "0.1"), stepped("b", "-3", "3", "1")), 77)
	want := allPoints(mustNew(t, p))
	p.Settings.Generation = 5
	g := mustNew(t, p)
	if n := len(g.Ask()); n != 5 {
		t.Errorf("a generation of %d", n)
	}
	if diff := cmp.Diff(want, allPoints(g)); diff != "" || len(want) != 77 {
		t.Errorf("%d points (−want +got):\n%s", len(want), diff)
	}
}

func TestAParameterThatDoesNotExistHasNoValueAndMakesNoPoints(t *testing.T) {
	space := spaceOf(
		choice("picker", "max", "weighted", "random"),
		when(stepped("temperature", "1", "3", "1"), "picker", "weighted"),
		when(choice("ties", "first", "any"), "temperature", "3.0"),
	)
	want := []search.Values{
		{"max", "", ""},
		{"weighted", "1", ""}, {"weighted", "2", ""}, {"weighted", "3", "first"}, {"weighted", "3", "any"},
		{"random", "", ""},
	}
	if diff := cmp.Diff(want, allPoints(mustNew(t, problemOf(search.Grid, space, 6)))); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
	for _, p := range want {
		if err := space.Contains(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	if size, exact := space.Size(); size != 18 || exact {
		t.Errorf("size %d, exact %v", size, exact)
	}
}

func TestWhatAGridCannotEnumerateIsRefusedWithAdvice(t *testing.T) {
	const advice = "a grid needs the distance of neighbouring values; or search at random"
	const fewer = "; raise maxTrials, take larger steps, or use algorithm Random"
	tests := map[string]struct {
		space search.Space
		want  []string
	}{
		"ranges without a step": {
			spaceOf(choice("a", "x"), continuous("b", "0", "1"), integer("c", "0", "9")),
			[]string{
				"FieldValueRequired at spec.parameters[1].range.step: " + advice,
				"FieldValueRequired at spec.parameters[2].range.step: " + advice,
			},
		},
		"what no algorithm takes": {
			spaceOf(choice("a"), stepped("b", "0", "1", "")),
			[]string{
				"FieldValueRequired at spec.parameters[0].values: there must be a value to choose",
				"FieldValueRequired at spec.parameters[1].range.step: must be a decimal number, such as \"2.5\"",
			},
		},
		"more points than asked for": {
			spaceOf(stepped("a", "1", "101", "1")),
			[]string{"FieldValueInvalid at spec.search.maxTrials: the grid has 101 points" + fewer},
		},
		"more points than can be counted": {
			spaceOf(stepped("a", "1", "4294967296", "1"), stepped("b", "1", "4294967296", "1")),
			[]string{"FieldValueInvalid at spec.search.maxTrials: the grid has 4294967296 × 4294967296 points" + fewer},
		},
		"more points than asked for, some of them conditional": {
			spaceOf(choice("a", "x", "y"), when(stepped("b", "1", "100", "1"), "a", "y")),
			[]string{"FieldValueInvalid at spec.search.maxTrials: the grid has 200 combinations; after conditions and rules there are too many points, or too few to find by sampling" + fewer},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			g, errs := search.New(problemOf(search.Grid, tc.space, 100), path)
			if diff := cmp.Diff(tc.want, lines(errs)); diff != "" || g != nil {
				t.Errorf("grid %v, errors (−want +got):\n%s", g, diff)
			}
		})
	}
}

func BenchmarkGrid(b *testing.B) {
	b.ReportAllocs()
	p := problemOf(search.Grid, spaceOf(stepped("a", "1", "5000", "1"), stepped("b", "0", "4.5", "0.5"), choice("c", "x", "y")), 100_000)
	for b.Loop() {
		mustNew(b, p).Ask()
	}
}

func ExampleNew() {
	grid, errs := search.New(search.Problem{
		Space: search.Space{Parameters: []search.Parameter{
			{Name: "weight", Kind: search.Stepped, Min: "0", Max: "1", Step: "0.5"},
			{Name: "picker", Kind: search.Choice, Choices: []string{"max", "random"}},
		}},
		Objectives: 1,
		Seeds:      3,
		Settings:   search.Settings{Algorithm: search.Grid, MaxTrials: 100, Generation: 3},
	}, nil)
	if len(errs) > 0 {
		fmt.Println(errs.ToAggregate())
		return
	}
	for _, proposal := range grid.Ask() {
		fmt.Println(proposal.Point, proposal.Effort.Seeds)
	}
	// Output:
	// [0 max] 3
	// [0 random] 3
	// [0.5 max] 3
}
