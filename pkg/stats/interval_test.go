// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/stats"
)

var approximately = cmpopts.EquateApprox(0, 1e-4)

func TestMeanInterval(t *testing.T) {
	tests := map[string]struct {
		numbers []float64
		want    stats.Interval
	}{
		"nothing":                {nil, stats.Interval{}},
		"one number has no ends": {[]float64{7.5}, stats.Interval{Mean: 7.5, Low: 7.5, High: 7.5, N: 1}},
		"two numbers":            {[]float64{1, 3}, stats.Interval{Mean: 2, Low: -10.7062, High: 14.7062, StdDev: 1.4142, N: 2}},
		"five numbers":           {[]float64{1, 2, 3, 4, 5}, stats.Interval{Mean: 3, Low: 1.0368, High: 4.9632, StdDev: 1.5811, N: 5}},
		"a small spread about a large mean": {
			[]float64{1e9 + 1, 1e9 + 2, 1e9 + 3},
			stats.Interval{Mean: 1e9 + 2, Low: 1e9 + 2 - 2.48414, High: 1e9 + 2 + 2.48414, StdDev: 1, N: 3},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, stats.MeanInterval(tc.numbers, 0.95), approximately); diff != "" {
				t.Errorf("interval (−want +got):\n%s", diff)
			}
		})
	}
}

func TestEqualNumbersHaveNoSpreadAtAll(t *testing.T) {
	want := stats.Interval{Mean: 0.1, Low: 0.1, High: 0.1, N: 3}
	if diff := cmp.Diff(want, stats.MeanInterval([]float64{0.1, 0.1, 0.1}, 0.95)); diff != "" {
		t.Errorf("interval (−want +got):\n%s", diff)
	}
}

func TestPairedDifferenceCancelsWhatBothMet(t *testing.T) {
	luck := []float64{100, 250, 30, 700, 410}
	gain := []float64{5, 6, 5, 4, 5}
	with := make([]float64, len(luck))
	for i := range luck {
		with[i] = luck[i] + gain[i]
	}
	got := stats.PairedDifference(with, luck, 0.95)
	if diff := cmp.Diff(stats.MeanInterval(gain, 0.95), got, approximately); diff != "" {
		t.Errorf("interval (−want +got):\n%s", diff)
	}
	if got.Low < 4 || got.High > 6 {
		t.Errorf("interval [%v, %v] is wider than the gain's", got.Low, got.High)
	}
}

func TestPairsOfDifferentLengthsPanic(t *testing.T) {
	defer paniccheck.Want(t, "did not panic")
	stats.PairedDifference([]float64{1, 2}, []float64{1}, 0.95)
}

func TestIntervalIsWrittenInLowerCamelCase(t *testing.T) {
	text := jsontest.Encode(t, stats.Interval{Mean: 2, Low: 1, High: 3, StdDev: 0.5, N: 4})
	if diff := cmp.Diff(`{"mean":2,"low":1,"high":3,"stdDev":0.5,"n":4}`, string(text)); diff != "" {
		t.Errorf("JSON (−want +got):\n%s", diff)
	}
}
