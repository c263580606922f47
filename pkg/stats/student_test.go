// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"strconv"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// The values that every table of the t distribution prints.
func TestStudentTMatchesPublishedTables(t *testing.T) {
	tables := map[float64]map[int]string{
		0.90: {1: "6.314", 2: "2.920", 3: "2.353", 4: "2.132", 5: "2.015", 10: "1.812", 30: "1.697", 120: "1.658"},
		0.95: {
			1: "12.706", 2: "4.303", 3: "3.182", 4: "2.776", 5: "2.571", 6: "2.447", 7: "2.365", 8: "2.306", 9: "2.262",
			10: "2.228", 15: "2.131", 20: "2.086", 25: "2.060", 30: "2.042", 40: "2.021", 60: "2.000", 120: "1.980",
			1_000_000: "1.960",
		},
		0.99:  {1: "63.657", 2: "9.925", 3: "5.841", 4: "4.604", 5: "4.032", 10: "3.169", 30: "2.750", 120: "2.617"},
		0.999: {1: "636.619", 2: "31.599", 3: "12.924", 4: "8.610", 10: "4.587", 30: "3.646"},
		0.50:  {1: "1.000", 2: "0.816", 4: "0.741", 10: "0.700"},
	}
	for confidence, table := range tables {
		for degrees, want := range table {
			if got := strconv.FormatFloat(stats.StudentT(confidence, degrees), 'f', 3, 64); got != want {
				t.Errorf("confidence %v, %d degrees: %s, want %s", confidence, degrees, got, want)
			}
		}
	}
}

// With one and two degrees of freedom the critical value has a closed form.
func TestStudentTMatchesClosedForms(t *testing.T) {
	for _, confidence := range []float64{1e-6, 0.1, 0.5, 0.8, 0.95, 0.999, 0.999999} {
		one := math.Tan(math.Pi / 2 * confidence)
		two := confidence * math.Sqrt(2/((1-confidence)*(1+confidence)))
		for degrees, want := range map[int]float64{1: one, 2: two} {
			if got := stats.StudentT(confidence, degrees); math.Abs(got-want) > 1e-9*want {
				t.Errorf("confidence %v, %d degrees: %v, want %v", confidence, degrees, got, want)
			}
		}
	}
}

func TestStudentTFallsSmoothlyWhereTheMethodChanges(t *testing.T) {
	for _, confidence := range []float64{0.5, 0.95, 0.9999} {
		var at [4]float64
		for i := range at {
			at[i] = stats.StudentT(confidence, 999+i)
		}
		for i := range 3 {
			drop := at[i] - at[i+1]
			if want := at[0] - at[1]; drop < 0.99*want || drop > 1.01*want {
				t.Errorf("confidence %v, from %d to %d degrees: it falls by %v, want about %v", confidence, 999+i, 1000+i, drop, want)
			}
		}
	}
}

func TestImpossibleStudentTPanics(t *testing.T) {
	tests := map[string]struct {
		confidence float64
		degrees    int
	}{
		"certainty":            {1, 5},
		"no confidence":        {0, 5},
		"percent":              {95, 5},
		"not a number":         {math.NaN(), 5},
		"no degree of freedom": {0.95, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			defer paniccheck.Want(t, "did not panic")
			stats.StudentT(tc.confidence, tc.degrees)
		})
	}
}
