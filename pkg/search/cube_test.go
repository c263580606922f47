// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func mustCube(t testing.TB, s Space) *cube {
	t.Helper()
	c, errs := s.cube(nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return c
}

var conditional = Space{Parameters: []Parameter{
	{Name: "threshold", Kind: Continuous, Min: "0.01", Max: "100", LogScale: true},
	{Name: "picker", Kind: Choice, Choices: []string{"max", "weighted"}},
	{Name: "temperature", Kind: Stepped, Min: "1", Max: "3", Step: "0.5", When: &Condition{"picker", []string{"weighted"}}},
	{Name: "sequences", Kind: Integer, Min: "1", Max: "1024", LogScale: true},
}}

func TestCoordinatesAreCentresOfCells(t *testing.T) {
	c := mustCube(t, conditional)
	tests := map[string]struct {
		point Values
		want  []float64
	}{
		"everything exists":         {Values{"1", "weighted", "1.5", "32"}, []float64{0.5, 0.75, 0.3, 0.5}},
		"no temperature":            {Values{"10", "max", "", "1024"}, []float64{0.75, 0.25, math.NaN(), 1}},
		"a baseline beside it":      {Values{"1000", "weighted", "1.6", "0"}, []float64{1, 0.75, 0.34, 0}},
		"a label that is not there": {Values{"0.01", "random", "", "1"}, []float64{0, math.NaN(), math.NaN(), 0}},
	}
	for name, tc := range tests {
		got := c.encode(tc.point)
		if diff := cmp.Diff(tc.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
	}
}

func TestDecodingGivesPointsOfTheSpaceAndUndoesEncoding(t *testing.T) {
	c, u := mustCube(t, conditional), newUntried(mustCube(t, conditional))
	s := (&problem{}).stream(1)
	for range 2000 {
		p := u.draw(s)
		if err := c.contains(p); err != nil {
			t.Fatalf("%q: %v", p, err)
		}
		if again := c.decode(c.encode(p)); !slices.Equal(p, again) {
			t.Fatalf("%q became %q", p, again)
		}
	}
	for _, edge := range []float64{-1, 0, 1, 2, math.NaN(), math.Inf(1)} {
		if p := c.decode([]float64{edge, edge, edge, edge}); c.contains(p) != nil {
			t.Errorf("%v: %q: %v", edge, p, c.contains(p))
		}
	}
}

func TestWhatIsOutsideOfASpaceIsNamed(t *testing.T) {
	tests := map[string]Values{
		"has 1 values, and there are 4 parameters":                           {"1"},
		`parameter "threshold" does not take the value "1000"`:               {"1000", "max", "", "1"},
		`parameter "threshold" does not take the value "1.0"`:                {"1.0", "max", "", "1"},
		`parameter "temperature" does not exist here, and has the value "1"`: {"1", "max", "1", "1"},
		`parameter "temperature" has no value`:                               {"1", "weighted", "", "1"},
		`parameter "picker" does not take the value "random"`:                {"1", "random", "", "1"},
	}
	for want, p := range tests {
		if err := conditional.Contains(p); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", p, err, want)
		}
	}
}
