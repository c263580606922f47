// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/pkg/latency"
)

var about = cmpopts.EquateApprox(1e-9, 0)

func small(t *testing.T) measured {
	t.Helper()
	file, err := os.Open("testdata/small.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := readMeasured(file, "small", "some-gpu", 4)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The prompt of 256 tokens took longer than that of 512, whose median is 40 ms,
// and 16 prompts took less than 8: neither can be right.
func TestPromptStepsGrowWithTheirTokens(t *testing.T) {
	want := map[int]float64{256: 40, 512: 40, 1024: 82, 2048: 172, 4096: 330}
	if diff := cmp.Diff(want, small(t).promptSteps(), about); diff != "" {
		t.Errorf("steps in ms, -want +got:\n%s", diff)
	}
}

// One prompt of 1024 tokens takes 2 ms longer than two of 512, and one of 2048
// takes 12 ms longer than four.
func TestPairsCostWhatOnePromptTakesMoreThanSeveral(t *testing.T) {
	p1, p2 := 1024*512/2., 2048*1536/2.
	want := (2e6*p1 + 12e6*p2) / (p1*p1 + p2*p2)
	if got := small(t).pairNs(); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%v ns a pair, want %v", got, want)
	}
}

func TestTable(t *testing.T) {
	m := small(t)
	got := m.table(assumptions{})
	if errs := got.Validate(nil); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	context := m.contextNs() * (2048 - 512) / 1e3
	row := func(n, micros float64) []float64 { return []float64{micros, micros + m.pairNs()*n*2048/1e3} }
	want := latency.Table{
		Prefill: latency.PrefillGrid{
			NewTokens: []int{1, 256, 512, 1024, 2048, 4096}, ContextTokens: []int{0, 2048},
			Microseconds: [][]float64{row(1, 10.2e3), row(256, 40e3), row(512, 40e3), row(1024, 82e3), row(2048, 172e3), row(4096, 330e3)},
		},
		Decode: latency.DecodeGrid{
			Sequences: []int{1, 2, 4, 8, 16}, ContextTokens: []int{576, 2112},
			Microseconds: [][]float64{
				{10.2e3, 10.2e3 + context}, {10.4e3, 10.4e3 + 2*context}, {11e3, 11e3 + 4*context},
				{12.2e3, 12.2e3 + 8*context}, {14.6e3, 14.6e3 + 16*context},
			},
		},
	}
	if diff := cmp.Diff(want, got, about); diff != "" {
		t.Errorf("table, -want +got:\n%s", diff)
	}
	free := m.table(assumptions{freeContext: true}).Decode.Microseconds
	if free[4][0] != free[4][1] {
		t.Errorf("16 sequences with contexts that cost nothing: %v", free[4])
	}
}

// Without a speedup of chunks, the second half of a prompt takes what it adds.
func TestChunksMayGainNothing(t *testing.T) {
	timer := small(t).table(assumptions{wholeChunks: true}).Timer()
	chunk := func(n, before int64) latency.Step {
		return latency.Step{Sequences: 1, PrefillTokens: int(n), AttentionPairs: n*before + n*(n+1)/2, ContextTokens: n + before}
	}
	for name, tc := range map[string]struct {
		step latency.Step
		ms   float64
	}{
		"the whole prompt":                       {chunk(2048, 0), 172},
		"its second half":                        {chunk(1024, 1024), 90},
		"a chunk that adds less than it takes":   {chunk(512, 512), 42},
		"a small one, which is a step all alike": {chunk(256, 256), 40},
	} {
		if got := 1e3 * timer.StepTime(tc.step).Seconds(); math.Abs(got-tc.ms) > 0.01 {
			t.Errorf("%s: %.3f ms, want %v", name, got, tc.ms)
		}
	}
}

func TestFaultsOfMeasurements(t *testing.T) {
	header := "model,hardware,prompt_size,batch_size,token_size,prompt_time,token_time,tensor_parallel\n"
	for text, want := range map[string]string{
		"":                                "no header",
		header:                            "too few rows of m on 8 × h",
		"model\nm\n":                      "row 2: no column",
		header + "m,h,512,1,128,fast,1,8": `row 2: prompt_time: strconv.ParseFloat: parsing "fast"`,
	} {
		if _, err := readMeasured(strings.NewReader(text), "m", "h", 8); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The published medians of eight H100s: prompts alone, and tokens of 1, 8, 32 and
// 64 requests.
func TestPublishedMeasurements(t *testing.T) {
	file, err := os.Open(testdata.File(t, "traces", "splitwise-sim", "perf_model.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := readMeasured(file, measuredModel, measuredH100, gpusAMachine)
	if err != nil {
		t.Fatal(err)
	}
	timer := m.table(assumptions{}).Timer()
	alone := uncontended{timer}
	for prompt, want := range map[int]float64{512: 53.4, 2048: 136.8, 8192: 844.9} {
		if got := 1e3 * alone.ttft(prompt).Seconds(); math.Abs(got-want) > 0.0501 {
			t.Errorf("prompt of %d: %.2f ms, want %v", prompt, got, want)
		}
	}
	for n, want := range map[int]float64{1: 29.8, 8: 32.5, 32: 38.6, 64: 50.2} {
		s := latency.Step{Sequences: n, DecodeTokens: n, DecodePairs: int64(n) * (512 + 64)}
		if got := 1e3 * timer.StepTime(s).Seconds(); math.Abs(got-want) > 0.0501 {
			t.Errorf("%d tokens: %.2f ms, want %v", n, got, want)
		}
	}
	if timer.Extrapolated() != 0 {
		t.Errorf("%d steps outside", timer.Extrapolated())
	}
}
