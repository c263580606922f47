// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// completed is a request that arrived at a time and took so long.
func completed(at, e2e float64, prompt, output int64) result.RequestRow {
	ttft := e2e / 4
	row := result.RequestRow{ArrivalSeconds: at, Measured: true, Outcome: "completed", PromptTokens: prompt, OutputTokens: &output, TTFTSeconds: &ttft, E2ESeconds: &e2e}
	if output > 1 {
		row.TPOTSeconds = new((e2e - ttft) / float64(output-1))
	}
	return row
}

func record(t *testing.T, rows ...result.RequestRow) *Recorder {
	t.Helper()
	r := &Recorder{}
	for i := range rows {
		if err := r.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestStatisticsAreThoseOfTheSortedValues holds the histograms of two merged simulations
// against a plain computation, within the width of a bucket.
func TestStatisticsAreThoseOfTheSortedValues(t *testing.T) {
	stream := stats.NewStream(7, "benchmark/summary")
	var rows []result.RequestRow
	var seconds []float64
	for i := range 3000 {
		e2e := 0.05 + 3*stream.Exponential()
		seconds = append(seconds, e2e)
		rows = append(rows, completed(float64(i), e2e, 100, 10))
	}
	var sum Summary
	sum.Merge(&record(t, rows[:1000]...).Summary)
	sum.Merge(&record(t, rows[1000:]...).Summary)
	got := sum.e2e.statistics("s", nanoseconds)
	slices.Sort(seconds)
	total, squares := 0.0, 0.0
	for _, x := range seconds {
		total += x
	}
	mean := total / 3000
	for _, x := range seconds {
		squares += (x - mean) * (x - mean)
	}
	close := func(what string, got, want, tolerance float64) {
		if math.Abs(got-want) > tolerance*want {
			t.Errorf("%s is %v, and of the sorted values %v", what, got, want)
		}
	}
	close("mean", got.Mean, mean, 1e-8)
	close("stddev", *got.StdDev, math.Sqrt(squares/3000), 1e-6)
	for _, q := range got.all() {
		at := q.share * 2999
		low, high := seconds[int(math.Floor(at))], seconds[int(math.Ceil(at))]
		close("quantile", **q.value, low+(high-low)*(at-math.Floor(at)), 1.0/256)
	}
}

func TestRequestsCountByTheirEnd(t *testing.T) {
	warmUp := completed(0, 1, 5, 5)
	warmUp.Measured = false
	r := record(t, warmUp, completed(10, 1, 100, 1), completed(12, 2, 200, 21),
		result.RequestRow{ArrivalSeconds: 13, Measured: true, Outcome: "rejected"},
		result.RequestRow{ArrivalSeconds: 14, Measured: true, Outcome: "timed out", TTFTSeconds: new(0.25)},
		result.RequestRow{ArrivalSeconds: 15, Measured: true, Outcome: "unfinished"})
	counts := []int64{r.arrived, r.completed, r.failures, r.incomplete, r.ttft.values.Count(), r.tpot.values.Count(), r.input.values.Count()}
	if diff := cmp.Diff([]int64{5, 2, 2, 1, 3, 1, 2}, counts); diff != "" {
		t.Errorf("arrived, completed, failures, incomplete, TTFTs, TPOTs, lengths (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{4.0 / 5}, r.offered); diff != "" {
		t.Errorf("offered rate (−want +got):\n%s", diff)
	}
	if r.end != 15 {
		t.Errorf("the last request ended at %v", r.end)
	}
}

func TestSessionsCountByTheirRequests(t *testing.T) {
	turn := func(session, turn int64, row result.RequestRow) result.RequestRow {
		row.Source, row.Session, row.Turn = "chat", session, turn
		return row
	}
	ended := func(outcome string, attempt int64) result.RequestRow {
		return result.RequestRow{ArrivalSeconds: 6, Measured: true, Outcome: outcome, Identity: result.Identity{Attempt: attempt}}
	}
	again := completed(8, 1, 30, 3)
	again.Attempt = 1
	early := completed(0, 1, 10, 1)
	early.Measured = false
	r := record(t,
		turn(1, 1, completed(1, 2, 10, 1)), turn(1, 2, completed(5, 4, 20, 2)), // succeeds, from 1 to 9 s
		turn(2, 1, completed(1, 2, 10, 1)), turn(2, 2, ended("rejected", 0)), // fails
		turn(3, 1, completed(1, 2, 10, 1)), turn(3, 2, ended("unfinished", 0)), // neither
		turn(4, 1, ended("timed out", 0)), turn(4, 1, again), // succeeds at the second attempt
		turn(5, 1, early), turn(5, 2, completed(2, 1, 10, 1)), // began in the warm-up
		completed(3, 1, 10, 1)) // belongs to none
	var sum Summary
	sum.Merge(&r.Summary)
	s := sum.sessions.report(10).Sessions
	got := []int64{s.Total, *s.Succeeded, *s.Failed, *s.TotalEvents, *s.TotalEventsCompleted, *s.TotalEventsCancelled}
	if diff := cmp.Diff([]int64{4, 2, 1, 7, 5, 1}, got); diff != "" {
		t.Errorf("total, succeeded, failed, events, completed, cancelled (−want +got):\n%s", diff)
	}
	if *s.SessionDuration.Max != 8 || s.SessionRate.Mean != 0.2 || *s.InputTokensPerSession.Max != 30 {
		t.Errorf("duration %v, rate %v, input %v", *s.SessionDuration.Max, s.SessionRate.Mean, *s.InputTokensPerSession.Max)
	}
	if (&sessionSummary{}).report(10) != nil {
		t.Error("without sessions there is a part about sessions")
	}
}
