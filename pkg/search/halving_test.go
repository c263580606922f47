// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/search"
)

// branin has three minima of 0.397887 on the unit square.
func branin(u, v float64) float64 {
	x, y := 15*u-5, 15*v
	a := y - 5.1/(4*math.Pi*math.Pi)*x*x + 5/math.Pi*x - 6
	return a*a + 10*(1-1/(8*math.Pi))*math.Cos(x) + 10
}

var square = spaceOf(stepped("u", "0", "1", "0.05"), stepped("v", "0", "1", "0.05"))

// noisyBranin is nearer to Branin's function the more effort goes into it: an
// error that a point has for ever shrinks with the share of the requests, one
// of each seed with their number.
func noisyBranin(p search.Proposal) search.Trial {
	t := search.Trial{Proposal: p}
	exact := branin(numberOf(p.Point, 0), numberOf(p.Point, 1))
	bias := noiseOf(p.Point, -1) * (1/p.Effort.Share - 1)
	for i := range p.Effort.Seeds {
		t.Samples = append(t.Samples, []float64{exact + 0.3*bias + 0.1*noiseOf(p.Point, p.Effort.First+i)})
	}
	return t
}

// effortOf is what trials cost, in seeds of all requests.
func effortOf(told [][]search.Trial) float64 {
	sum := 0.0
	for _, trials := range told {
		for _, t := range trials {
			sum += t.Effort.Share * float64(t.Effort.Seeds)
		}
	}
	return sum
}

func rungsOf(t testing.TB, a search.Algorithm) []search.Rung {
	t.Helper()
	reporter, ok := search.As[interface{ Rungs() []search.Rung }](a)
	if !ok {
		t.Fatalf("%T has no rungs", a)
	}
	return reporter.Rungs()
}

// inFull returns the trials of all requests.
func inFull(told [][]search.Trial) []search.Trial {
	return slices.DeleteFunc(slices.Concat(told...), func(t search.Trial) bool { return t.Effort.Share < 1 })
}

// best returns the best of some trials, its mean over seeds.
func best(trials []search.Trial) (search.Values, float64) {
	least, at := math.Inf(1), search.Values(nil)
	for _, t := range trials {
		if losses := t.Losses(); losses != nil && losses[0] < least {
			least, at = losses[0], t.Point
		}
	}
	return at, least
}

func TestRungsHaveMoreEffortAndFewerPoints(t *testing.T) {
	tests := map[string]struct {
		algorithm search.Name
		maxTrials int
		seeds     int
		halving   search.HalvingSettings
		want      []search.Rung
		effort    float64
	}{
		"requests": {search.SuccessiveHalving, 90, 2, search.HalvingSettings{}, []search.Rung{
			{Share: 1. / 9, Seeds: 2, Points: 90, Kept: 30}, {Share: 1. / 3, Seeds: 2, Points: 30, Kept: 10}, {Share: 1, Seeds: 2, Points: 10},
		}, 60},
		"seeds are not simulated again": {search.SuccessiveHalving, 90, 10, search.HalvingSettings{Fidelity: search.Seeds}, []search.Rung{
			{Share: 1, Seeds: 1, Points: 90, Kept: 30}, {Share: 1, Seeds: 3, Points: 30, Kept: 10}, {Share: 1, Seeds: 10, Points: 10},
		}, 90 + 30*2 + 10*7},
		"rungs with the same seeds are one": {search.SuccessiveHalving, 90, 3, search.HalvingSettings{Fidelity: search.Seeds}, []search.Rung{
			{Share: 1, Seeds: 1, Points: 90, Kept: 30}, {Share: 1, Seeds: 3, Points: 30},
		}, 90 + 30*2},
		"a minimum that is no power of the reduction": {search.SuccessiveHalving, 90, 1, search.HalvingSettings{Minimum: 0.0625, Reduction: 3}, []search.Rung{
			{Share: 0.0625, Seeds: 1, Points: 90, Kept: 30}, {Share: math.Pow(0.0625, 2./3), Seeds: 1, Points: 30, Kept: 10},
			{Share: math.Pow(0.0625, 1./3), Seeds: 1, Points: 10, Kept: 3}, {Share: 1, Seeds: 1, Points: 3},
		}, 90./16 + 30*math.Pow(0.0625, 2./3) + 10*math.Pow(0.0625, 1./3) + 3},
		"a large minimum": {search.SuccessiveHalving, 90, 1, search.HalvingSettings{Minimum: 0.75, Reduction: 4}, []search.Rung{
			{Share: 0.75, Seeds: 1, Points: 90, Kept: 22}, {Share: 1, Seeds: 1, Points: 22},
		}, 67.5 + 22},
		"somebody always goes on": {search.SuccessiveHalving, 2, 1, search.HalvingSettings{}, []search.Rung{
			{Share: 1. / 9, Seeds: 1, Points: 2, Kept: 1}, {Share: 1. / 3, Seeds: 1, Points: 1, Kept: 1}, {Share: 1, Seeds: 1, Points: 1},
		}, 2./9 + 1./3 + 1},
		"races side by side": {search.Hyperband, 110, 1, search.HalvingSettings{}, []search.Rung{
			{Share: 1. / 9, Seeds: 1, Points: 60, Kept: 20}, {Share: 1. / 3, Seeds: 1, Points: 20, Kept: 6}, {Share: 1, Seeds: 1, Points: 6},
			{Bracket: 1, Share: 1. / 3, Seeds: 1, Points: 30, Kept: 10}, {Bracket: 1, Share: 1, Seeds: 1, Points: 10},
			{Bracket: 2, Share: 1, Seeds: 1, Points: 20},
		}, 60./9 + 20./3 + 6 + 10 + 10 + 20},
		"too few points for every race": {search.Hyperband, 2, 1, search.HalvingSettings{}, []search.Rung{
			{Share: 1. / 9, Seeds: 1, Points: 1, Kept: 1}, {Share: 1. / 3, Seeds: 1, Points: 1, Kept: 1}, {Share: 1, Seeds: 1, Points: 1},
			{Bracket: 1, Share: 1. / 3, Seeds: 1, Points: 1, Kept: 1}, {Bracket: 1, Share: 1, Seeds: 1, Points: 1},
		}, 1./9 + 1./3 + 1 + 1./3 + 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := problemOf(tc.algorithm, square, tc.maxTrials)
			p.Seeds, p.Settings.Halving = tc.seeds, tc.halving
			a := mustNew(t, p)
			effort := effortOf(play(t, a, noisyBranin))
			ignore := cmpopts.IgnoreFields(search.Rung{}, "Spearman")
			if diff := cmp.Diff(tc.want, rungsOf(t, a), ignore, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Errorf("rungs (−want +got):\n%s", diff)
			}
			if math.Abs(effort-tc.effort) > 1e-9 {
				t.Errorf("effort %v, want %v", effort, tc.effort)
			}
		})
	}
}

// A grid that fits is tried completely.
func TestHalvingFindsTheBestOfTheGridForAThirdOfItsEffort(t *testing.T) {
	size := len(allPoints(mustNew(t, problemOf(search.Grid, square, 1000))))
	found := 0
	const runs = 20
	for run := range runs {
		// The runs differ by their noise.
		try := func(p search.Proposal) search.Trial {
			q := p
			q.Point = append(p.Point[:2:2], fmt.Sprint(run))
			trial := noisyBranin(q)
			trial.Proposal = p
			return trial
		}
		p := problemOf(search.SuccessiveHalving, square, size)
		p.Seeds = 3
		told := play(t, mustNew(t, p), try)
		if effort, grid := effortOf(told), float64(size*p.Seeds); effort > grid/3 {
			t.Fatalf("an effort of %v, and the grid's is %v", effort, grid)
		}
		p.Settings.Algorithm = search.Grid
		_, want := best(play(t, mustNew(t, p), try)[0])
		if _, got := best(told[len(told)-1]); got <= want+0.01*math.Abs(want) {
			found++
		}
	}
	if found < runs*9/10 {
		t.Errorf("found in %d runs of %d", found, runs)
	}
	t.Logf("found in %d runs of %d", found, runs)
}

func TestSpearmanTellsGoodCheapRungsFromMisleadingOnes(t *testing.T) {
	tests := map[string]struct {
		loss      func(p search.Proposal) float64
		low, high float64
	}{
		"the same but for a factor": {func(p search.Proposal) float64 {
			return branin(numberOf(p.Point, 0), numberOf(p.Point, 1)) * p.Effort.Share
		}, 1, 1},
		"a good judge": {func(p search.Proposal) float64 {
			return branin(numberOf(p.Point, 0), numberOf(p.Point, 1)) + noiseOf(p.Point, 0)/p.Effort.Share
		}, 0.75, 0.999},
		"pure chance": {func(p search.Proposal) float64 {
			if p.Effort.Share < 1 {
				return noiseOf(p.Point, int(9*p.Effort.Share+0.5))
			}
			return branin(numberOf(p.Point, 0), numberOf(p.Point, 1))
		}, -0.35, 0.35},
		"the reverse": {func(p search.Proposal) float64 {
			loss := branin(numberOf(p.Point, 0), numberOf(p.Point, 1))
			if math.Round(9*p.Effort.Share) == 3 {
				return -loss
			}
			return loss
		}, -1, -1},
		"no difference at all": {func(search.Proposal) float64 { return 1 }, math.NaN(), math.NaN()},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := mustNew(t, problemOf(search.SuccessiveHalving, square, 441))
			play(t, a, func(p search.Proposal) search.Trial { return outcome(p, tc.loss(p)) })
			for i, rung := range rungsOf(t, a) {
				switch rho := rung.Spearman; {
				case i == 0 || math.IsNaN(tc.low):
					if rho != nil {
						t.Errorf("rung %d: %v", i, *rho)
					}
				case rho == nil || *rho < tc.low-1e-9 || *rho > tc.high+1e-9:
					t.Errorf("rung %d: %v, want [%v, %v]", i, *rho, tc.low, tc.high)
				default:
					t.Logf("rung %d: %.3f", i, *rho)
				}
			}
		})
	}
}

// Seeds that a point had before must not vouch for themselves.
func TestSpearmanOfMoreSeedsLooksAtTheNewSeeds(t *testing.T) {
	p := problemOf(search.SuccessiveHalving, square, 441)
	p.Seeds, p.Settings.Halving = 9, search.HalvingSettings{Fidelity: search.Seeds}
	a := mustNew(t, p)
	play(t, a, func(p search.Proposal) search.Trial {
		trial := search.Trial{Proposal: p}
		for i := range p.Effort.Seeds {
			trial.Samples = append(trial.Samples, []float64{noiseOf(p.Point, p.Effort.First+i)})
		}
		return trial
	})
	for i, rung := range rungsOf(t, a)[1:] {
		if math.Abs(*rung.Spearman) > 0.3 {
			t.Errorf("rung %d of pure noise: %v", i+1, *rung.Spearman)
		}
	}
}

// All seeds of a point count, not the last rung's alone; failures and points
// that exceed the constraints go on only where there is nobody else.
func TestThoseThatGoOn(t *testing.T) {
	p := problemOf(search.SuccessiveHalving, spaceOf(stepped("a", "1", "9", "1")), 9)
	p.Seeds, p.Settings.Halving = 9, search.HalvingSettings{Fidelity: search.Seeds}
	tests := map[string]struct {
		try  func(search.Proposal) search.Trial
		want [][]string
	}{
		"the least losses": {
			func(p search.Proposal) search.Trial { return outcome(p, numberOf(p.Point, 0)) },
			[][]string{{"1", "2", "3"}, {"1"}},
		},
		"the mean over all seeds": {
			func(p search.Proposal) search.Trial {
				if p.Effort.First == 0 {
					return outcome(p, 10*numberOf(p.Point, 0))
				}
				return outcome(p, -4*numberOf(p.Point, 0)) // means 2/3 of it
			},
			[][]string{{"1", "2", "3"}, {"1"}},
		},
		"not those that failed": {
			func(p search.Proposal) search.Trial {
				if p.Point[0] == "1" || p.Point[0] == "2" && p.Effort.First > 0 {
					return search.Trial{Proposal: p}
				}
				return outcome(p, numberOf(p.Point, 0))
			},
			[][]string{{"2", "3", "4"}, {"3"}},
		},
		"not failures in want of others": {
			func(p search.Proposal) search.Trial {
				if p.Point[0] != "8" {
					return search.Trial{Proposal: p}
				}
				return outcome(p, numberOf(p.Point, 0))
			},
			[][]string{{"8"}, {"8"}},
		},
		"those that exceed the constraints least": {
			func(p search.Proposal) search.Trial {
				trial := outcome(p, numberOf(p.Point, 0))
				trial.Excess = max(0, 8-numberOf(p.Point, 0))
				return trial
			},
			[][]string{{"8", "9", "7"}, {"8"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got [][]string
			for _, trials := range play(t, mustNew(t, p), tc.try)[1:] {
				var points []string
				for _, trial := range trials {
					points = append(points, trial.Point[0])
				}
				got = append(got, points)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("points of later rungs (−want +got):\n%s", diff)
			}
		})
	}
}

// A race that begins in full cannot be misled.
func TestHyperbandIsNotMisledByCheapRungs(t *testing.T) {
	better := 0
	const runs = 20
	for run := range int64(runs) {
		losses := map[search.Name]float64{}
		for _, name := range []search.Name{search.SuccessiveHalving, search.Hyperband} {
			p := problemOf(name, spaceOf(continuous("u", "0", "1"), continuous("v", "0", "1")), 100)
			p.Settings.Seed = run
			told := play(t, mustNew(t, p), func(p search.Proposal) search.Trial {
				loss := branin(numberOf(p.Point, 0), numberOf(p.Point, 1))
				if p.Effort.Share < 1 {
					loss = -loss
				}
				return outcome(p, loss)
			})
			_, losses[name] = best(inFull(told))
		}
		if losses[search.Hyperband] < losses[search.SuccessiveHalving] {
			better++
		}
	}
	if better < runs-1 {
		t.Errorf("better in %d runs of %d", better, runs)
	}
}

// For the effort of so many full trials at random, halving finds a better point.
func TestHalvingIsBetterThanRandomForTheSameEffort(t *testing.T) {
	for _, name := range []search.Name{search.SuccessiveHalving, search.Hyperband} {
		var halved, drawn []float64
		for run := range int64(100) {
			p := problemOf(name, spaceOf(continuous("u", "0", "1"), continuous("v", "0", "1")), 120)
			p.Settings.Seed = run
			told := play(t, mustNew(t, p), noisyBranin)
			at, _ := best(inFull(told))
			halved = append(halved, branin(numberOf(at, 0), numberOf(at, 1)))
			p.Settings.Algorithm, p.Settings.MaxTrials = search.Random, int(math.Ceil(effortOf(told)))
			at, _ = best(play(t, mustNew(t, p), noisyBranin)[0])
			drawn = append(drawn, branin(numberOf(at, 0), numberOf(at, 1)))
		}
		checkBetter(t, string(name), halved, drawn)
	}
}

func TestFaultsOfHalving(t *testing.T) {
	tests := map[string]struct {
		halving search.HalvingSettings
		want    []string
	}{
		"out of range": {search.HalvingSettings{Fidelity: "Time", Minimum: 1, Reduction: 1}, []string{
			`FieldValueNotSupported at spec.search.halving.fidelity: supported values: "Requests", "Seeds"`,
			"FieldValueInvalid at spec.search.halving.reduction: must be at least 2",
			"FieldValueInvalid at spec.search.halving.minimum: must be a share between 0 and 1",
		}},
		"one seed": {search.HalvingSettings{Fidelity: search.Seeds}, []string{
			"FieldValueInvalid at spec.search.halving.fidelity: needs more than one seed, or no rung is cheaper than a full trial",
		}},
	}
	for name, tc := range tests {
		for _, algorithm := range []search.Name{search.SuccessiveHalving, search.Hyperband} {
			p := problemOf(algorithm, square, 100)
			p.Settings.Halving = tc.halving
			_, errs := search.New(p, path)
			if diff := cmp.Diff(tc.want, lines(errs)); diff != "" {
				t.Errorf("%s, %s: errors (−want +got):\n%s", algorithm, name, diff)
			}
		}
	}
}
