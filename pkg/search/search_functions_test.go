// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/ranktest"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// task is a problem with a known answer, to be searched.
type task struct {
	space search.Space
	// minimum is the least loss of the first objective, where known.
	minimum float64
	losses  func(search.Values) []float64
	// noise is the standard deviation of a sample about the losses.
	noise float64
	// excess and fails are nil where every point is feasible and succeeds.
	excess func(search.Values) float64
	fails  func(search.Values) bool
}

// trial tries a proposal. A point has the same sample under the same seed
// whenever and by whomever it is tried.
func (f task) trial(p search.Proposal) search.Trial {
	trial := search.Trial{Proposal: p}
	if f.fails != nil && f.fails(p.Point) {
		return trial
	}
	if f.excess != nil {
		trial.Excess = f.excess(p.Point)
	}
	for seed := p.Effort.First; seed < p.Effort.First+p.Effort.Seeds; seed++ {
		noise := stats.NewStream(int64(seed), "noise/"+name(p.Point))
		losses := slices.Clone(f.losses(p.Point))
		for i := range losses {
			losses[i] += float64(f.noise * noise.Normal())
		}
		trial.Samples = append(trial.Samples, losses)
	}
	return trial
}

// search tries all generations of an algorithm, and returns all trials in
// order.
func (f task) search(t testing.TB, settings search.Settings) []search.Trial {
	t.Helper()
	a := f.algorithm(t, settings)
	var all []search.Trial
	for {
		proposals := a.Ask()
		if len(proposals) == 0 {
			return all
		}
		all = append(all, f.tell(a, proposals)...)
	}
}

// tell tries proposals and tells an algorithm of them.
func (f task) tell(a search.Algorithm, proposals []search.Proposal) []search.Trial {
	trials := make([]search.Trial, len(proposals))
	for i, p := range proposals {
		trials[i] = f.trial(p)
	}
	a.Tell(trials)
	return trials
}

func (f task) algorithm(t testing.TB, settings search.Settings) search.Algorithm {
	t.Helper()
	a, errs := search.New(f.problem(settings), field.NewPath("spec"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return a
}

// problem asks for one objective, tried under one seed.
func (f task) problem(settings search.Settings) search.Problem {
	return search.Problem{Space: f.space, Objectives: 1, Seeds: 1, Settings: settings}
}

// regret is by how much the best feasible of the trials misses the minimum,
// without noise; +Inf where none is feasible. The best is the one that the
// search saw as best.
func (f task) regret(trials []search.Trial) float64 {
	best, regret := math.Inf(1), math.Inf(1)
	for _, t := range trials {
		if t.Failed() || t.Excess > 0 {
			continue
		}
		if loss := t.Losses()[0]; loss < best {
			best, regret = loss, f.losses(t.Point)[0]-f.minimum
		}
	}
	return regret
}

// name writes a point.
func name(p search.Values) string { return strings.Join(p, " ") }

func numbers(p search.Values) []float64 {
	xs := make([]float64, len(p))
	for i := range p {
		xs[i] = numberOf(p, i)
	}
	return xs
}

// squared is not fused with what its result is added to.
func squared(x float64) float64 { return float64(x * x) }

// continuousCube is the space of n parameters from low to high.
func continuousCube(n int, low, high string) search.Space {
	var s search.Space
	for i := range n {
		s.Parameters = append(s.Parameters, continuous(fmt.Sprintf("x%d", i+1), low, high))
	}
	return s
}

// braninTask has three equally deep valleys in two dimensions.
var braninTask = task{
	space:   search.Space{Parameters: []search.Parameter{continuous("x1", "-5", "10"), continuous("x2", "0", "15")}},
	minimum: 0.397887,
	losses: func(p search.Values) []float64 {
		x, y := numberOf(p, 0), numberOf(p, 1)
		b := y - 5.1*x*x/(4*math.Pi*math.Pi) + 5*x/math.Pi - 6
		return []float64{b*b + 10*(1-1/(8*math.Pi))*math.Cos(x) + 10}
	},
}

// rosenbrockTask is a long bent valley in four dimensions, its floor nearly flat.
var rosenbrockTask = task{
	space: continuousCube(4, "-2", "2"),
	losses: func(p search.Values) []float64 {
		xs, sum := numbers(p), 0.
		for i := range xs[1:] {
			sum += 100*squared(xs[i+1]-squared(xs[i])) + squared(1-xs[i])
		}
		return []float64{sum}
	},
}

// hartmannTask has six local minima in six dimensions.
var hartmannTask = task{
	space:   continuousCube(6, "0", "1"),
	minimum: -3.32237,
	losses: func(p search.Values) []float64 {
		xs, sum := numbers(p), 0.
		for i, alpha := range [...]float64{1, 1.2, 3, 3.2} {
			distance := 0.
			for j, x := range xs {
				distance += hartmann6Scale[i][j] * squared(x-hartmann6Centre[i][j])
			}
			sum -= alpha * math.Exp(-distance)
		}
		return []float64{sum}
	},
}

var (
	hartmann6Scale = [4][6]float64{
		{10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14},
	}
	hartmann6Centre = [4][6]float64{
		{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886}, {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
		{0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650}, {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381},
	}
)

// conditionalTask is a mixed space: of three families only "tuned" holds the
// minimum, and only it has a threshold and a window. Its losses are the same on
// any machine.
var conditionalTask = task{
	space: search.Space{Parameters: []search.Parameter{
		choice("family", "plain", "tuned", "random"),
		when(logarithmic(continuous("threshold", "0.001", "10")), "family", "tuned"),
		when(integer("window", "1", "64"), "family", "tuned"),
		when(stepped("weight", "0", "5", "0.25"), "family", "plain", "tuned"),
		integer("batch", "1", "16"),
	}},
	losses: func(p search.Values) []float64 {
		loss := squared((numberOf(p, 4) - 11) / 8)
		switch p[0] {
		case "plain":
			loss += 0.4 + squared((numberOf(p, 3)-2)/4.5)
		case "random":
			loss++
		case "tuned":
			loss += squared(stats.Log(numberOf(p, 1)/0.05)/7) + squared((numberOf(p, 2)-20)/32) + squared((numberOf(p, 3)-3.5)/4.5)
		}
		return []float64{loss}
	},
}

// constrainedTask has its minimum where two rules meet, and an outcome that may
// not exceed what it has there.
var constrainedTask = task{
	space: search.Space{
		Parameters: []search.Parameter{continuous("prefix", "0", "10"), continuous("queue", "0", "10"), continuous("load", "0", "1")},
		Rules:      []search.Rule{{Expression: "prefix <= 2 * queue"}, {Expression: "prefix + queue <= 9"}},
	},
	minimum: -6.7,
	losses: func(p search.Values) []float64 {
		return []float64{-numberOf(p, 0) - numberOf(p, 2)}
	},
	excess: func(p search.Values) float64 { return math.Max(0, numberOf(p, 2)/0.7-1) },
}

// noisy returns a function whose samples vary.
func (f task) noisy(deviation float64) task {
	f.noise = deviation
	return f
}

// failing returns a function whose trials fail at some points.
func (f task) failing(at func(search.Values) bool) task {
	f.fails = at
	return f
}

// comparison is how an algorithm and Random fare under the same budget, by
// seed.
type comparison struct{ algorithm, random []float64 }

// againstRandom measures the regrets of an algorithm and of Random under that
// many seeds.
func (f task) againstRandom(t testing.TB, settings search.Settings, seeds int) comparison {
	t.Helper()
	var c comparison
	for seed := range int64(seeds) {
		settings.Seed = seed
		c.algorithm = append(c.algorithm, f.regret(f.search(t, settings)))
		random := search.Settings{Algorithm: search.Random, Seed: seed, MaxTrials: settings.MaxTrials}
		c.random = append(c.random, f.regret(f.search(t, random)))
	}
	return c
}

func (c comparison) String() string {
	return fmt.Sprintf("median regret %.3g, of Random %.3g, p %.2g", median(c.algorithm), median(c.random), c.p())
}

// p is that of the rank test for the algorithm's regrets tending to be lower.
func (c comparison) p() float64 { return ranktest.MannWhitneyP(c.random, c.algorithm) }
