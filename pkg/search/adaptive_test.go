// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// adaptive are the algorithms that learn from one objective, at full effort.
var adaptive = []search.Name{search.CMAES, search.GP, search.TPE}

// forEach runs a test for some algorithms.
func forEach(t *testing.T, algorithms []search.Name, test func(t *testing.T, a search.Name)) {
	for _, a := range algorithms {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

// Whoever is told the same generations goes on in the same way, asked or not.
func TestAnAdaptiveSearchGoesOnWhereItWasCutOff(t *testing.T) {
	forEach(t, adaptive, func(t *testing.T, name search.Name) {
		for _, generation := range []int{0, 1, 4} {
			settings := search.Settings{Algorithm: name, Seed: 3, MaxTrials: 36, Generation: generation}
			var history [][]search.Trial
			whole := conditionalTask.algorithm(t, settings)
			for {
				resumed := conditionalTask.algorithm(t, settings)
				for _, trials := range history {
					resumed.Tell(trials)
				}
				want := whole.Ask()
				if diff := cmp.Diff(want, resumed.Ask()); diff != "" {
					t.Fatalf("by %d, generation %d (−want +got):\n%s", generation, len(history), diff)
				}
				if diff := cmp.Diff(want, whole.Ask()); diff != "" {
					t.Fatalf("by %d, generation %d asked for again (−want +got):\n%s", generation, len(history), diff)
				}
				if len(want) == 0 {
					break
				}
				history = append(history, conditionalTask.tell(whole, want))
			}
		}
	})
}

func TestAnAdaptiveSearchProposesPointsOfTheSpaceOnce(t *testing.T) {
	forEach(t, adaptive, func(t *testing.T, a search.Name) {
		for _, f := range []task{conditionalTask, constrainedTask, braninTask} {
			for _, generation := range []int{0, 7} {
				settings := search.Settings{Algorithm: a, MaxTrials: 60, Generation: generation}
				seen := map[string]bool{}
				for _, trial := range f.search(t, settings) {
					if err := f.space.Contains(trial.Point); err != nil {
						t.Errorf("point %v %v", trial.Point, err)
					}
					if seen[name(trial.Point)] {
						t.Errorf("point %v was proposed twice", trial.Point)
					}
					seen[name(trial.Point)] = true
					if want := (search.Effort{Share: 1, Seeds: 1}); trial.Effort != want {
						t.Errorf("point %v is worth %+v, want %+v", trial.Point, trial.Effort, want)
					}
				}
				if len(seen) != settings.MaxTrials {
					t.Errorf("%d points, want %d", len(seen), settings.MaxTrials)
				}
			}
		}
	})
}

func TestAGenerationIsAsLargeAsAskedFor(t *testing.T) {
	forEach(t, adaptive, func(t *testing.T, a search.Name) {
		for _, generation := range []int{1, 3, 16} {
			algorithm := braninTask.algorithm(t, search.Settings{Algorithm: a, MaxTrials: 32, Generation: generation})
			for asked := algorithm.Ask(); len(asked) > 0; asked = algorithm.Ask() {
				// A population may end within a generation of CMAES.
				if len(asked) > generation || a != search.CMAES && len(asked) < min(generation, 2) {
					t.Errorf("%d points at a time, want %d", len(asked), generation)
				}
				braninTask.tell(algorithm, asked)
			}
		}
	})
}

func TestAnAdaptiveSearchEndsWithTheSpace(t *testing.T) {
	f := task{
		space:  spaceOf(choice("a", "x", "y"), when(integer("b", "1", "4"), "a", "y"), stepped("c", "0", "1", "0.5")),
		losses: func(p search.Values) []float64 { return []float64{numberOf(p, 2)} },
	}
	forEach(t, adaptive, func(t *testing.T, a search.Name) {
		for _, generation := range []int{0, 2, 40} {
			seen := map[string]bool{}
			trials := f.search(t, search.Settings{Algorithm: a, MaxTrials: 1000, Generation: generation})
			for _, trial := range trials {
				seen[name(trial.Point)] = true
			}
			if len(seen) != 15 || len(trials) != 15 {
				t.Errorf("by %d: %d trials of %d points, want each of 15 once", generation, len(trials), len(seen))
			}
		}
	})
}

func TestASpaceOfOnePointIsTriedOnce(t *testing.T) {
	f := task{
		space:  spaceOf(choice("a", "x"), continuous("b", "2", "2")),
		losses: func(search.Values) []float64 { return []float64{1} },
	}
	forEach(t, adaptive, func(t *testing.T, a search.Name) {
		if trials := f.search(t, search.Settings{Algorithm: a, MaxTrials: 20}); len(trials) != 1 {
			t.Errorf("%d trials, want 1", len(trials))
		}
	})
}

// Neither failures nor numbers beyond reason may keep a search from its budget,
// or from what there is to learn.
func TestAnAdaptiveSearchSurvivesWhatItIsTold(t *testing.T) {
	failsLeft := func(p search.Values) bool { return numberOf(p, 0) < 3 }
	with := func(loss func(x float64) float64) task {
		f := braninTask
		f.losses = func(p search.Values) []float64 { return []float64{loss(braninTask.losses(p)[0])} }
		return f
	}
	failing := braninTask.failing(failsLeft)
	infeasible := braninTask
	infeasible.excess = func(p search.Values) float64 { return braninTask.losses(p)[0] + 1 }
	tests := map[string]task{
		"where part of the space fails":  failing,
		"where everything fails":         braninTask.failing(func(search.Values) bool { return true }),
		"where nothing is feasible":      infeasible,
		"where all are the same":         with(func(float64) float64 { return 7 }),
		"where losses are huge":          with(func(x float64) float64 { return 1e300 * x }),
		"where losses are tiny":          with(func(x float64) float64 { return 1e-300 * x }),
		"where some are infinite":        with(func(x float64) float64 { return 1 / math.Max(0, x-20) }),
		"where some are not a number":    with(func(x float64) float64 { return math.Log(x - 20) }),
		"where one step hides all other": with(func(x float64) float64 { return math.Floor(x / 100) }),
	}
	forEach(t, adaptive, func(t *testing.T, a search.Name) {
		for name, f := range tests {
			if trials := f.search(t, search.Settings{Algorithm: a, MaxTrials: 50}); len(trials) != 50 {
				t.Errorf("%s: %d trials, want 50", name, len(trials))
			}
		}
		trials := failing.search(t, search.Settings{Algorithm: a, MaxTrials: 60})
		late := 0
		for _, trial := range trials[30:] {
			if failsLeft(trial.Point) {
				late++
			}
		}
		if late > 15 { // of what is drawn at random, 16 in 30 fail
			t.Errorf("%d of the last 30 trials failed", late)
		}
	})
}

// Ranks do not change when all losses pass through a rising function.
func TestRankedSearchesKnowOnlyTheOrder(t *testing.T) {
	forEach(t, []search.Name{search.CMAES, search.TPE}, func(t *testing.T, a search.Name) {
		steep := conditionalTask
		steep.losses = func(p search.Values) []float64 { return []float64{math.Exp(5 * conditionalTask.losses(p)[0])} }
		settings := search.Settings{Algorithm: a, MaxTrials: 50}
		points := func(trials []search.Trial) (points []search.Values) {
			for _, t := range trials {
				points = append(points, t.Point)
			}
			return points
		}
		if diff := cmp.Diff(points(conditionalTask.search(t, settings)), points(steep.search(t, settings))); diff != "" {
			t.Errorf("points (−flat +steep):\n%s", diff)
		}
	})
}

func TestSeedsOfASearchGiveOtherPoints(t *testing.T) {
	forEach(t, adaptive, func(t *testing.T, a search.Name) {
		one := braninTask.algorithm(t, search.Settings{Algorithm: a, Seed: 1, MaxTrials: 10}).Ask()
		two := braninTask.algorithm(t, search.Settings{Algorithm: a, Seed: 2, MaxTrials: 10}).Ask()
		if cmp.Equal(one, two) {
			t.Errorf("seeds 1 and 2 both give %v", one)
		}
	})
}

// Names of points go into keys of results: they must not change, on any machine.
func TestAdaptiveSearchesArePinned(t *testing.T) {
	want := map[search.Name]string{
		search.CMAES: "8649c619de9424b9, the last tuned 0.1801 24 4 10",
		search.GP:    "07299cc561892fd0, the last tuned 0.0011295 18 3.25 10",
		search.TPE:   "9e4199526c105d84, the last tuned 2.48532 4 0.25 11",
	}
	got := map[search.Name]string{}
	for _, a := range adaptive {
		var points []string
		for _, trial := range conditionalTask.noisy(0.05).search(t, search.Settings{Algorithm: a, Seed: 1, MaxTrials: 60}) {
			points = append(points, strings.Join(trial.Point, " "))
		}
		got[a] = fmt.Sprintf("%016x, the last %s", stats.HashString(strings.Join(points, "\n")), points[len(points)-1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("searches (−want +got):\n%s", diff)
	}
}

// checkBeatsRandom has an algorithm find better points than Random does with as
// many trials, under 20 seeds and at a level of 5 %.
func checkBeatsRandom(t *testing.T, a search.Name, budget int, tasks map[string]task) {
	t.Helper()
	for name, f := range tasks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := f.againstRandom(t, search.Settings{Algorithm: a, MaxTrials: budget}, 20)
			t.Log(c)
			if c.p() > 0.05 || median(c.algorithm) >= median(c.random) {
				t.Errorf("no better than random: %v", c)
			}
		})
	}
}

// manyTasks are those that adaptive algorithms must do well on.
var manyTasks = map[string]task{
	"Branin":               braninTask,
	"Branin, noisy":        braninTask.noisy(2),
	"Rosenbrock":           rosenbrockTask,
	"Hartmann 6":           hartmannTask,
	"Hartmann 6, noisy":    hartmannTask.noisy(0.1),
	"conditional":          conditionalTask,
	"conditional, noisy":   conditionalTask.noisy(0.05),
	"constrained":          constrainedTask,
	"failing on one side":  braninTask.failing(func(p search.Values) bool { return numberOf(p, 0) < 3 }),
	"constrained, failing": constrainedTask.failing(func(p search.Values) bool { return numberOf(p, 1) > 5 }),
}

// benchmarkFresh measures a generation once so many trials were told.
func benchmarkFresh(b *testing.B, a search.Name) {
	for _, told := range []int{100, 1000} {
		b.Run(fmt.Sprintf("told=%d", told), func(b *testing.B) {
			b.ReportAllocs()
			settings := search.Settings{Algorithm: search.Random, MaxTrials: told}
			trials := hartmannTask.search(b, settings)
			settings.Algorithm, settings.MaxTrials = a, 10*told
			for b.Loop() {
				algorithm := hartmannTask.algorithm(b, settings)
				algorithm.Tell(trials)
				algorithm.Ask()
			}
		})
	}
}
