// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func ratOf(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// checkAxis looks at the values at some indices, in ascending order, and at a
// few draws.
func checkAxis(t *testing.T, p Parameter, a axis, indices []int64) {
	t.Helper()
	low, high := ratOf(t, p.Min), ratOf(t, p.Max)
	var previous *big.Rat
	last := int64(-1)
	for _, index := range indices {
		if index <= last || index >= a.size() {
			continue
		}
		text := a.at(index)
		value := ratOf(t, text)
		if canonical, err := CanonicalDecimal(text); err != nil || canonical != text {
			t.Fatalf("%+v: value %d is %q, canonically %q", p, index, text, canonical)
		}
		if value.Cmp(low) < 0 || value.Cmp(high) > 0 || previous != nil && value.Cmp(previous) <= 0 {
			t.Fatalf("%+v: value %d is %s, outside of the range or not above its predecessor", p, index, text)
		}
		previous, last = value, index
	}
	s := stats.NewStream(1, "axis")
	for range 10 {
		u := s.Float64()
		index := a.place(u)
		if index < 0 || index >= a.size() {
			t.Fatalf("%+v: value %d of %d at %v", p, index, a.size(), u)
		}
		value := a.at(index)
		if again := a.place(a.coordinate(value)); again != index {
			t.Fatalf("%+v: value %d is at %v, where value %d is", p, index, a.coordinate(value), again)
		}
		if found, ok := a.find("0" + strings.TrimPrefix(value, "-")); value[0] != '-' && len(value) < maxDecimalLength && (!ok || found != value) {
			t.Fatalf("%+v: 0%s is found as %q, %v", p, value, found, ok)
		}
	}
}

func mustAxis(t *testing.T, p Parameter) axis {
	t.Helper()
	a, errs := p.axis(nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return a
}

func TestAxesHoldExactValues(t *testing.T) {
	tests := map[string]struct {
		parameter Parameter
		want      []Value // first values
		size      int64
		last      Value
	}{
		"steps of a half": {
			Parameter{Kind: Stepped, Min: "0", Max: "5", Step: "0.5"},
			[]Value{"0", "0.5", "1", "1.5", "2"}, 11, "5",
		},
		"steps of a tenth do not drift": {
			Parameter{Kind: Stepped, Min: "0.10", Max: "1", Step: "0.1"},
			[]Value{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}, 10, "1",
		},
		"steps that do not meet the end stop before it": {
			Parameter{Kind: Stepped, Min: "-1", Max: "1", Step: "0.75"}, []Value{"-1", "-0.25", "0.5"}, 3, "0.5",
		},
		"a step wider than the range leaves its beginning": {
			Parameter{Kind: Stepped, Min: "2", Max: "3", Step: "100"}, []Value{"2"}, 1, "2",
		},
		"a range of one number": {
			Parameter{Kind: Continuous, Min: "2.5", Max: "2.50"}, []Value{"2.5"}, 1, "2.5",
		},
		"integers": {
			Parameter{Kind: Integer, Min: "-2", Max: "2.0"}, []Value{"-2", "-1", "0", "1", "2"}, 5, "2",
		},
		"integers in steps": {
			Parameter{Kind: Integer, Min: "16", Max: "64", Step: "16"}, []Value{"16", "32", "48", "64"}, 4, "64",
		},
		"continuous numbers have six digits of the width": {
			Parameter{Kind: Continuous, Min: "0", Max: "5"}, []Value{"0", "0.00001", "0.00002"}, 500_001, "5",
		},
		"a narrow continuous range far from zero": {
			Parameter{Kind: Continuous, Min: "1000000", Max: "1000001"}, []Value{"1000000", "1000000.00001"}, 100_001, "1000001",
		},
		"a wide continuous range": {
			Parameter{Kind: Continuous, Min: "0", Max: "8000000"}, []Value{"0", "10", "20"}, 800_001, "8000000",
		},
		"a logarithmic range has six digits at each of its ends": {
			Parameter{Kind: Continuous, Min: "0.001", Max: "1000", LogScale: true},
			[]Value{"0.001", "0.00100001", "0.00100002"}, 6*900_000 + 1, "1000",
		},
		"a logarithmic range across a power of ten": {
			Parameter{Kind: Continuous, Min: "999.998", Max: "1000.02", LogScale: true},
			[]Value{"999.998", "999.999", "1000", "1000.01", "1000.02"}, 5, "1000.02",
		},
		"ends of a logarithmic range with more digits are rounded inwards": {
			Parameter{Kind: Continuous, Min: "0.12345678", Max: "0.12345999", LogScale: true},
			[]Value{"0.123457", "0.123458", "0.123459"}, 3, "0.123459",
		},
		"a logarithmic range between two numbers of six digits": {
			Parameter{Kind: Continuous, Min: "1.0000001", Max: "1.0000002", LogScale: true},
			[]Value{"1.0000001", "1.000000100001"}, 100_001, "1.0000002",
		},
		"a logarithmic range of large numbers": {
			Parameter{Kind: Continuous, Min: "12345678", Max: "12345700", LogScale: true},
			[]Value{"12345700"}, 1, "12345700",
		},
		"choices stay as they are": {
			Parameter{Kind: Choice, Choices: []string{"1.0", "random", "max"}}, []Value{"1.0", "random", "max"}, 3, "max",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := mustAxis(t, tc.parameter)
			var got []Value
			for i := range tc.want {
				got = append(got, a.at(int64(i)))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("first values (−want +got):\n%s", diff)
			}
			if a.size() != tc.size || a.at(a.size()-1) != tc.last {
				t.Errorf("%d values, the last %q, want %d and %q", a.size(), a.at(a.size()-1), tc.size, tc.last)
			}
			if tc.parameter.Kind == Choice {
				return
			}
			indices := []int64{}
			for i := range int64(1000) {
				indices = append(indices, i*max(a.size()/1000, 1))
			}
			checkAxis(t, tc.parameter, a, indices)
		})
	}
}

// Ranks of six-digit numbers and their texts are each other's inverse, so a
// value near a draw is the nearest.
func TestLogarithmicDrawsAreRoundedToTheNearestValue(t *testing.T) {
	p := Parameter{Kind: Continuous, Min: "0.00012", Max: "34000", LogScale: true}
	a := mustAxis(t, p).(*digitsAxis)
	values, draws := stats.NewStream(3, "axis"), stats.NewStream(3, "axis")
	for range 2000 {
		x := a.log.number(values.Float64())
		got, err := strconv.ParseFloat(a.at(a.place(draws.Float64())), 64)
		if err != nil || math.Abs(got-x) > 0.5000001e-5*x {
			t.Fatalf("%v is rounded to %v: %v", x, got, err)
		}
	}
}

func TestAxesFindTheirValuesAndNoOthers(t *testing.T) {
	tests := map[string]struct {
		parameter Parameter
		on, off   []string
	}{
		"steps":   {Parameter{Kind: Stepped, Min: "0.5", Max: "2", Step: "0.5"}, []string{"0.5", "1.00", "2"}, []string{"0", "2.5", "0.75", "1.50001", "", "x", "-1"}},
		"digits":  {Parameter{Kind: Continuous, Min: "0.01", Max: "10", LogScale: true}, []string{"0.01", "0.0123456", "9.99999", "10.0"}, []string{"0.00999999", "1.000001", "10.0001", "0", "-1", "", "x"}},
		"choices": {Parameter{Kind: Choice, Choices: []string{"a", "b"}}, []string{"a", "b"}, []string{"", "c"}},
	}
	for name, tc := range tests {
		a := mustAxis(t, tc.parameter)
		for _, text := range tc.on {
			if _, ok := a.find(text); !ok {
				t.Errorf("%s: %q is not found", name, text)
			}
		}
		for _, text := range tc.off {
			if got, ok := a.find(text); ok {
				t.Errorf("%s: %q is found as %q", name, text, got)
			}
		}
	}
}

func TestDrawsSpreadAsTheScaleSays(t *testing.T) {
	tests := map[string]struct {
		parameter Parameter
		below     func(x float64) float64 // share of draws that are at most x
		at        []float64
	}{
		"steps": {
			Parameter{Kind: Stepped, Min: "1", Max: "10", Step: "1"},
			func(x float64) float64 { return math.Floor(x) / 10 }, []float64{1, 2, 5, 9, 10},
		},
		"continuous": {
			Parameter{Kind: Continuous, Min: "-2", Max: "6"},
			func(x float64) float64 { return (x + 2) / 8 }, []float64{-1.5, 0, 2, 5.9, 6},
		},
		"continuous, logarithmic": {
			Parameter{Kind: Continuous, Min: "0.01", Max: "100", LogScale: true},
			func(x float64) float64 { return math.Log(x/0.01) / math.Log(1e4) }, []float64{0.02, 0.1, 1, 10, 100},
		},
		"integers, logarithmic": {
			Parameter{Kind: Integer, Min: "1", Max: "1000", LogScale: true},
			func(x float64) float64 { return math.Log(min(x+0.5, 1000)) / math.Log(1000) }, []float64{1, 2, 10, 100, 1000},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			const n = 20_000
			a, s := mustAxis(t, tc.parameter), stats.NewStream(1, name)
			draws := make([]float64, n)
			for i := range draws {
				draws[i], _ = strconv.ParseFloat(a.at(a.place(s.Float64())), 64)
			}
			slices.Sort(draws)
			for _, x := range tc.at {
				got, _ := slices.BinarySearchFunc(draws, x, func(draw, x float64) int {
					if draw <= x {
						return -1
					}
					return 1
				})
				want := tc.below(x)
				if tolerance := 4 * math.Sqrt(n*want*(1-want)); math.Abs(float64(got)-n*want) > tolerance+1e-6 {
					t.Errorf("%d of %d draws are at most %v, want %.0f ± %.0f", got, n, x, n*want, tolerance)
				}
			}
		})
	}
}
