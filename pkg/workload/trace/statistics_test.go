// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

func readFile(t testing.TB, format trace.Format, path string) *trace.Trace {
	t.Helper()
	recorded, err := trace.ReadWith(format, readOptions(format), bytes.NewReader(testfile.Read(t, path)), path)
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

func TestStatistics(t *testing.T) {
	for name, tc := range map[string]struct {
		format trace.Format
		file   string
		want   trace.Statistics
	}{
		// Blocks 0 and 1 are served three times, to the second, third and fifth
		// request; id 2 is a partial block's and never is.
		"Mooncake": {trace.Mooncake, "testdata/mooncake.jsonl", trace.Statistics{
			Requests:           6,
			DistinctTimestamps: 3,
			Span:               6 * time.Second,
			RatePerSecond:      1,
			Input:              trace.LengthStatistics{Mean: 5872.0 / 6, Min: 100, P50: 1024, P90: 1536, P99: 1536, Max: 1536},
			Output:             trace.LengthStatistics{Mean: 370.0 / 6, Min: 1, P50: 7, P90: 300, P99: 300, Max: 300},
			InputTokens:        5872,
			ReusableTokens:     6 * 512,
			ReusableShare:      6 * 512 / 5872.0,
			DistinctBlocks:     4,
		}},
		"Azure": {trace.Azure, "testdata/azure.csv", trace.Statistics{
			Requests:           3,
			DistinctTimestamps: 3,
			Span:               2500*time.Millisecond + 100,
			RatePerSecond:      3 / 2.5000001,
			Input:              trace.LengthStatistics{Mean: 8500.0 / 3, Min: 512, P50: 3180, P90: 4808, P99: 4808, Max: 4808},
			Output:             trace.LengthStatistics{Mean: 19.0 / 3, Min: 1, P50: 8, P90: 10, P99: 10, Max: 10},
			InputTokens:        8500,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, statistics(t, readFile(t, tc.format, tc.file))); diff != "" {
				t.Errorf("statistics (−want +got):\n%s", diff)
			}
		})
	}
}

func TestStatisticsOfOneRequest(t *testing.T) {
	got := statistics(t, azureTrace(t, 7))
	want := trace.Statistics{
		Requests: 1, DistinctTimestamps: 1, InputTokens: 100,
		Input:  trace.LengthStatistics{Mean: 100, Min: 100, P50: 100, P90: 100, P99: 100, Max: 100},
		Output: trace.LengthStatistics{Mean: 1, Min: 1, P50: 1, P90: 1, P99: 1, Max: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statistics (−want +got):\n%s", diff)
	}
}

// The figures of the published traces below were computed from the files
// without this package; quantiles are lengths that occur, not interpolated.
func TestStatisticsOfTheMooncakeConversationTrace(t *testing.T) {
	recorded := readFile(t, trace.Mooncake, testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl"))
	if got, want := recorded.Digest(), "b8cbb061a85206d729d91cdc2981f43c9e0d99209dce588d3af5f7934408b9df"; got != want {
		t.Skipf("another version of the file: its digest is %s", got)
	}
	s := statistics(t, recorded)
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
	requests := workloadtest.Take(recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.Spread}, 1), -1)
	workloadtest.CheckOrder(t, requests)
}

func TestStatisticsOfTheAzureCodeTrace(t *testing.T) {
	recorded := readFile(t, trace.Azure, testdata.File(t, "traces", "azure-2023", "AzureLLMInferenceTrace_code.csv"))
	if got, want := recorded.Digest(), "54e9a6d2a4bd06ba1e060304b900abbc74cbea53de96506e60fe5bb4f2277fb6"; got != want {
		t.Skipf("another version of the file: its digest is %s", got)
	}
	s := statistics(t, recorded)
	if s.Requests != 8_819 || s.DistinctTimestamps != 8_819 || s.ReusableTokens != 0 {
		t.Errorf("%d requests at %d times with %d reusable tokens, want 8819, 8819, 0",
			s.Requests, s.DistinctTimestamps, s.ReusableTokens)
	}
	if got, want := s.Span.Round(100*time.Millisecond), 3_435_900*time.Millisecond; got != want {
		t.Errorf("span %v, want %v", got, want)
	}
	want := trace.LengthStatistics{Mean: 2048, Min: 3, P50: 1469, P90: 5194, P99: 7436, Max: 7437}
	got := s.Input
	got.Mean = math.Round(got.Mean)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prompts (−want +got):\n%s", diff)
	}
	want = trace.LengthStatistics{Mean: 28, Min: 6, P50: 13, P90: 55, P99: 252, Max: 1899}
	got = s.Output
	got.Mean = math.Round(got.Mean)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (−want +got):\n%s", diff)
	}
}

// figures are what is published, or was computed without this package, of an open trace.
type figures struct {
	Rows           int
	Seconds, Rate  float64
	Input, Output  []float64 // mean, p50, p90, p99, max
	InputMin       int
	OutputMin      int
	GapVariation   float64 // coefficient of variation
	ZeroGapPercent float64
	WorstSecond    int
	// TokenSteps is the mean of o(s + o/2) over requests.
	TokenSteps float64
}

// figuresOf are a trace's figures, with quantiles that interpolate, as the published ones do.
func figuresOf(recorded *trace.Trace) figures {
	requests := workloadtest.Take(recorded.Replay(asRecorded, 1), -1)
	n := len(requests)
	var input, output, gaps []float64
	steps, zero := 0.0, 0.0
	inSecond := map[int]int{}
	for i, r := range requests {
		in, out := float64(r.Prompt.Tokens()), float64(r.OutputTokens)
		input, output = append(input, in), append(output, out)
		steps += out * (in + out/2)
		inSecond[int(r.Arrival.Seconds())]++
		if i > 0 {
			gap := (r.Arrival - requests[i-1].Arrival).Seconds()
			gaps = append(gaps, gap)
			if gap == 0 {
				zero++
			}
		}
	}
	round := func(x, unit float64) float64 { return math.Round(x/unit) * unit }
	f := figures{
		Rows: n, Seconds: round(requests[n-1].Arrival.Seconds(), 0.1), Rate: round(float64(n)/requests[n-1].Arrival.Seconds(), 0.01),
		Input: lengthFigures(input), Output: lengthFigures(output),
		InputMin: int(slices.Min(input)), OutputMin: int(slices.Min(output)),
		GapVariation: round(variation(gaps), 0.1), ZeroGapPercent: round(100*zero/float64(n-1), 0.1), TokenSteps: math.Round(steps / float64(n)),
	}
	for _, count := range inSecond {
		f.WorstSecond = max(f.WorstSecond, count)
	}
	return f
}

// lengthFigures are the mean, interpolated quantiles and the maximum.
func lengthFigures(lengths []float64) []float64 {
	sorted := slices.Sorted(slices.Values(lengths))
	quantile := func(q float64) float64 {
		at := q * float64(len(sorted)-1)
		i := int(at)
		if i+1 == len(sorted) {
			return sorted[i]
		}
		return math.Round(sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i]))
	}
	sum := 0.0
	for _, x := range sorted {
		sum += x
	}
	return []float64{math.Round(10*sum/float64(len(sorted))) / 10, quantile(0.5), quantile(0.9), quantile(0.99), sorted[len(sorted)-1]}
}

// variation is the coefficient of variation.
func variation(all []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range all {
		sum += x
	}
	mean := sum / float64(len(all))
	for _, x := range all {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares/float64(len(all))) / mean
}

// Quantiles interpolate here. Those of Statistics are lengths that occur: 5,194 and not
// 5,188 is the 90th percentile of the prompts of Azure code.
func TestOpenTracesHaveTheirFigures(t *testing.T) {
	for name, tc := range map[string]struct {
		format trace.Format
		path   []string
		want   figures
	}{
		"Azure code": {trace.Azure, []string{"azure-2023", "AzureLLMInferenceTrace_code.csv"}, figures{
			Rows: 8819, Seconds: 3435.9, Rate: 2.57,
			Input: []float64{2047.8, 1469, 5188, 7436, 7437}, InputMin: 3,
			Output: []float64{27.9, 13, 55, 251, 1899}, OutputMin: 6,
			GapVariation: 13.2, WorstSecond: 67, TokenSteps: 59_416,
		}},
		"Mooncake conversation": {trace.Mooncake, []string{"mooncake-fast25", "conversation_trace.jsonl"}, figures{
			Rows: 12_031, Seconds: 3537, Rate: 3.4,
			Input: []float64{12035.1, 6909, 27_367, 85_400, 126_195}, InputMin: 891,
			Output: []float64{342.6, 350, 597, 1119, 2000}, OutputMin: 1,
			GapVariation: 3, ZeroGapPercent: 90.2, WorstSecond: 28, TokenSteps: 4_497_181,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			recorded := readFile(t, tc.format, testdata.File(t, append([]string{"traces"}, tc.path...)...))
			if diff := cmp.Diff(tc.want, figuresOf(recorded), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("figures (-want +got):\n%s", diff)
			}
		})
	}
}
