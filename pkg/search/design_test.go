// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

var designs = []search.Name{search.Random, search.Sobol, search.LatinHypercube}

func TestDesignsGiveEveryPointOnceAndEndWithTheSpace(t *testing.T) {
	space := spaceOf(logarithmic(integer("a", "1", "40")), stepped("b", "0", "1", "0.1"),
		choice("c", "x", "y"), when(stepped("d", "1", "3", "1"), "c", "y"))
	space = ruled(space, "a * b < 30")
	var want []string
	grid := spaceOf(stepped("a", "1", "40", "1"), space.Parameters[1], space.Parameters[2], space.Parameters[3])
	for _, p := range allPoints(mustNew(t, problemOf(search.Grid, ruled(grid, "a * b < 30"), 10_000))) {
		want = append(want, fmt.Sprint(p))
	}
	slices.Sort(want)
	for _, name := range designs {
		var got []string
		p := problemOf(name, space, 10_000)
		p.Settings.Generation = 500
		for _, p := range allPoints(mustNew(t, p)) {
			if err := space.Contains(p); err != nil {
				t.Fatalf("%s: %q: %v", name, p, err)
			}
			got = append(got, fmt.Sprint(p))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: all points of the space (−want +got):\n%s", name, diff)
		}
	}
}

// What was asked before must not matter, only what was told.
func TestDesignsGoOnWhereTheyWereCutOff(t *testing.T) {
	for _, name := range designs {
		p := problemOf(name, mixed, 40)
		p.Settings.Generation = 7
		whole, told := mustNew(t, p), [][]search.Trial{}
		for len(whole.Ask()) > 0 {
			resumed := mustNew(t, p)
			for _, trials := range told {
				resumed.Tell(trials)
			}
			if diff := cmp.Diff(whole.Ask(), resumed.Ask()); diff != "" {
				t.Fatalf("%s: generation %d (−want +got):\n%s", name, len(told), diff)
			}
			var trials []search.Trial
			for _, proposal := range whole.Ask() {
				trials = append(trials, search.Trial{Proposal: proposal})
			}
			whole.Tell(trials)
			told = append(told, trials)
		}
		if len(told) != 6 {
			t.Errorf("%s: %d generations", name, len(told))
		}
	}
}

func TestDesignsStopAtMaxTrials(t *testing.T) {
	for _, name := range designs {
		p := problemOf(name, mixed, 7)
		p.Settings.Generation = 5
		if n := len(allPoints(mustNew(t, p))); n != 7 {
			t.Errorf("%s: %d points, want 7", name, n)
		}
	}
}

// Names of points go into keys of results: they must not change.
func TestDesignsArePinned(t *testing.T) {
	want := map[search.Name][]search.Values{
		search.Random: {
			{"3.65611", "0.00189378", "226", "0.25", "max"},
			{"3.73631", "0.00100138", "2284", "0.5", "random"},
			{"3.6492", "0.00176299", "706", "0.75", "max"},
		},
		search.Sobol: {
			{"0.35486", "0.00244758", "178", "0.5", "max"},
			{"3.26477", "0.737901", "752", "0.25", "random"},
			{"4.41144", "0.0287995", "52", "1", "random"},
		},
		search.LatinHypercube: {
			{"1.66994", "0.36767", "2019", "0.5", "random"},
			{"4.98985", "2.21114", "23", "0", "max"},
			{"1.15999", "0.0151295", "176", "0.75", "random"},
		},
	}
	got := map[search.Name][]search.Values{}
	for _, name := range designs {
		got[name] = allPoints(mustNew(t, problemOf(name, mixed, 3)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
}

func TestSobolRefusesMoreParametersThanItHasDimensions(t *testing.T) {
	var space search.Space
	for i := range 38 {
		space.Parameters = append(space.Parameters, continuous(fmt.Sprint("p", i), "0", "1"))
	}
	_, errs := search.New(problemOf(search.Sobol, space, 10), path)
	want := []string{"FieldValueTooMany at spec.parameters: must have at most 37 items"}
	if diff := cmp.Diff(want, lines(errs)); diff != "" {
		t.Errorf("errors (−want +got):\n%s", diff)
	}
	space.Parameters = space.Parameters[:37]
	if n := len(allPoints(mustNew(t, problemOf(search.Sobol, space, 10)))); n != 10 {
		t.Errorf("%d points", n)
	}
}

func BenchmarkDesigns(b *testing.B) {
	for _, name := range designs {
		b.Run(string(name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustNew(b, problemOf(name, mixed, 1000)).Ask()
			}
		})
	}
}
