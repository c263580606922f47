// SPDX-License-Identifier: Apache-2.0

package adaptive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// mustLoad returns the configuration of a law with parameters, name and value in turn.
func mustLoad(t *testing.T, law string, parameters ...string) *Config {
	t.Helper()
	c, errs := load(law, parameters...)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return c
}

func load(law string, parameters ...string) (*Config, field.ErrorList) {
	values := map[string]string{}
	for i := 0; i < len(parameters); i += 2 {
		values[parameters[i]] = parameters[i+1]
	}
	return Load(Spec{law, values}, field.NewPath("adaptive"))
}

// rejecting is an epoch of 100 arrivals of which so many are rejected, and all others end
// within their targets.
func rejecting(rejected int64) Signal {
	return Signal{Arrived: 100, Admitted: 100 - rejected, Rejected: rejected, Completed: 100 - rejected, Good: 100 - rejected}
}

// after are the weights after each of some epochs; - marks epochs without a signal.
func after(l law, start Weights, epochs ...Signal) []string {
	var all []string
	w := start
	for _, s := range epochs {
		then, learnt := l.next(w, s)
		w = then
		text := fmt.Sprintf("%.4g:%.4g", w.Prefix, w.Load)
		if !learnt {
			text += " -"
		}
		all = append(all, text)
	}
	return all
}

func TestLaws(t *testing.T) {
	epochs := func(rejected ...int64) (all []Signal) {
		for _, r := range rejected {
			all = append(all, rejecting(r))
		}
		return all
	}
	for name, tc := range map[string]struct {
		law        string
		parameters []string
		start      Weights
		epochs     []Signal
		want       []string
	}{
		"bang-bang goes towards load where many are rejected": {"bang-bang", nil, Weights{3, 2}, epochs(11, 50, 50, 50, 50, 50, 50, 50), []string{"2.5:2.5", "2:3", "1.5:3.5", "1:4", "1:4.5", "1:5", "1:5", "1:5"}},
		"bang-bang goes towards prefixes where few are":       {"bang-bang", nil, Weights{3, 2.5}, epochs(1, 1), []string{"3.5:2", "4:2"}},
		"bang-bang stays between the thresholds":              {"bang-bang", nil, Weights{3, 2}, epochs(2, 10), []string{"3:2", "3:2"}},
		"bang-bang has no signal without a rejection":         {"bang-bang", nil, Weights{3, 2.5}, epochs(0), []string{"3:2.5 -"}},
		"bang-bang explores without one if asked to":          {"bang-bang", []string{"exploreWithoutSignal", "true"}, Weights{3, 2.5}, epochs(0), []string{"3.5:2"}},
		"bang-bang cycles between the thresholds":             {"bang-bang", []string{"low", "0.1"}, Weights{3, 3}, epochs(5, 20, 5, 20), []string{"3.5:2.5", "3:3", "3.5:2.5", "3:3"}},
		"the seed's law reads 9 of 100 arrivals as 9 of 91":   {"epoch-adaptive-seed", []string{"high", "0.095"}, Weights{3, 3}, epochs(9), []string{"2.5:3.5"}},
		"bang-bang reads 9 of 100":                            {"bang-bang", []string{"high", "0.095"}, Weights{3, 3}, epochs(9), []string{"3:3"}},
		"the seed's law gains without a signal up to 1.33":    {"epoch-adaptive-seed", nil, Weights{3, 2}, epochs(0, 0, 0, 0, 0, 0), []string{"3.5:2.632", "4:3.008", "4.5:3.383", "5:3.759", "5:3.759", "5:3.759"}},
		"multiplicative goes by the error":                    {"multiplicative", []string{"target", "0"}, Weights{4, 3}, epochs(20), []string{"3.6:3.3"}},
		"multiplicative rests at the target":                  {"multiplicative", nil, Weights{4, 3}, epochs(6), []string{"4:3"}},
		"multiplicative comes back below the target":          {"multiplicative", nil, Weights{4, 3}, epochs(1), []string{"4.1:2.925"}},
		"multiplicative has no signal without a rejection":    {"multiplicative", nil, Weights{4, 3}, epochs(0), []string{"4:3 -"}},
		"multiplicative stays within its bounds":              {"multiplicative", nil, Weights{1, 5}, epochs(90), []string{"1:5"}},
		"pi rests at the target":                              {"pi", nil, Weights{4, 3}, epochs(6, 6), []string{"4:3", "4:3"}},
		"pi has no signal without a rejection":                {"pi", nil, Weights{4, 3}, epochs(0), []string{"4:3 -"}},
		"pi is proportional":                                  {"pi", []string{"integral", "0", "smoothing", "1"}, Weights{4, 3}, epochs(16, 16, 6), []string{fmt.Sprintf("%.4g:3", 4*math.Exp(-.1)), fmt.Sprintf("%.4g:3", 4*math.Exp(-.1)), "4:3"}},
		"pi is integral":                                      {"pi", []string{"proportional", "0", "integral", "1", "smoothing", "1"}, Weights{4, 3}, epochs(16, 16, 6), []string{fmt.Sprintf("%.4g:3", 4*math.Exp(-.1)), fmt.Sprintf("%.4g:3", 4*math.Exp(-.2)), fmt.Sprintf("%.4g:3", 4*math.Exp(-.2))}},
		"pi smoothes":                                         {"pi", []string{"integral", "0", "smoothing", "0.5"}, Weights{4, 3}, epochs(6, 26), []string{"4:3", fmt.Sprintf("%.4g:3", 4*math.Exp(-.1))}},
		// The target less 100 % is −0.94, so the ratio is 3/2·e^−9.4 and below the least one,
		// 1/5 (minPrefix ÷ maxLoad). A load of 2 would need prefixes to have 0.4; they have 1,
		// and load has 5. Nothing rejected but one of 100 is +0.05: 3/2·e^5 is above 5/2, which
		// a load of 2 has with 5, the most, and a load of 4 not: prefixes have 5, and load 2.
		"pi keeps the least weight of prefixes":    {"pi", []string{"integral", "0", "smoothing", "1", "proportional", "10"}, Weights{3, 2}, epochs(100), []string{"1:5"}},
		"pi keeps the greatest weight of prefixes": {"pi", []string{"integral", "0", "smoothing", "1", "proportional", "100"}, Weights{3, 4}, epochs(1), []string{"5:2"}},
		"exp3 learns nothing while nothing ends":   {"exp3", []string{"grid", "1,5"}, Weights{3, 2}, []Signal{{Arrived: 100, Admitted: 100}}, []string{"3:2 -"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := mustLoad(t, tc.law, tc.parameters...).make(world{start: tc.start, most: math.Inf(1), seed: 1})
			if diff := cmp.Diff(tc.want, after(l, tc.start, tc.epochs...)); diff != "" {
				t.Errorf("weights (−want +got):\n%s", diff)
			}
		})
	}
}

// Whatever happens, and with whichever cap, no weight of an epoch leaves its bounds, and no
// ratio the cap.
func TestWeightsStayWithinTheirBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"bang-bang", "multiplicative", "pi"} {
		for range 200 {
			text := func(x float64) string { return fmt.Sprint(x) }
			least := Weights{0.1 + 2*rng.Float64(), 0.1 + 2*rng.Float64()}
			most := Weights{least.Prefix + 5*rng.Float64(), least.Load + 5*rng.Float64()}
			w := Weights{least.Prefix, most.Load}
			c := mustLoad(t, name, "minPrefix", text(least.Prefix), "maxPrefix", text(most.Prefix), "minLoad", text(least.Load), "maxLoad", text(most.Load))
			c.limit = limit{w.Prefix * (1 + rng.Float64()), w.Load}
			l := c.make(world{start: w, most: c.limit.ratio()})
			for range 50 {
				then, _ := l.next(w, rejecting(1+rng.Int64N(100)))
				w, _ = c.limit.hold(then, c.bounds.highestLoad())
				if c.bounds.clamp(w) != w || w.Prefix/w.Load > c.limit.ratio()+1e-12 {
					t.Fatalf("%s: the weights are %v, between %v and %v with the cap %v", name, w, least, most, c.limit)
				}
			}
		}
	}
}

// A plant rejects more the greater the ratio is: pi and multiplicative settle at their
// target, and bang-bang does not where its thresholds are close.
func TestLawsThatSettle(t *testing.T) {
	plant := func(w Weights) Signal {
		return Signal{Arrived: 10_000, Rejected: int64(10_000 * 0.06 * w.Prefix / w.Load)}
	}
	for _, tc := range []struct {
		law        string
		parameters []string
		settles    bool
	}{
		{"multiplicative", nil, true},
		{"pi", []string{"integral", "2"}, true},
		{"bang-bang", []string{"low", "0.065", "high", "0.065"}, false},
	} {
		start := Weights{4, 3}
		l := mustLoad(t, tc.law, tc.parameters...).make(world{start: start, most: math.Inf(1)})
		w, last := start, 0.0
		for range 500 {
			last = w.Prefix / w.Load
			w, _ = l.next(w, plant(w))
		}
		ratio := w.Prefix / w.Load
		if settles := math.Abs(ratio-1) < 0.01 && math.Abs(ratio-last) < 1e-3; settles != tc.settles {
			t.Errorf("%s: the ratio was %v and is %v", tc.law, last, ratio)
		}
	}
}

// After a long time at a bound the ratio leaves the bound with the first error of the
// other sign.
func TestTheIntegralDoesNotWindUp(t *testing.T) {
	start := Weights{4, 3}
	l := mustLoad(t, "pi", "smoothing", "1", "proportional", "0").make(world{start: start, most: 4.0 / 3})
	w := start
	for range 1000 {
		w, _ = l.next(w, rejecting(90))
	}
	if got := w.Prefix / w.Load; math.Abs(got-0.2) > 1e-12 {
		t.Errorf("the ratio is %v, want the bound 0.2", got)
	}
	if w, _ = l.next(w, rejecting(1)); w.Prefix/w.Load <= 0.201 {
		t.Errorf("the ratio is still %v", w.Prefix/w.Load)
	}
	for range 1000 {
		w, _ = l.next(w, rejecting(1))
	}
	if got := w.Prefix / w.Load; got != 4.0/3 {
		t.Errorf("the ratio is %v, want that of the cap", got)
	}
}

// EXP3 draws the arm with the greatest reward most often, and every arm sometimes.
func TestEXP3FindsTheBestArm(t *testing.T) {
	draws := func(seed int64) map[float64]int {
		start := Weights{3, 2}
		l := mustLoad(t, "exp3", "grid", "1,2,3,4,5").make(world{start: start, most: 2, seed: seed})
		count := map[float64]int{}
		w := start
		for range 5000 {
			good := int64(50)
			if w.Prefix == 2 {
				good = 90
			}
			w, _ = l.next(w, Signal{Arrived: 100, Completed: 100, Good: good})
			count[w.Prefix]++
		}
		return count
	}
	count := draws(1)
	if count[2] < 3000 || count[1] < 50 || count[4] < 50 || count[5] > 0 {
		t.Errorf("weights of prefixes were drawn %v times; 2 is best, and 5 above the cap", count)
	}
	if diff := cmp.Diff(count, draws(1)); diff != "" {
		t.Errorf("the same seed gives other draws:\n%s", diff)
	}
	if cmp.Equal(count, draws(2)) {
		t.Error("another seed gives the same draws")
	}
}

func TestLimits(t *testing.T) {
	for name, tc := range map[string]struct {
		cap  string
		w    Weights
		want string
	}{
		"4:3 is not above 4:3":   {"4:3", Weights{4, 3}, "4:3 false"},
		"3:2 is":                 {"4:3", Weights{3, 2}, "3:2.25 true"},
		"a multiple is the same": {"8:6", Weights{3, 2}, "3:2.25 true"},
		"below nothing changes":  {"4:3", Weights{1, 5}, "1:5 false"},
		// A load of 5 ÷ 1/2 would be 10, and 5 is the most: prefixes get 5/2.
		"load stays below its bound":       {"1:2", Weights{5, 5}, "2.5:5 true"},
		"without a cap every ratio stands": {"none", Weights{5, 2}, "5:2 false"},
	} {
		t.Run(name, func(t *testing.T) {
			w, held := mustLoad(t, "pi", "cap", tc.cap).limit.hold(tc.w, 5)
			if got := fmt.Sprintf("%g:%g %t", w.Prefix, w.Load, held); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
	if w, held := limitOf(0.5).hold(Weights{4, 2}, 5); !held || w.Prefix*0.5 >= w.Load {
		t.Errorf("a workload with m = 0.5 lets %v through (%t)", w, held)
	}
	if _, held := limitOf(0).hold(Weights{100, 1}, 5); held {
		t.Error("a workload without a hot prefix has a cap")
	}
}
