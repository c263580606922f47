// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/search"
)

// zdt1 has the front f2 = 1-√f1 (Zitzler, Deb, Thiele: Comparison of
// Multiobjective Evolutionary Algorithms, 2000), here in 8 dimensions.
func zdt1(p search.Values) (f1, f2 float64) {
	g := 1.0
	for i := 1; i < len(p); i++ {
		g += 9 * numberOf(p, i) / float64(len(p)-1)
	}
	f1 = numberOf(p, 0)
	return f1, g * (1 - math.Sqrt(f1/g))
}

func unitCube(dimensions int) search.Space {
	var space search.Space
	for i := range dimensions {
		space.Parameters = append(space.Parameters, continuous(fmt.Sprint("x", i), "0", "1"))
	}
	return space
}

// hypervolume is the area that two losses dominate below a reference of (r, r).
func hypervolume(losses [][2]float64, r float64) float64 {
	slices.SortFunc(losses, func(a, b [2]float64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	area, height := 0.0, r
	for _, l := range losses {
		if l[0] < r && l[1] < height {
			area += (r - l[0]) * (height - l[1])
			height = l[1]
		}
	}
	return area
}

func TestNSGA2FindsMoreOfTheFrontThanRandom(t *testing.T) {
	const budget, reference = 400, 5
	// Of the exact front: r² - ∫f2 over [0, 1], which is 1/3.
	const most = reference*reference - 1./3
	missing := map[search.Name][]float64{}
	for run := range int64(20) {
		for _, name := range []search.Name{search.NSGA2, search.Random} {
			p := problemOf(name, unitCube(8), budget)
			p.Objectives, p.Settings.Seed = 2, run
			var losses [][2]float64
			for _, trials := range play(t, mustNew(t, p), func(p search.Proposal) search.Trial {
				f1, f2 := zdt1(p.Point)
				return outcome(p, f1, f2)
			}) {
				for _, trial := range trials {
					losses = append(losses, [2]float64(trial.Samples[0]))
				}
			}
			if len(losses) != budget {
				t.Fatalf("%s: %d trials", name, len(losses))
			}
			missing[name] = append(missing[name], most-hypervolume(losses, reference))
		}
	}
	checkBetter(t, "hypervolume missing", missing[search.NSGA2], missing[search.Random])
	if m := median(missing[search.NSGA2]); m > 0.15*most {
		t.Errorf("%.3f of the hypervolume is missing", m/most)
	}
}

// The front of a mixed space with a condition and a constraint: of three kinds
// of policy one is best at low cost, one at high cost, and one is forbidden.
func TestNSGA2InAMixedSpaceWithConstraints(t *testing.T) {
	space := spaceOf(
		choice("kind", "cheap", "good", "forbidden"),
		integer("replicas", "1", "64"),
		when(continuous("weight", "0", "1"), "kind", "good"),
	)
	try := func(p search.Proposal) search.Trial {
		cost, latency := numberOf(p.Point, 1)/64, 0.0
		switch p.Point[0] {
		case "cheap":
			latency = 1 / (1 + 8*cost)
		case "good":
			cost += 0.2
			latency = 0.5/(1+16*cost) + math.Pow(numberOf(p.Point, 2)-0.7, 2)
		}
		trial := outcome(p, cost, latency)
		if p.Point[0] == "forbidden" {
			trial.Excess = 1
		}
		return trial
	}
	var missing [2][]float64
	for run := range int64(20) {
		for i, name := range []search.Name{search.NSGA2, search.Random} {
			p := problemOf(name, space, 120)
			p.Objectives, p.Settings.Seed = 2, run
			var losses [][2]float64
			for _, trials := range play(t, mustNew(t, p), try) {
				for _, trial := range trials {
					if trial.Excess == 0 {
						losses = append(losses, [2]float64(trial.Samples[0]))
					}
				}
			}
			missing[i] = append(missing[i], 1-hypervolume(losses, 1))
		}
	}
	checkBetter(t, "hypervolume missing", missing[0], missing[1])
}

func BenchmarkNSGA2Ask(b *testing.B) {
	for _, told := range []int{100, 1000} {
		b.Run(fmt.Sprint(told), func(b *testing.B) { benchmarkAsk(b, search.NSGA2, told) })
	}
}

// benchmarkAsk measures a generation of 10 after so many trials.
func benchmarkAsk(b *testing.B, name search.Name, told int) {
	p := problemOf(name, unitCube(12), math.MaxInt32)
	p.Objectives, p.Settings.Features = 2, []search.Feature{{Min: 0, Max: 1, Bins: 20}, {Min: 0, Max: 9, Bins: 20}}
	try := func(p search.Proposal) search.Trial {
		f1, f2 := zdt1(p.Point)
		trial := outcome(p, f1, f2)
		trial.Features = []float64{f1, f2}
		return trial
	}
	p.Settings.Generation = 10
	var generations [][]search.Trial
	for a := mustNew(b, p); len(generations) < told/10; {
		var trials []search.Trial
		for _, proposal := range a.Ask() {
			trials = append(trials, try(proposal))
		}
		a.Tell(trials)
		generations = append(generations, trials)
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		a := mustNew(b, p)
		for _, trials := range generations {
			a.Tell(trials)
		}
		b.StartTimer()
		a.Ask()
	}
}
