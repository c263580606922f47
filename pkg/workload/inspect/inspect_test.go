// SPDX-License-Identifier: Apache-2.0

package inspect_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/pkg/workload/inspect"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// inspected inspects the rows of a trace in our own format.
func inspected(t *testing.T, rows ...string) *inspect.Inspection {
	t.Helper()
	header := `{"windtunnel_trace": 1}`
	if strings.Contains(rows[0], "blocks") {
		header = `{"windtunnel_trace": 1, "block_tokens": 16}`
	}
	text := header + "\n" + strings.Join(rows, "\n") + "\n"
	recorded, err := trace.Read(trace.Windtunnel, strings.NewReader(text), "trace")
	if err != nil {
		t.Fatal(err)
	}
	in, err := inspect.Trace(recorded)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// row is a row that arrives after so many seconds.
func row(seconds float64, input, output int, more string) string {
	return fmt.Sprintf(`{"arrival_ns": %.0f, "input_tokens": %d, "output_tokens": %d%s}`, seconds*1e9, input, output, more)
}

// poisson are rows of a Poisson process of rate 2/s with lengths that vary.
func poisson(n int) []string {
	draw := rand.New(rand.NewPCG(5, 6))
	var rows []string
	for at := 0.0; len(rows) < n; at += draw.ExpFloat64() / 2 {
		rows = append(rows, row(at, 100+draw.IntN(900), 1+draw.IntN(300), ""))
	}
	return rows
}

func TestRatesOfAPoissonProcess(t *testing.T) {
	in := inspected(t, poisson(20_000)...)
	r := in.Rates
	if math.Abs(r.RequestsPerSecond-2) > 0.05 || math.Abs(r.GapCV-1) > 0.03 || math.Abs(r.GapCVWithinBins-1) > 0.05 || r.PeakToMean > 1.2 {
		t.Errorf("rates %+v", r)
	}
	for _, d := range r.Dispersion {
		if math.Abs(d.Index-1) > 0.35 {
			t.Errorf("dispersion %v in %v s, want 1", d.Index, d.WindowSeconds)
		}
	}
	requests, tokens := 0, 0.0
	for _, b := range r.Bins {
		requests += b.Requests
		tokens += b.InputTokensPerSecond * min(r.BinSeconds, in.SpanSeconds-b.FromSeconds)
	}
	if requests != 20_000 || math.Abs(tokens/20_000-in.InputTokens.Mean) > 0.001 || len(r.Bins) > 60 {
		t.Errorf("%d bins have %d requests with %f tokens", len(r.Bins), requests, tokens)
	}
	if len(in.Findings) != 1 || in.Findings[0].Name != inspect.UnsharedPrompts || !strings.Contains(in.Findings[0].Message, "convert FILE --share session") || in.Reuse != nil || in.Sessions != nil || in.Tenants != nil {
		t.Errorf("findings %v, reuse %v, sessions %v, tenants %v", in.Findings, in.Reuse, in.Sessions, in.Tenants)
	}
}

func TestLabelsSessionsAndLengths(t *testing.T) {
	in := inspected(t,
		row(0, 40, 8, `, "session": "a", "tenant": "x", "blocks": [1, 2]`),
		row(2, 60, 8, `, "session": "b", "tenant": "x", "blocks": [1]`),
		row(6, 40, 2, `, "session": "a", "tenant": "y", "blocks": [1, 2]`),
		row(8, 100, 1, `, "blocks": [1, 2]`),
	)
	if diff := cmp.Diff(&inspect.Sessions{Sessions: 2, RequestsShare: 0.75, MeanTurns: 1.5, MostTurns: 2, MeanGapSeconds: 6}, in.Sessions); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]inspect.Share{{"x", 2, 0.5}, {"default", 1, 0.25}, {"y", 1, 0.25}}, in.Tenants); diff != "" {
		t.Errorf("tenants (-want +got):\n%s", diff)
	}
	want := inspect.Lengths{
		Mean: 60, Min: 40, P50: 40, P90: 100, P99: 100, Max: 100, MostFrequent: 40, MostFrequentShare: 0.5,
		CDF: []inspect.LengthShare{{32, 0}, {64, 0.75}, {128, 1}},
	}
	if diff := cmp.Diff(want, in.InputTokens); diff != "" {
		t.Errorf("input tokens (-want +got):\n%s", diff)
	}
	// The texts that follow the blocks fill 6 blocks more.
	if in.Reuse == nil || in.Reuse.DistinctBlocks != 8 || in.Reuse.UnboundedShare != 5*16/240. {
		t.Errorf("reuse %+v", in.Reuse)
	}
}

func TestFindings(t *testing.T) {
	alike := slices.Repeat([]string{row(1, 100, 1, "")}, 3)
	batches := func(n int) (rows []string) {
		for i := range n {
			rows = append(rows, row(float64(i/10*3), 100+i*7%400, 1+i*11%300, ""))
		}
		return rows
	}
	for name, tc := range map[string]struct {
		rows []string
		want []string
	}{
		"nothing":       {poisson(500), nil},
		"one timestamp": {alike, []string{"no-span", "repeated-rows"}},
		"batches":       {batches(400), []string{"batched-timestamps"}},
		"a hole":        {append(poisson(200), shifted(poisson(200), 400)...), []string{"silence"}},
		"a drift":       {append(stretched(poisson(100), 5), shifted(poisson(400), 239)...), []string{"drift"}},
		"one answer":    {replaced(poisson(200), `"output_tokens": \d+`, `"output_tokens": 128`), []string{"output-lengths"}},
		"long prompts":  {append(poisson(200), row(110, 140_000, 5, "")), []string{"long-prompts"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range inspected(t, tc.rows...).Findings {
				got = append(got, f.Name)
				t.Log(f.Message)
			}
			// The rows have no blocks.
			if diff := cmp.Diff(append([]string{inspect.UnsharedPrompts}, tc.want...), got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

var arrivals = regexp.MustCompile(`"arrival_ns": (\d+)`)

// moved returns rows with other arrivals, in ns.
func moved(rows []string, to func(ns float64) float64) []string {
	var all []string
	for _, r := range rows {
		ns, err := strconv.ParseFloat(arrivals.FindStringSubmatch(r)[1], 64)
		if err != nil {
			panic(err)
		}
		all = append(all, arrivals.ReplaceAllString(r, fmt.Sprintf(`"arrival_ns": %.0f`, to(ns))))
	}
	return all
}

func shifted(rows []string, seconds float64) []string {
	return moved(rows, func(ns float64) float64 { return ns + seconds*1e9 })
}

func stretched(rows []string, by float64) []string {
	return moved(rows, func(ns float64) float64 { return ns * by })
}

func replaced(rows []string, pattern, with string) []string {
	var all []string
	for _, r := range rows {
		all = append(all, regexp.MustCompile(pattern).ReplaceAllString(r, with))
	}
	return all
}

func opener(name string) trace.Opener {
	return func() (io.ReadCloser, error) { return os.Open(name) }
}

// What is published of the trace is what the inspection says.
func TestThePublishedConversationTrace(t *testing.T) {
	name := testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl")
	recorded, err := trace.Open(trace.Mooncake, trace.Options{HeldBytes: 1 << 20}, opener(name), name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := inspect.Trace(recorded)
	if err != nil {
		t.Fatal(err)
	}
	last := in.Reuse.Caches[len(in.Reuse.Caches)-1]
	if in.Requests != 12031 || recorded.IsHeld() || math.Abs(in.Reuse.UnboundedShare-0.3734) > 0.0001 || last.Share != in.Reuse.UnboundedShare || in.DistinctTimestamps != 1180 {
		t.Errorf("%d requests, in memory: %t, reuse %v, of the largest cache %v", in.Requests, recorded.IsHeld(), in.Reuse.UnboundedShare, last)
	}
}

// TestWaitingRequestsHaveTheirPlaces: the second request of a session comes 6.4 s after the answer to the first one, so that two requests
// have a span of 6.4 s and come at 2/6.4 = 0.3125/s if answers take no time.
func TestWaitingRequestsHaveTheirPlaces(t *testing.T) {
	const session = `{"id":"s","block_size":64,"requests":[{"t":0,"type":"n","in":640,"out":12,"hash_ids":[1],"api_time":3.1},{"t":9.5,"type":"s","in":704,"out":8,"hash_ids":[1,2],"api_time":2}]}`
	recorded, err := trace.Read(trace.Weka, strings.NewReader(session), "t")
	if err != nil {
		t.Fatal(err)
	}
	in, err := inspect.Trace(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if in.SpanSeconds != 6.4 || in.Rates.RequestsPerSecond != 0.3125 || in.DistinctTimestamps != 2 {
		t.Errorf("a span of %v s, %v requests/s and %d times, want 6.4, 0.3125 and 2", in.SpanSeconds, in.Rates.RequestsPerSecond, in.DistinctTimestamps)
	}
	for _, f := range in.Findings {
		if f.Name == "no-span" {
			t.Errorf("found %+v", f)
		}
	}
}
