// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// raced is a grid over so many candidates, with ten seeds each.
func raced(candidates int) search.Problem {
	p := problemOf(search.Grid, spaceOf(stepped("candidate", "1", fmt.Sprint(candidates), "1")), candidates)
	p.Seeds = 10
	p.Settings.Racing = &search.RacingSettings{Confidence: 0.95, First: 4, Step: 2}
	return p
}

// sampled tries a proposal: loss gives the loss of a candidate under a seed.
func sampled(p search.Proposal, loss func(candidate float64, seed int) float64) search.Trial {
	t := search.Trial{Proposal: p}
	for seed := p.Effort.First; seed < p.Effort.First+p.Effort.Seeds; seed++ {
		t.Samples = append(t.Samples, []float64{loss(numberOf(p.Point, 0), seed)})
	}
	return t
}

// spent sums up the seeds that each candidate had.
func spent(told [][]search.Trial) map[string]int {
	seeds := map[string]int{}
	for _, generation := range told {
		for _, t := range generation {
			seeds[t.Point[0]] += t.Effort.Seeds
		}
	}
	return seeds
}

func dropped(t *testing.T, a search.Algorithm) []search.Drop {
	t.Helper()
	racing, ok := search.As[interface{ Dropped() []search.Drop }](a)
	if !ok {
		t.Fatal("nobody reports who was dropped")
	}
	return racing.Dropped()
}

// Seeds are luck that all candidates share: 1000 times what tells them apart.
func TestRacingDropsWhoIsWorseUnderTheSameSeeds(t *testing.T) {
	luck := []float64{300, 100, 900, 500, 200, 0, 700, 800, 600, 400}
	wobble := []float64{-1, 1, 0, 1, -1, 0, 1, 1, 0, -1}
	loss := func(candidate float64, seed int) float64 {
		mean := map[float64]float64{1: 50, 2: 20, 3: 20.2, 4: 80, 5: 100}
		spread := map[float64]float64{1: 1, 2: 2, 3: 3, 4: 40, 5: 5}
		return luck[seed] + mean[candidate] + spread[candidate]*wobble[seed]
	}
	p := raced(5)
	p.Baseline = search.Values{"5"}
	a := mustNew(t, p)
	told := play(t, a, func(p search.Proposal) search.Trial { return sampled(p, loss) })

	want := map[string]int{"1": 4, "2": 10, "3": 10, "4": 6, "5": 10}
	if diff := cmp.Diff(want, spent(told)); diff != "" {
		t.Errorf("seeds by candidate, of which 5 is the baseline (−want +got):\n%s", diff)
	}
	var blocks []string
	for _, generation := range told {
		for _, t := range generation {
			blocks = append(blocks, fmt.Sprintf("%s: %d+%d", t.Point[0], t.Effort.First, t.Effort.Seeds))
		}
	}
	wantBlocks := []string{
		"1: 0+4", "2: 0+4", "3: 0+4", "4: 0+4", "5: 0+10",
		"2: 4+2", "3: 4+2", "4: 4+2", "2: 6+2", "3: 6+2", "2: 8+2", "3: 8+2",
	}
	if diff := cmp.Diff(wantBlocks, blocks); diff != "" {
		t.Errorf("blocks (−want +got):\n%s", diff)
	}
	var drops []string
	for _, d := range dropped(t, a) {
		drops = append(drops, fmt.Sprintf("%s after %d: %.1g", d.Point[0], d.Seeds, d.PValue))
	}
	if diff := cmp.Diff([]string{"1 after 4: 2e-05", "4 after 6: 0.01"}, drops); diff != "" {
		t.Errorf("dropped (−want +got):\n%s", diff)
	}
}

// normal is a standard normal number that names choose.
func normal(words ...any) float64 {
	s := stats.NewStream(1, fmt.Sprint(words...))
	return math.Sqrt(-2*math.Log(s.OpenFloat64())) * math.Cos(2*math.Pi*s.Float64())
}

// How often is candidate 1, than which nobody is better, dropped? At most as
// often as the confidence says, in the cases that are the hardest: many that are
// as good, who look best by luck in turn, with or without hopeless ones, which
// make Holm's correction milder for the others.
func TestTheBestIsDroppedNoMoreOftenThanStated(t *testing.T) {
	const races, confidence = 600, 0.8
	tests := map[string]func(race int, candidate float64, seed int) float64{
		"all are as good": func(race int, c float64, seed int) float64 { return normal(race, c, seed) },
		"half are hopeless": func(race int, c float64, seed int) float64 {
			return normal(race, c, seed) + 100*math.Floor(c/7)
		},
		"two are as good": func(race int, c float64, seed int) float64 {
			return normal(race, c, seed) + 100*math.Floor(c/3)
		},
		"others vary less": func(race int, c float64, seed int) float64 {
			return normal(race, c, seed) * (0.1 + 2*math.Floor(1/c))
		},
		"all but the same": func(race int, c float64, seed int) float64 {
			return 10*normal(race, seed) + 0.1*normal(race, c, seed)
		},
		"a long tail": func(race int, c float64, seed int) float64 { return math.Exp(normal(race, c, seed)) },
		"rare events": func(race int, c float64, seed int) float64 {
			return math.Floor(max(normal(race, c, seed)-1, 0))
		},
	}
	for name, loss := range tests {
		losses := 0
		for race := range races {
			a := mustNew(t, func() search.Problem {
				p := raced(12)
				p.Settings.Racing.Confidence = confidence
				return p
			}())
			play(t, a, func(p search.Proposal) search.Trial {
				return sampled(p, func(c float64, seed int) float64 { return loss(race, c, seed) })
			})
			drops := dropped(t, a)
			if slices.ContainsFunc(drops, func(d search.Drop) bool { return d.Point[0] == "1" }) {
				losses++
			}
		}
		rate := float64(losses) / races
		t.Logf("%s: the best is dropped in %.3f of %d races", name, rate, races)
		if rate > 1-confidence+3*math.Sqrt(confidence*(1-confidence)/races) {
			t.Errorf("%s: at a confidence of %v the best is dropped in %.3f of the races", name, confidence, rate)
		}
	}
}

// A large grid: everybody's first block, and then the survivors'.
func TestRacingSavesMostSeedsOfALargeGrid(t *testing.T) {
	const candidates = 14_500
	p := raced(candidates)
	a := mustNew(t, p)
	seeds, generations := 0, []int{}
	told := play(t, a, func(p search.Proposal) search.Trial {
		return sampled(p, func(c float64, seed int) float64 {
			return 100 + c/100 + 5*normal(seed) + normal("of one", int(c)*31+seed)
		})
	})
	for _, generation := range told {
		generations = append(generations, len(generation))
		for _, t := range generation {
			seeds += t.Effort.Seeds
		}
	}
	t.Logf("%d of %d simulations, in generations of %v candidates", seeds, 10*candidates, generations)
	if seeds > 10*candidates*6/10 {
		t.Errorf("%d of %d simulations", seeds, 10*candidates)
	}
	for _, d := range dropped(t, a) {
		if c, _ := strconv.Atoi(d.Point[0]); c < 20 {
			t.Errorf("%v was dropped", d)
		}
	}
}

// Later generations race against the best of the earlier ones.
func TestRacingRemembersTheBestOfEarlierGenerations(t *testing.T) {
	p := raced(6)
	p.Settings.Generation = 2
	a := mustNew(t, p)
	told := play(t, a, func(p search.Proposal) search.Trial {
		return sampled(p, func(c float64, seed int) float64 { return 100*c + normal(c, seed) })
	})
	want := map[string]int{"1": 10, "2": 4, "3": 4, "4": 4, "5": 4, "6": 4}
	if diff := cmp.Diff(want, spent(told)); diff != "" {
		t.Errorf("seeds by candidate (−want +got):\n%s", diff)
	}
}

func TestRacingLeavesConstraintsAndFailuresToWhoAsks(t *testing.T) {
	p := raced(4)
	a := mustNew(t, p)
	told := play(t, a, func(p search.Proposal) search.Trial {
		t := sampled(p, func(c float64, seed int) float64 { return c + normal(c, seed)/100 })
		switch p.Point[0] {
		case "1": // best, but beyond its constraints
			t.Excess = 0.1
		case "3":
			if p.Effort.First > 0 {
				t.Samples = nil
			}
		}
		return t
	})
	want := map[string]int{"1": 10, "2": 10, "3": 4, "4": 4}
	if diff := cmp.Diff(want, spent(told)); diff != "" {
		t.Errorf("seeds by candidate (−want +got):\n%s", diff)
	}

	p.Space.Parameters[0].Max = "2"
	a = mustNew(t, p)
	told = play(t, a, func(p search.Proposal) search.Trial {
		if p.Point[0] == "2" && p.Effort.First > 0 {
			return search.Trial{Proposal: p}
		}
		return sampled(p, func(c float64, seed int) float64 { return normal(c, seed) })
	})
	if diff := cmp.Diff(map[string]int{"1": 10, "2": 6}, spent(told)); diff != "" {
		t.Errorf("seeds after a failure (−want +got):\n%s", diff)
	}
}

func TestRacingOverSeveralObjectivesDropsOnlyWhoIsWorseInAll(t *testing.T) {
	p := raced(3)
	p.Objectives = 2 // and a third number, which is none
	told := play(t, mustNew(t, p), func(p search.Proposal) search.Trial {
		c := numberOf(p.Point, 0)
		second := map[float64]float64{1: 5, 2: 1, 3: 9}[c]
		trial := search.Trial{Proposal: p}
		for seed := range p.Effort.Seeds {
			trial.Samples = append(trial.Samples, []float64{c + normal(c, seed, p)/100, second + normal(c, seed, "b", p)/100, 0})
		}
		return trial
	})
	if diff := cmp.Diff(map[string]int{"1": 10, "2": 10, "3": 4}, spent(told)); diff != "" {
		t.Errorf("seeds by candidate (−want +got):\n%s", diff)
	}
}

func TestRacesThatCannotBeAreRefused(t *testing.T) {
	p := raced(3)
	p.Settings.Racing = &search.RacingSettings{Confidence: 1, First: 1}
	want := []string{
		"FieldValueInvalid at spec.search.racing.confidence: must lie between 0 and 1",
		"FieldValueInvalid at spec.search.racing.first: must be at least 2: one seed does not show the spread",
		"FieldValueInvalid at spec.search.racing.step: must be at least 1",
	}
	_, errs := search.New(p, path)
	if diff := cmp.Diff(want, lines(errs)); diff != "" {
		t.Errorf("errors (−want +got):\n%s", diff)
	}
	p.Settings.Racing = &search.RacingSettings{Confidence: 0.9, First: 10, Step: 1}
	want = []string{"FieldValueInvalid at spec.search.racing.first: must be less than the 10 seeds of a point, or there are none to save: raise replications.count"}
	_, errs = search.New(p, path)
	if diff := cmp.Diff(want, lines(errs)); diff != "" {
		t.Errorf("errors (−want +got):\n%s", diff)
	}
}

func BenchmarkRacingTell(b *testing.B) {
	p := raced(14_500)
	b.ReportAllocs()
	for b.Loop() {
		a := mustNew(b, p)
		proposals := a.Ask()
		trials := make([]search.Trial, len(proposals))
		for i, proposal := range proposals {
			trials[i] = search.Trial{Proposal: proposal, Samples: [][]float64{{float64(i % 7)}, {float64(i % 5)}, {float64(i % 3)}, {float64(i % 11)}}}
		}
		a.Tell(trials)
	}
}
