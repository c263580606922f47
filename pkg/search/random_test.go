// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

func mustRandom(t testing.TB, s search.Space, seed int64, maxTrials int) *search.Random {
	t.Helper()
	r, errs := search.NewRandom(s, seed, maxTrials, path)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return r
}

var mixed = search.Space{
	continuous("weight", "0", "5"),
	logarithmic(continuous("threshold", "0.001", "10")),
	logarithmic(integer("sequences", "16", "4096")),
	stepped("load", "0", "1", "0.25"),
	choice("picker", "max", "random"),
}

func TestRandomAskedInPartsGivesTheSamePoints(t *testing.T) {
	small := search.Space{integer("a", "1", "5"), choice("b", "x", "y", "z")}
	for name, space := range map[string]search.Space{"wide": mixed, "nearly used up": small} {
		want := mustRandom(t, space, 1, 40).Ask(40)
		parts := mustRandom(t, space, 1, 40)
		var got []search.Point
		for range 8 {
			got = append(got, parts.Ask(5)...)
			parts.Tell([]search.Trial{{Point: got[0]}})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: points (−want +got):\n%s", name, diff)
		}
	}
}

func TestRandomNeverGivesAPointTwiceAndEndsWithTheSpace(t *testing.T) {
	small := search.Space{
		logarithmic(integer("a", "1", "40")), stepped("b", "0", "1", "0.1"), choice("c", "x", "y"),
		logarithmic(continuous("d", "0.999998", "1.00001")),
	}
	grid := search.Space{stepped("a", "1", "40", "1"), small[1], small[2], choice("d", "0.999998", "0.999999", "1", "1.00001")}
	var want, got []string
	for _, p := range mustGrid(t, grid).Ask(10_000) {
		want = append(want, fmt.Sprint(p))
	}
	for _, p := range mustRandom(t, small, 3, 10_000).Ask(10_000) {
		got = append(got, fmt.Sprint(p))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("all points of the space (−want +got):\n%s", diff)
	}
}

func TestRandomStopsAtMaxTrials(t *testing.T) {
	r := mustRandom(t, mixed, 1, 7)
	if n := len(r.Ask(5)) + len(r.Ask(5)) + len(r.Ask(5)); n != 7 {
		t.Errorf("%d points, want 7", n)
	}
	if n := len(mustRandom(t, mixed, 1, 0).Ask(5)); n != 0 {
		t.Errorf("%d points, want none", n)
	}
}

func TestRandomPointsLieInTheSpace(t *testing.T) {
	for _, p := range mustRandom(t, mixed, 1, 500).Ask(500) {
		for i, value := range p[:4] {
			if canonical, err := search.CanonicalDecimal(value); err != nil || canonical != value {
				t.Fatalf("%s is %q, canonically %q: %v", mixed[i].Name, value, canonical, err)
			}
		}
		if !slices.Contains([]string{"0", "0.25", "0.5", "0.75", "1"}, p[3]) || !slices.Contains(mixed[4].Choices, p[4]) {
			t.Fatalf("point %v", p)
		}
	}
}

// Without replacement: what comes first must not favour any point.
func TestEveryPointIsEquallyLikelyToComeFirstAndLast(t *testing.T) {
	space := search.Space{integer("a", "1", "3"), choice("b", "x", "y")}
	const n = 3000
	first, last := map[string]float64{}, map[string]float64{}
	for seed := range int64(n) {
		points := mustRandom(t, space, seed, 10).Ask(10)
		first[fmt.Sprint(points[0])]++
		last[fmt.Sprint(points[5])]++
	}
	for _, p := range mustGrid(t, search.Space{stepped("a", "1", "3", "1"), space[1]}).Ask(6) {
		for when, counts := range map[string]map[string]float64{"first": first, "last": last} {
			if count := counts[fmt.Sprint(p)]; math.Abs(count-n/6) > 4*math.Sqrt(n*5./36) {
				t.Errorf("%v came %s %v times of %d", p, when, count, n)
			}
		}
	}
}

// Names of points go into keys of results: they must not change.
func TestRandomPointsArePinned(t *testing.T) {
	want := []search.Point{
		{"2.58933", "0.0109116", "91", "0.25", "random"},
		{"0.49589", "0.816031", "3355", "1", "max"},
		{"4.77145", "8.4401", "2535", "0.75", "random"},
	}
	if diff := cmp.Diff(want, mustRandom(t, mixed, 1, 3).Ask(3)); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
}

func TestSeedsGiveOtherPoints(t *testing.T) {
	one, two := mustRandom(t, mixed, 1, 3).Ask(3), mustRandom(t, mixed, 2, 3).Ask(3)
	if cmp.Equal(one, two) {
		t.Errorf("seeds 1 and 2 both give %v", one)
	}
}

func BenchmarkRandomAsk(b *testing.B) {
	b.ReportAllocs()
	r := mustRandom(b, mixed, 1, math.MaxInt)
	for b.Loop() {
		r.Ask(1)
	}
}
