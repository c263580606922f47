// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/search"
)

func TestCMAESBeatsRandom(t *testing.T) { checkBeatsRandom(t, search.CMAES, 100, manyTasks) }

func BenchmarkCMAES(b *testing.B) { benchmarkFresh(b, search.CMAES) }

// The first population lies about the baseline, where there is one.
func TestCMAESStartsFromTheBaseline(t *testing.T) {
	p := braninTask.problem(search.Settings{Algorithm: search.CMAES, MaxTrials: 1000, Generation: 200})
	mean := func(baseline search.Values) (x, y float64) {
		p.Baseline = baseline
		for _, proposal := range mustNew(t, p).Ask() {
			x += numberOf(proposal.Point, 0) / 200
			y += numberOf(proposal.Point, 1) / 200
		}
		return x, y
	}
	if x, y := mean(nil); math.Abs(x-2.5) > 1 || math.Abs(y-7.5) > 1 {
		t.Errorf("without a baseline about %v, %v, want the middle", x, y)
	}
	if x, y := mean(search.Values{"6", "5"}); math.Abs(x-6) > 1 || math.Abs(y-5) > 1 {
		t.Errorf("about %v, %v, want the baseline", x, y)
	}
}

// Of many valleys the first run finds one; runs of ever larger populations find
// the deepest.
func TestCMAESStartsAnew(t *testing.T) {
	rastrigin := task{
		space: continuousCube(3, "-4", "5"),
		losses: func(p search.Values) []float64 {
			sum := 0.
			for _, x := range numbers(p) {
				sum += 10 + squared(x) - 10*math.Cos(2*math.Pi*x)
			}
			return []float64{sum}
		},
	}
	found := 0
	for seed := range int64(20) {
		if rastrigin.regret(rastrigin.search(t, search.Settings{Algorithm: search.CMAES, Seed: seed, MaxTrials: 6000})) < 0.1 {
			found++
		}
	}
	if found < 13 {
		t.Errorf("the deepest of many valleys was found %d times of 20", found)
	}
}

// With few values samples must still reach the next one.
func TestCMAESCrossesCells(t *testing.T) {
	steps := task{
		space: spaceOf(integer("a", "1", "6"), stepped("b", "0", "1", "0.25"), integer("c", "1", "8"), continuous("d", "0", "1")),
		losses: func(p search.Values) []float64 {
			return []float64{squared(numberOf(p, 0)-6) + squared(4*numberOf(p, 1)-1) + squared(numberOf(p, 2)-2) + squared(numberOf(p, 3)-0.3)}
		},
	}
	for seed := range int64(10) {
		if r := steps.regret(steps.search(t, search.Settings{Algorithm: search.CMAES, Seed: seed, MaxTrials: 300})); r > 0.01 {
			t.Errorf("seed %d: regret %v", seed, r)
		}
	}
}
