// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

// armTrial reaches with an arm of many joints: the features are where its end
// is, the loss is how unequal the angles are. Random angles hardly ever reach
// far.
func armTrial(p search.Proposal) search.Trial {
	n := float64(len(p.Point))
	x, y, angle, sum, squares := 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range p.Point {
		turn := (numberOf(p.Point, i) - 0.5) * 2 * math.Pi
		angle += turn
		sum += turn
		squares += turn * turn
		x += math.Cos(angle) / n
		y += math.Sin(angle) / n
	}
	trial := outcome(p, squares/n-sum*sum/(n*n))
	trial.Features = []float64{x, y}
	return trial
}

func elitesOf(t testing.TB, a search.Algorithm) []search.Elite {
	t.Helper()
	reporter, ok := search.As[interface{ Elites() []search.Elite }](a)
	if !ok {
		t.Fatalf("%T has no elites", a)
	}
	return reporter.Elites()
}

func TestMAPElitesCoversMoreThanRandomWithBetterElites(t *testing.T) {
	const worst = math.Pi * math.Pi // no variance of angles is greater
	features := []search.Feature{{Min: -1, Max: 1, Bins: 16}, {Min: -1, Max: 1, Bins: 16}}
	var empty, lost [2][]float64
	for run := range int64(20) {
		p := problemOf(search.MAPElites, unitCube(8), 1000)
		p.Settings.Seed, p.Settings.Features = run, features
		illuminated, archive := mustNew(t, p), mustNew(t, p)
		play(t, illuminated, armTrial)
		// Random's trials in an archive of their own.
		p.Settings.Algorithm = search.Random
		archive.Tell(play(t, mustNew(t, p), armTrial)[0])
		for i, a := range []search.Algorithm{illuminated, archive} {
			elites, quality := elitesOf(t, a), 0.0
			for _, e := range elites {
				quality += worst - e.Trial.Losses()[0]
			}
			empty[i] = append(empty[i], float64(256-len(elites)))
			lost[i] = append(lost[i], 256*worst-quality)
		}
	}
	checkBetter(t, "empty cells", empty[0], empty[1])
	checkBetter(t, "QD score missing", lost[0], lost[1])
}

func TestCellsHoldTheirBestTrial(t *testing.T) {
	p := problemOf(search.MAPElites, unitCube(2), 100)
	p.Settings.Features = []search.Feature{{Min: 0, Max: 10, Bins: 5}, {Min: -1, Max: 1, Bins: 2}}
	trial := func(name string, loss, excess float64, features ...float64) search.Trial {
		return search.Trial{
			Proposal: search.Proposal{Point: search.Values{name, name}},
			Samples:  [][]float64{{loss}}, Excess: excess, Features: features,
		}
	}
	failed := trial("failed", 0, 0, 5, 0)
	failed.Samples = nil
	a := mustNew(t, p)
	a.Tell([]search.Trial{
		trial("first", 5, 0, 1, 0.5), trial("worse", 6, 0, 1, 0.5), trial("infeasible", 1, 0.1, 1, 0.5),
		trial("elsewhere", 9, 0, 1, -0.5), failed,
		trial("beyond", 3, 0, 99, -7), trial("at the end", 2, 0, 10, -1),
		trial("nowhere", 0, 0, math.NaN(), 0), trial("without features", 0, 0),
		trial("only infeasible", 0, 0.1, 4, 0),
	})
	a.Tell([]search.Trial{trial("better", 4, 0, 0, 1), trial("equal", 4, 0, 0, 1)})
	var got []string
	for _, e := range elitesOf(t, a) {
		got = append(got, fmt.Sprint(e.Cell, " ", e.Trial.Point[0]))
	}
	want := []string{"[0 0] elsewhere", "[0 1] better", "[4 0] at the end"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elites (−want +got):\n%s", diff)
	}
}

func TestFaultsOfMAPElites(t *testing.T) {
	p := problemOf(search.MAPElites, unitCube(2), 100)
	_, errs := search.New(p, path)
	p.Settings.Features = []search.Feature{{Min: 1, Max: 1, Bins: 3}, {Min: 0, Max: math.NaN(), Bins: 0}}
	_, more := search.New(p, path)
	want := []string{
		"FieldValueRequired at spec.search.features: there must be a feature that tells kinds apart",
		"FieldValueInvalid at spec.search.features[0].max: must be greater than min, 1",
		"FieldValueInvalid at spec.search.features[1].max: must be greater than min, 0",
		"FieldValueInvalid at spec.search.features[1].bins: must be at least 1",
	}
	if diff := cmp.Diff(want, lines(append(errs, more...))); diff != "" {
		t.Errorf("errors (−want +got):\n%s", diff)
	}
}

func BenchmarkMAPElitesAsk(b *testing.B) {
	for _, told := range []int{100, 1000} {
		b.Run(fmt.Sprint(told), func(b *testing.B) { benchmarkAsk(b, search.MAPElites, told) })
	}
}
