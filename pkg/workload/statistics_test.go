// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func readFile(t testing.TB, format workload.Format, path string) *workload.Trace {
	t.Helper()
	trace, err := workload.ReadTrace(format, bytes.NewReader(readTestFile(t, path)), path)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestStatistics(t *testing.T) {
	for name, tc := range map[string]struct {
		format workload.Format
		file   string
		want   workload.TraceStatistics
	}{
		// Blocks 0 and 1 are served three times, to the second, third and fifth
		// request; id 2 is a partial block's and never is.
		"Mooncake": {workload.Mooncake, "testdata/mooncake.jsonl", workload.TraceStatistics{
			Requests:           6,
			DistinctTimestamps: 3,
			Span:               6 * time.Second,
			RatePerSecond:      1,
			Input:              workload.LengthStatistics{Mean: 5872.0 / 6, Min: 100, P50: 1024, P90: 1536, P99: 1536, Max: 1536},
			Output:             workload.LengthStatistics{Mean: 370.0 / 6, Min: 1, P50: 7, P90: 300, P99: 300, Max: 300},
			InputTokens:        5872,
			ReusableTokens:     6 * 512,
			ReusableShare:      6 * 512 / 5872.0,
		}},
		"Azure": {workload.Azure, "testdata/azure.csv", workload.TraceStatistics{
			Requests:           3,
			DistinctTimestamps: 3,
			Span:               2500*time.Millisecond + 100,
			RatePerSecond:      3 / 2.5000001,
			Input:              workload.LengthStatistics{Mean: 8500.0 / 3, Min: 512, P50: 3180, P90: 4808, P99: 4808, Max: 4808},
			Output:             workload.LengthStatistics{Mean: 19.0 / 3, Min: 1, P50: 8, P90: 10, P99: 10, Max: 10},
			InputTokens:        8500,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, readFile(t, tc.format, tc.file).Statistics()); diff != "" {
				t.Errorf("statistics (−want +got):\n%s", diff)
			}
		})
	}
}

func TestStatisticsOfOneRequest(t *testing.T) {
	got := azureTrace(t, 7).Statistics()
	want := workload.TraceStatistics{
		Requests: 1, DistinctTimestamps: 1, InputTokens: 100,
		Input:  workload.LengthStatistics{Mean: 100, Min: 100, P50: 100, P90: 100, P99: 100, Max: 100},
		Output: workload.LengthStatistics{Mean: 1, Min: 1, P50: 1, P90: 1, P99: 1, Max: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statistics (−want +got):\n%s", diff)
	}
}

// The figures of the published traces below were computed from the files
// without this package; quantiles are lengths that occur, not interpolated.
func TestStatisticsOfTheMooncakeConversationTrace(t *testing.T) {
	trace := readFile(t, workload.Mooncake, testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl"))
	if got, want := trace.Digest(), "b8cbb061a85206d729d91cdc2981f43c9e0d99209dce588d3af5f7934408b9df"; got != want {
		t.Skipf("another version of the file: its digest is %s", got)
	}
	s := trace.Statistics()
	round := func(x, unit float64) float64 { return math.Round(x/unit) * unit }
	type figures struct {
		Requests, DistinctTimestamps int
		Span                         time.Duration
		Rate, ReusablePercent        float64
		InputMean, OutputMean        float64
		InputP50, InputMin, InputMax int
		InputP90, InputP99           int
	}
	got := figures{
		Requests: s.Requests, DistinctTimestamps: s.DistinctTimestamps, Span: s.Span,
		Rate: round(s.RatePerSecond, 0.01), ReusablePercent: round(100*s.ReusableShare, 0.1),
		InputMean: round(s.Input.Mean, 1), OutputMean: round(s.Output.Mean, 0.1),
		InputP50: s.Input.P50, InputMin: s.Input.Min, InputMax: s.Input.Max,
		InputP90: s.Input.P90, InputP99: s.Input.P99,
	}
	want := figures{
		Requests: 12_031, DistinctTimestamps: 1_180, Span: 3_536_999 * time.Millisecond,
		Rate: round(3.40, 0.01), ReusablePercent: round(37.3, 0.1),
		InputMean: 12_035, OutputMean: round(342.6, 0.1),
		InputP50: 6_909, InputMin: 891, InputMax: 126_195,
		InputP90: 27_367, InputP99: 85_401,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (−want +got):\n%s", diff)
	}
	requests := take(trace.Replay(workload.Replay{RateScale: 1, Arrivals: workload.Spread}, 1), -1)
	checkOrder(t, requests)
}

func TestStatisticsOfTheAzureCodeTrace(t *testing.T) {
	trace := readFile(t, workload.Azure, testdata.File(t, "traces", "azure-2023", "AzureLLMInferenceTrace_code.csv"))
	if got, want := trace.Digest(), "54e9a6d2a4bd06ba1e060304b900abbc74cbea53de96506e60fe5bb4f2277fb6"; got != want {
		t.Skipf("another version of the file: its digest is %s", got)
	}
	s := trace.Statistics()
	if s.Requests != 8_819 || s.DistinctTimestamps != 8_819 || s.ReusableTokens != 0 {
		t.Errorf("%d requests at %d times with %d reusable tokens, want 8819, 8819, 0",
			s.Requests, s.DistinctTimestamps, s.ReusableTokens)
	}
	if got, want := s.Span.Round(100*time.Millisecond), 3_435_900*time.Millisecond; got != want {
		t.Errorf("span %v, want %v", got, want)
	}
	want := workload.LengthStatistics{Mean: 2048, Min: 3, P50: 1469, P90: 5194, P99: 7436, Max: 7437}
	got := s.Input
	got.Mean = math.Round(got.Mean)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prompts (−want +got):\n%s", diff)
	}
	want = workload.LengthStatistics{Mean: 28, Min: 6, P50: 13, P90: 55, P99: 252, Max: 1899}
	got = s.Output
	got.Mean = math.Round(got.Mean)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (−want +got):\n%s", diff)
	}
}
