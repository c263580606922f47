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

// randomPoints are the points of a random search, in one generation.
func randomPoints(t testing.TB, s search.Space, seed int64, maxTrials int) []search.Values {
	t.Helper()
	p := problemOf(search.Random, s, maxTrials)
	p.Settings.Seed = seed
	return generation(mustNew(t, p))
}

var mixed = spaceOf(
	continuous("weight", "0", "5"),
	logarithmic(continuous("threshold", "0.001", "10")),
	logarithmic(integer("sequences", "16", "4096")),
	stepped("load", "0", "1", "0.25"),
	choice("picker", "max", "random"),
)

func TestRandomNeverGivesAPointTwiceAndEndsWithTheSpace(t *testing.T) {
	b, c := stepped("b", "0", "1", "0.1"), choice("c", "x", "y")
	small := spaceOf(logarithmic(integer("a", "1", "40")), b, c, logarithmic(continuous("d", "0.999998", "1.00001")))
	grid := spaceOf(stepped("a", "1", "40", "1"), b, c, choice("d", "0.999998", "0.999999", "1", "1.00001"))
	var want, got []string
	for _, p := range allPoints(mustNew(t, problemOf(search.Grid, grid, 10_000))) {
		want = append(want, fmt.Sprint(p))
	}
	for _, p := range randomPoints(t, small, 3, 10_000) {
		got = append(got, fmt.Sprint(p))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("all points of the space (−want +got):\n%s", diff)
	}
}

func TestRandomPointsLieInTheSpace(t *testing.T) {
	for _, p := range randomPoints(t, mixed, 1, 500) {
		if err := mixed.Contains(p); err != nil {
			t.Fatalf("point %v: %v", p, err)
		}
	}
}

// Without replacement: what comes first must not favour any point.
func TestEveryPointIsEquallyLikelyToComeFirstAndLast(t *testing.T) {
	space := spaceOf(integer("a", "1", "3"), choice("b", "x", "y"))
	const n = 3000
	first, last := map[string]float64{}, map[string]float64{}
	for seed := range int64(n) {
		points := randomPoints(t, space, seed, 10)
		first[fmt.Sprint(points[0])]++
		last[fmt.Sprint(points[5])]++
	}
	for _, p := range allPoints(mustNew(t, problemOf(search.Grid, spaceOf(stepped("a", "1", "3", "1"), space.Parameters[1]), 6))) {
		for when, counts := range map[string]map[string]float64{"first": first, "last": last} {
			if count := counts[fmt.Sprint(p)]; math.Abs(count-n/6) > 4*math.Sqrt(n*5./36) {
				t.Errorf("%v came %s %v times of %d", p, when, count, n)
			}
		}
	}
}

func TestSeedsGiveOtherPoints(t *testing.T) {
	one, two := randomPoints(t, mixed, 1, 3), randomPoints(t, mixed, 2, 3)
	if cmp.Equal(one, two) {
		t.Errorf("seeds 1 and 2 both give %v", one)
	}
}
