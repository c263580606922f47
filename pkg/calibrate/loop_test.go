// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// tenMilliseconds is a step's time, whatever is in it.
type tenMilliseconds struct{}

func (tenMilliseconds) StepTime(latency.Step) time.Duration { return 10 * time.Millisecond }

func constant(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// loopTimes replays a load on steps of 10 ms and returns the times of each request.
func loopTimes(t *testing.T, l Load) []Times {
	t.Helper()
	e := ownEngine()
	e.KVBlocks = 100_000
	run := NewReportedRun("loop", e, l, Figures{})
	run.turnaround = 0
	all, err := run.replay(t.Context(), tenMilliseconds{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Requests of 100 and 5 tokens take one step for the prompt, in which the first token comes
// out, and 4 for the others: 50 ms alone. Two users send the first two requests together at
// time 0: TTFT 10 ms, E2E 50 ms. Their next ones reach the engine 1 ns after the step that
// ended the others, which is when no step runs: again 10 and 50 ms.
func TestAClosedLoopSendsWhenARequestEnds(t *testing.T) {
	all := loopTimes(t, Load{Requests: 7, Concurrency: 2, Input: constant(100), Output: constant(5)})
	for i, got := range all {
		if math.Abs(got.TTFT-0.010) > 1e-6 || math.Abs(got.E2E-0.050) > 1e-6 || math.Abs(got.TPOT-0.010) > 1e-6 {
			t.Errorf("request %d: %+v, want 10, 10 and 50 ms", i, got)
		}
	}
}

// Two users who would stay in step pause once, after a first answer that takes 50 ms, for up
// to 50 ms each; their second answers are followed by the next request at once.
func TestUsersWhoWouldStayInStepPauseOnce(t *testing.T) {
	l := loop{source: source{requests: make([]Request, 6)}, free: make([]simtime.Time, 2), draws: stats.NewStream(1, "pauses"), sent: make([]simtime.Time, 2)}
	const answer = simtime.Time(50 * time.Millisecond)
	var at []simtime.Time
	for range 3 {
		first, _ := l.Next()
		second, _ := l.Next()
		at = append(at, first.Arrival, second.Arrival)
		l.Ended(workload.End{ID: first.ID, At: first.Arrival + answer})
		l.Ended(workload.End{ID: second.ID, At: second.Arrival + answer})
	}
	if at[0] != 0 || at[1] != 0 || at[2] < answer || at[3] <= at[2] || at[3] > 2*answer {
		t.Errorf("requests come at %v, want two at 0s and two apart between %v and %v", at[:4], answer, 2*answer)
	}
	if at[4] != at[2]+answer+1 || at[5] != at[3]+answer+1 {
		t.Errorf("requests come at %v, want the last two 1 ns after the answers to those before", at)
	}
}

func TestAnswersOfOneLengthKeepUsersInStep(t *testing.T) {
	for name, tc := range map[string]struct {
		load Load
		want bool
	}{
		"one length":         {Load{Output: constant(100)}, true},
		"about one":          {Load{Output: func(share float64) float64 { return 98 + 4*share }}, true},
		"0.8 to 1 times 100": {Load{Output: func(share float64) float64 { return 80 + 20*share }}, false},
		"a rate":             {Load{Output: constant(100), Rate: 5}, false},
	} {
		tc.load.Requests, tc.load.Input = 100, constant(10)
		if got := (&Run{Requests: tc.load.draw()}).staysInStep(); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// Without a limit, 3 requests at time 0 are served side by side. With one in flight, and
// arrivals at 0, 20 and 500 ms, the second waits at the client for the end of the first at
// 50 ms, which is no time of the engine, and the third comes when it is due.
func TestALimitHoldsRequestsBackAtTheClient(t *testing.T) {
	run := NewRun("limited", ownEngine(), []Request{
		{InputTokens: 100, OutputTokens: 5},
		{Queued: simtime.Time(20 * time.Millisecond), InputTokens: 100, OutputTokens: 5},
		{Queued: simtime.Time(500 * time.Millisecond), InputTokens: 100, OutputTokens: 5},
	})
	run.Concurrency = 1
	all, err := run.replay(t.Context(), tenMilliseconds{})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range all {
		if math.Abs(got.E2E-0.050) > 1e-6 {
			t.Errorf("request %d takes %v s, want 0.05", i, got.E2E)
		}
	}
}

func TestALoadWithoutARateComesAtOnce(t *testing.T) {
	for i, r := range (&Load{Requests: 5, Input: constant(10), Output: constant(5)}).draw() {
		if r.Queued != 0 {
			t.Errorf("request %d comes at %v", i, r.Queued)
		}
	}
}

// The coefficients that made the figures of a closed loop have them again.
func TestAClosedLoopIsJudgedByItsFigures(t *testing.T) {
	l := Load{Requests: 60, Concurrency: 4, Input: func(share float64) float64 { return 200 + 200*share }, Output: func(share float64) float64 { return 20 + 30*share }}
	truth := ownCoefficients.roofline(ownEngine().Instance)
	times, err := NewReportedRun("made", ownEngine(), l, Figures{}).Replay(t.Context(), truth, 0)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := NewReportedRun("made", ownEngine(), l, FiguresOf(times)).Judge(t.Context(), truth, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	for m, e := range judged[0].Errors() {
		if math.Abs(e[Mean]) > 0.01 {
			t.Errorf("mean %v is off by %.2f %%", Metric(m), 100*e[Mean])
		}
	}
}

// One user whose requests take 50 ms thinks 200 ms on average: 250 ms a request. The first 5 of 405 are a warm-up, so that 400 are judged.
func TestUsersThinkAndAWarmUpCountsInNoFigure(t *testing.T) {
	l := Load{Requests: 400, WarmUp: 5, Concurrency: 1, ThinkSeconds: 0.2, Input: constant(100), Output: constant(5)}
	run := NewReportedRun("thinking", ownEngine(), l, FiguresOf([]Times{{TTFT: 0.01, TPOT: 0.01, E2E: 0.05}}))
	requests, listener := run.source()
	end := simtime.Time(0)
	for range run.Requests {
		r, ok := requests.Next()
		if !ok {
			t.Fatal("no request though no user has one in flight")
		}
		end = r.Arrival + simtime.Time(50*time.Millisecond)
		listener.Ended(workload.End{ID: r.ID, At: end})
	}
	if s := end.Sub(0).Seconds() / 405; math.Abs(s/0.25-1) > 0.1 {
		t.Errorf("a request and its pause take %v s on average, want 0.25", s)
	}
	judged, err := run.Judge(t.Context(), ownCoefficients.roofline(ownEngine().Instance), true, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(judged[0].PredictedTimes); n != 400 {
		t.Errorf("%d requests are judged, want 400", n)
	}
}
