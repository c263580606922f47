// SPDX-License-Identifier: Apache-2.0

package fit_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/fit"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// recorded is a trace of rows in blocks of so many tokens.
func recorded(t *testing.T, blockTokens int, rows ...string) *trace.Trace {
	t.Helper()
	header := `{"windtunnel_trace": 1}`
	if blockTokens > 0 {
		header = fmt.Sprintf(`{"windtunnel_trace": 1, "block_tokens": %d}`, blockTokens)
	}
	r, err := trace.Read(trace.Windtunnel, strings.NewReader(header+"\n"+strings.Join(rows, "\n")+"\n"), "trace")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func row(arrivalNs int64, input, output int) string {
	return fmt.Sprintf(`{"arrival_ns": %d, "input_tokens": %d, "output_tokens": %d}`, arrivalNs, input, output)
}

// drawn is a trace of n requests whose arrivals are drawn, with inputs of 100 to 300 tokens.
func drawn(t *testing.T, a arrival.Arrivals, n int) *trace.Trace {
	t.Helper()
	stream := stats.NewStream(7, "lengths")
	clock := arrival.NewClock(a, stats.NewStream(7, "arrivals"))
	var rows []string
	for range n {
		rows = append(rows, row(int64(clock.Next()), 100+int(stream.Float64()*201), 10))
	}
	return recorded(t, 0, rows...)
}

// fitted is the only client that imitates a trace.
func fitted(t *testing.T, r *trace.Trace) v1alpha1.Client {
	t.Helper()
	traffic, err := fit.Trace(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(traffic.Workload.Clients) != 1 {
		t.Fatalf("%d clients, want one", len(traffic.Workload.Clients))
	}
	return traffic.Workload.Clients[0]
}

func number[S ~string](t *testing.T, s S) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(string(s), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func seconds(t *testing.T, d v1alpha1.PositiveDuration) float64 {
	t.Helper()
	parsed, err := time.ParseDuration(string(d))
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Seconds()
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*want }

func TestArrivalsOfIndependentGapsAreFound(t *testing.T) {
	for name, tc := range map[string]struct {
		arrivals arrival.Arrivals
		process  v1alpha1.ArrivalProcess
		cv       float64
	}{
		"Poisson":      {arrival.Arrivals{Process: arrival.Poisson}, v1alpha1.PoissonArrivals, 0},
		"regular":      {arrival.Arrivals{Process: arrival.Weibull, CV: 0.5}, v1alpha1.WeibullArrivals, 0.5},
		"bursty":       {arrival.Arrivals{Process: arrival.Weibull, CV: 2}, v1alpha1.WeibullArrivals, 2},
		"quite bursty": {arrival.Arrivals{Process: arrival.Weibull, CV: 4}, v1alpha1.WeibullArrivals, 4},
	} {
		t.Run(name, func(t *testing.T) {
			tc.arrivals.RatePerSecond = 5
			got := fitted(t, drawn(t, tc.arrivals, 20_000)).Arrivals
			if got.Process != tc.process || len(got.States) > 0 {
				t.Fatalf("process %s of %d states, want %s", got.Process, len(got.States), tc.process)
			}
			if tc.cv > 0 && !near(number(t, got.CV), tc.cv, 0.1) {
				t.Errorf("cv %s, want %v", got.CV, tc.cv)
			}
			if tc.cv == 0 && got.CV != "" {
				t.Errorf("cv %s of a Poisson process", got.CV)
			}
		})
	}
}

// TestBurstsOfAModulatedProcessAreFound fits processes that are in one of two states.
func TestBurstsOfAModulatedProcessAreFound(t *testing.T) {
	state := func(factor, seconds float64) arrival.State {
		return arrival.State{RateFactor: factor, MeanDuration: time.Duration(seconds * 1e9)}
	}
	for name, tc := range map[string]struct{ low, high arrival.State }{
		"on and off":       {state(0, 16), state(5, 4)},
		"high and low":     {state(0.4, 10), state(1.6, 10)},
		"rare, and steady": {state(0, 30), state(10, 3.333)},
	} {
		t.Run(name, func(t *testing.T) {
			a := arrival.Arrivals{Process: arrival.MMPP, RatePerSecond: 5, States: []arrival.State{tc.low, tc.high}}
			got := fitted(t, drawn(t, a, 50_000)).Arrivals
			if got.Process != v1alpha1.MMPPArrivals || len(got.States) != 2 || got.CV != "" {
				t.Fatalf("%s of %d states and cv %q, want MMPP of 2", got.Process, len(got.States), got.CV)
			}
			for i, want := range []arrival.State{tc.low, tc.high} {
				factor, duration := number(t, got.States[i].RateFactor), seconds(t, got.States[i].MeanDuration)
				if math.Abs(factor-want.RateFactor) > 0.15*max(want.RateFactor, 1) || !near(duration, want.MeanDuration.Seconds(), 0.3) {
					t.Errorf("state %d: factor %v for %v s, want %v for %v", i, factor, duration, want.RateFactor, want.MeanDuration)
				}
			}
		})
	}
}

func TestStagesFollowTheRate(t *testing.T) {
	a := arrival.Arrivals{Process: arrival.Poisson, Stages: []arrival.Stage{
		{RatePerSecond: 2, Duration: 1000 * time.Second},
		{RatePerSecond: 20, Duration: 1000 * time.Second},
	}}
	got := fitted(t, drawn(t, a, 21_000)).Arrivals
	if got.Process != v1alpha1.PoissonArrivals {
		t.Fatalf("process %s, want Poisson", got.Process)
	}
	at := 0.0
	for i, stage := range got.Stages {
		d := seconds(t, stage.Duration)
		want := 2.0
		if at >= 1000 {
			want = 20
		}
		if (at+d <= 1000 || at >= 1000) && at+d < 1900 && math.Abs(number(t, stage.Rate)-want) > 4*math.Sqrt(want/d) {
			t.Errorf("stage %d at %.0f s: rate %s, want %v", i, at, stage.Rate, want)
		}
		at += d
	}
}

func TestLengthsHaveTheirHistogram(t *testing.T) {
	var rows []string
	for i := range 100 {
		rows = append(rows, row(int64(i)*1e9, 100*(1+i%2), 7))
	}
	got := fitted(t, recorded(t, 0, rows...))
	want := []v1alpha1.WeightedLength{{Tokens: 100, Weight: 50}, {Tokens: 200, Weight: 50}}
	if diff := cmp.Diff(want, got.InputTokens.Histogram); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.WeightedLength{{Tokens: 7, Weight: 100}}, got.OutputTokens.Histogram); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// TestConversationsAreFound fits 100 conversations of three turns and 100 single requests,
// whose prompts begin with the same two blocks. First turns ask 48 tokens, and later ones 32.
func TestConversationsAreFound(t *testing.T) {
	const block, answer = 16, 16
	var rows []string
	id := 100
	fresh := func(n int) []int {
		var ids []int
		for range n {
			id++
			ids = append(ids, id)
		}
		return ids
	}
	write := func(at int, blocks []int) {
		text := strings.ReplaceAll(strings.Trim(fmt.Sprint(blocks), "[]"), " ", ", ")
		rows = append(rows, fmt.Sprintf(`{"arrival_ns": %d, "input_tokens": %d, "output_tokens": %d, "blocks": [%s]}`,
			int64(at)*1e9, block*len(blocks), answer, text))
	}
	for i := range 100 {
		prompt := append([]int{1, 2}, fresh(3)...)
		write(10*i, prompt)
		write(10*i+1, append([]int{1, 2}, fresh(5)...)) // a single request
		for turn := 1; turn < 3; turn++ {
			prompt = append(prompt, fresh(3)...) // 16 tokens of the answer and 32 new ones
			write(10*i+3*turn, prompt)
		}
	}
	traffic, err := fit.Trace(recorded(t, block, rows...))
	if err != nil {
		t.Fatal(err)
	}
	if len(traffic.Workload.Clients) != 2 {
		t.Fatalf("%d clients, want two", len(traffic.Workload.Clients))
	}
	single, turns := traffic.Workload.Clients[0], traffic.Workload.Clients[1]
	shared := &v1alpha1.Prefix{Group: "shared", Tokens: 2 * block}
	for _, c := range []v1alpha1.Client{single, turns} {
		if diff := cmp.Diff(shared, c.Prefix); diff != "" {
			t.Errorf("%s: prefix (-want +got):\n%s", c.Name, diff)
		}
	}
	if diff := cmp.Diff([]v1alpha1.WeightedLength{{Tokens: 80, Weight: 100}}, single.InputTokens.Histogram); diff != "" {
		t.Errorf("single requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.WeightedLength{{Tokens: 48, Weight: 100}}, turns.InputTokens.Histogram); diff != "" {
		t.Errorf("first turns (-want +got):\n%s", diff)
	}
	if turns.Sessions == nil || turns.Sessions.PromptGrowth != "0.667" {
		t.Errorf("sessions %+v, want a growth of 32/48", turns.Sessions)
	}
	if diff := cmp.Diff([]v1alpha1.WeightedLength{{Tokens: 3, Weight: 100}}, turns.Sessions.Turns.Histogram); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

func TestSessionsWithoutBlocksAreNotImitated(t *testing.T) {
	const note = "Sessions of the trace are not imitated, because its prompts share no blocks."
	for session, want := range map[string]bool{"": false, `, "session": "a"`: true} {
		var rows []string
		for i := range int64(60) {
			rows = append(rows, strings.Replace(row(i*1e9, 100, 10), "}", session+"}", 1))
		}
		traffic, err := fit.Trace(recorded(t, 0, rows...))
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(traffic.Notes, note); got != want {
			t.Errorf("with %q: notes %q", session, traffic.Notes)
		}
	}
}

func TestATraceFitsInOneWay(t *testing.T) {
	r := drawn(t, arrival.Arrivals{Process: arrival.Weibull, CV: 3, RatePerSecond: 5}, 5000)
	first, err := fit.Trace(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := fit.Trace(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("two fits of one trace differ:\n%s", diff)
	}
}

func TestTracesThatTellTooLittleAreRefused(t *testing.T) {
	var few, batch []string
	for i := range 49 {
		few = append(few, row(int64(i)*1e9, 10, 1))
	}
	for range 60 {
		batch = append(batch, row(0, 10, 1))
	}
	for want, rows := range map[string][]string{
		"49 requests are too few to imitate: at least 50 are needed":      few,
		"all requests have one timestamp, so there is no rate to imitate": batch,
	} {
		if _, err := fit.Trace(recorded(t, 0, rows...)); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestATraceComparesWithItselfAsEqual(t *testing.T) {
	r := drawn(t, arrival.Arrivals{Process: arrival.Poisson, RatePerSecond: 5}, 1000)
	c, err := fit.Compare(r, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range c.Tests {
		if test.Distance != 0 || test.P != 1 {
			t.Errorf("%s: distance %v and p %v of a trace and itself", test.Name, test.Distance, test.P)
		}
	}
	other, err := fit.Compare(r, drawn(t, arrival.Arrivals{Process: arrival.Weibull, CV: 4, RatePerSecond: 5}, 1000))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range other.Tests {
		if differ := test.Name == "gaps"; differ != (test.P < 0.001) {
			t.Errorf("%s: p %v of Poisson and bursty gaps and the same lengths", test.Name, test.P)
		}
	}
}
