// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

// sweep is a small sweep with everything in it: a baseline, ties, a point
// under fewer seeds, one with nothing measured and one without rows.
func sweep() (points []Entry, rows []Row, objectives []Objective, baseline int) {
	values := []struct {
		prefix, queue string
		metrics       []map[string]float64
	}{
		{"0", "2", []map[string]float64{
			{"goodput": 0.91, "ttft.p99": 0.4628, "completionRate": 1},
			{"goodput": 0.90, "ttft.p99": 0.4701, "completionRate": 1},
			{"goodput": 0.92, "ttft.p99": 0.4433, "completionRate": 1}}},
		{"3", "2", []map[string]float64{
			{"goodput": 0.962, "ttft.p99": 0.1622, "completionRate": 1},
			{"goodput": 0.958, "ttft.p99": 0.1711, "completionRate": 1},
			{"goodput": 0.966, "ttft.p99": 0.1600, "completionRate": 1}}},
		{"4", "3", []map[string]float64{
			{"goodput": 0.984, "ttft.p99": 0.1174, "completionRate": 1},
			{"goodput": 0.979, "ttft.p99": 0.1201, "completionRate": 1},
			{"goodput": 0.986, "ttft.p99": 0.1166, "completionRate": 1}}},
		{"4", "3.5", []map[string]float64{
			{"goodput": 0.984, "ttft.p99": 0.1181, "completionRate": 1},
			{"goodput": 0.979, "ttft.p99": 0.1203, "completionRate": 1},
			{"goodput": 0.986, "ttft.p99": 0.1180, "completionRate": 1}}},
		{"4", "2", []map[string]float64{
			{"goodput": 0.327, "ttft.p99": 4.556, "completionRate": 0.41, "unfinishedRate": 0.59},
			{"goodput": 0.320, "ttft.p99": 4.580, "completionRate": 0.40, "unfinishedRate": 0.60},
			{"goodput": 0.331, "ttft.p99": 4.501, "completionRate": 0.42, "unfinishedRate": 0.58}}},
		{"2", "3", []map[string]float64{
			{"goodput": 0.951, "ttft.p99": 0.1155, "completionRate": 1},
			{"goodput": 0.955, "ttft.p99": 0.1160, "completionRate": 1},
			{"goodput": 0.972, "ttft.p99": 0.1149, "completionRate": 1}}},
		{"5", "3", []map[string]float64{
			{"goodput": 0.991, "ttft.p99": 0.1011, "completionRate": 1},
			{"goodput": 0.993, "ttft.p99": 0.1012, "completionRate": 1}}},
		{"5", "5", []map[string]float64{
			{"goodput": 0, "completionRate": 0},
			{"goodput": 0.1, "ttft.p99": 0.9, "completionRate": 0.1},
			{"goodput": 0, "completionRate": 0}}},
		{"5", "4", nil},
	}
	for i, v := range values {
		points = append(points, Entry{Point: i, Parameters: []Assignment{{"prefixWeight", v.prefix}, {"queueWeight", v.queue}}})
		rows = append(rows, makeRows(i, v.metrics...)...)
	}
	return points, rows, []Objective{objective("goodput", Maximize), objective("ttft.p99", Minimize)}, 1
}

func newLeaderboard(t *testing.T, points []Entry, rows []Row, objectives []Objective, baseline int) *Leaderboard {
	t.Helper()
	l, err := NewLeaderboard(LeaderboardInput{Candidates: points, Rows: rows, Objectives: objectives, Baseline: baseline})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLeaderboardGolden(t *testing.T) {
	l := newLeaderboard(t, nil, nil, nil, NoBaseline)
	golden.Check(t, "testdata/leaderboard-empty.json", indented(t, l))

	weights := candidates(2)
	for i, value := range []string{"0", "1"} {
		weights[i].Parameters = []Assignment{{Name: "weight", Value: value}}
	}
	l = newLeaderboard(t, weights, append(makeRows(0, ttft99(0.25)...), makeRows(1, ttft99(0.125)...)...), minimizeTTFT, 0)
	golden.Check(t, "testdata/leaderboard-one-seed.json", indented(t, l))

	points, rows, objectives, baseline := sweep()
	l = newLeaderboard(t, points, rows, objectives, baseline)
	golden.Check(t, "testdata/leaderboard.json", indented(t, l))

	l = newLeaderboard(t, points, rows, objectives, NoBaseline)
	golden.Check(t, "testdata/leaderboard-no-baseline.json", indented(t, l))
}

var minimizeTTFT = []Objective{objective("ttft.p99", Minimize)}

// candidates returns n points without parameters.
func candidates(n int) []Entry {
	var points []Entry
	for i := range n {
		points = append(points, Entry{Point: i})
	}
	return points
}

func TestRanking(t *testing.T) {
	two := func(a, b float64) map[string]float64 { return map[string]float64{"goodput": a, "ttft.p99": b} }
	both := []Objective{objective("goodput", Maximize), objective("ttft.p99", Minimize)}
	cases := map[string]struct {
		objectives []Objective
		rows       [][]map[string]float64 // by point
		want       []int
		incomplete map[int]string
		pareto     []int
		ranks      []int // 1, 2, 3 … where nil
	}{
		"the first objective decides": {
			objectives: both,
			rows:       [][]map[string]float64{{two(0.5, 1)}, {two(0.9, 9)}, {two(0.7, 5)}},
			want:       []int{1, 2, 0}, pareto: []int{1, 2, 0},
		},
		"the mean over seeds counts": {
			objectives: minimizeTTFT,
			rows:       [][]map[string]float64{ttft99(1, 9), ttft99(4, 4)},
			want:       []int{1, 0}, pareto: []int{1},
		},
		"a tie falls to the next objective": {
			objectives: both,
			rows:       [][]map[string]float64{{two(0.5, 3)}, {two(0.5, 1)}, {two(0.5, 2)}},
			want:       []int{1, 2, 0}, pareto: []int{1},
		},
		"a full tie shares a rank in order of points, and nobody dominates": {
			objectives: both,
			rows:       [][]map[string]float64{{two(0.5, 1)}, {two(0.5, 1)}, {two(0.4, 2)}},
			want:       []int{0, 1, 2}, pareto: []int{0, 1},
			ranks: []int{1, 1, 3},
		},
		"without objectives points keep their order": {
			rows: [][]map[string]float64{ttft99(3), ttft99(1)},
			want: []int{0, 1},
		},
		"who lacks a seed ranks last": {
			objectives: minimizeTTFT,
			rows:       [][]map[string]float64{ttft99(1), ttft99(5, 5, 5), ttft99(9, 9, 9)},
			want:       []int{1, 2, 0}, pareto: []int{1},
			incomplete: map[int]string{0: "no result under seeds 43, 44"},
		},
		"who has no rows ranks last": {
			objectives: minimizeTTFT,
			rows:       [][]map[string]float64{nil, ttft99(5)},
			want:       []int{1, 0}, pareto: []int{1},
			incomplete: map[int]string{0: "no results"},
		},
		"who has no value for an objective ranks last": {
			objectives: both,
			rows:       [][]map[string]float64{{two(0.9, 1), {"goodput": 0.9}}, {two(0.1, 1), two(0.1, 1)}},
			want:       []int{1, 0}, pareto: []int{1},
			incomplete: map[int]string{0: "nothing measured for ttft.p99 under seed 43"},
		},
		"incomplete points rank by number": {
			objectives: minimizeTTFT,
			rows:       [][]map[string]float64{ttft99(3), nil, ttft99(2), ttft99(4, 4)},
			want:       []int{3, 0, 1, 2}, pareto: []int{3},
			incomplete: map[int]string{0: "no result under seed 43", 1: "no results", 2: "no result under seed 43"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var rows []Row
			for point, metrics := range tc.rows {
				rows = append(rows, makeRows(point, metrics...)...)
			}
			l := newLeaderboard(t, candidates(len(tc.rows)), rows, tc.objectives, NoBaseline)
			var got, front []int
			incomplete := map[int]string{}
			for i, c := range l.Candidates {
				got = append(got, c.Point)
				rank := i + 1
				if tc.ranks != nil {
					rank = tc.ranks[i]
				}
				if c.Rank != rank {
					t.Errorf("point %d at place %d has rank %d, want %d", c.Point, i+1, c.Rank, rank)
				}
				if !c.Complete() {
					incomplete[c.Point] = c.Reason
				}
				if c.Pareto {
					front = append(front, c.Point)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("order, −want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tc.pareto, front); diff != "" {
				t.Errorf("Pareto front, −want +got:\n%s", diff)
			}
			if tc.incomplete == nil {
				tc.incomplete = map[int]string{}
			}
			if diff := cmp.Diff(tc.incomplete, incomplete); diff != "" {
				t.Errorf("incomplete, −want +got:\n%s", diff)
			}
		})
	}
}

// A change that brings nothing is not worth a roll-out.
func TestTheBaselineComesFirstOfThoseThatAreEqual(t *testing.T) {
	rows := slices.Concat(makeRows(0, ttft99(1)...), makeRows(1, ttft99(1)...), makeRows(2, ttft99(1)...), makeRows(3, ttft99(0)...))
	for baseline, want := range [][]int{{3, 0, 1, 2}, {3, 1, 0, 2}, {3, 2, 0, 1}} {
		l := newLeaderboard(t, candidates(4), rows, minimizeTTFT, baseline)
		var got []int
		for _, c := range l.Candidates {
			got = append(got, c.Point)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("baseline %d, −want +got:\n%s", baseline, diff)
		}
	}
}

func TestLeaderboardFaults(t *testing.T) {
	cases := map[string]struct {
		points     []Entry
		rows       []Row
		objectives []Objective
		baseline   int
		want       string
	}{
		"a row of an unknown point": {
			points: candidates(1), rows: makeRows(7, ttft99(1)...), baseline: NoBaseline,
			want: "leaderboard: there are rows of point 7, which is not there",
		},
		"an unknown baseline": {
			points: candidates(1), baseline: 3,
			want: "leaderboard: the baseline is point 3, which is not there",
		},
		"a point twice": {
			points: append(candidates(1), candidates(1)...), baseline: NoBaseline,
			want: "leaderboard: point 0 is there twice",
		},
		"two different rows of one simulation": {
			points: candidates(1), rows: append(makeRows(0, ttft99(1)...), makeRows(0, ttft99(2)...)...), baseline: NoBaseline,
			want: "leaderboard: point 0 has two different rows under seed 42",
		},
		"a direction that is none": {
			points: candidates(1), objectives: []Objective{objective("goodput", "Up")}, baseline: NoBaseline,
			want: `leaderboard: objective goodput has direction "Up"; there are Maximize and Minimize`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := NewLeaderboard(LeaderboardInput{Candidates: tc.points, Rows: tc.rows, Objectives: tc.objectives, Baseline: tc.baseline})
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

// Rows come from shards that end in any order, and from shards that were
// tried again.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	points, rows, objectives, baseline := sweep()
	l := newLeaderboard(t, points, rows, objectives, baseline)
	want := indented(t, l)
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		shuffled := append(slices.Clone(rows), rows[r.IntN(len(rows))])
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		order := slices.Clone(points)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		l := newLeaderboard(t, order, shuffled, objectives, baseline)
		if !bytes.Equal(indented(t, l), want) {
			t.Fatal("rows in another order gave other bytes")
		}
	}
}

func TestLeaderboardReadsBack(t *testing.T) {
	points, rows, objectives, baseline := sweep()
	want := newLeaderboard(t, points, rows, objectives, baseline)
	got := jsontest.Decode[*Leaderboard](t, indented(t, want))
	if diff := cmp.Diff(string(indented(t, want)), string(indented(t, got))); diff != "" {
		t.Errorf("leaderboard, −want +got:\n%s", diff)
	}
}

func TestSummarize(t *testing.T) {
	rows := append(makeRows(3, ttft99(1, 2, 3)...), makeRows(1, map[string]float64{"goodput": 0.5})...)
	slices.Reverse(rows)
	summaries, err := Summarize(rows)
	if err != nil {
		t.Fatal(err)
	}
	raw := jsontest.Encode(t, summaries)
	want := `[{"point":1,"seeds":[42],"metrics":{"goodput":{"mean":0.5,"n":1}}},` +
		`{"point":3,"seeds":[42,43,44],"metrics":{"ttft.p99":{"mean":2,"low":-0.484`
	if !strings.HasPrefix(string(raw), want) {
		t.Errorf("summaries %s, want %s…", raw, want)
	}
	if _, err := Summarize(append(rows, makeRows(3, ttft99(7)...)...)); err == nil {
		t.Error("contradicting rows were summed up")
	}
}

func BenchmarkNewLeaderboard(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var rows []Row
	template := NewRow(makeDocument(42, 0), 0, nil)
	for point := range 1000 {
		for seed := range 3 {
			values := map[string]float64{}
			for name, value := range template.Metrics.All() {
				values[name] = value * r.Float64()
			}
			rows = append(rows, Row{Key: "k", Point: point, Seed: int64(seed), Share: 1, Metrics: NewMetrics(values)})
		}
	}
	objectives := []Objective{objective("goodput", Maximize), objective("ttft.p99", Minimize)}
	points := candidates(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewLeaderboard(LeaderboardInput{Candidates: points, Rows: rows, Objectives: objectives}); err != nil {
			b.Fatal(err)
		}
	}
}

// A median at 50 ms does not count, one below it does, under any seed of any candidate.
func TestLeaderboardNamesPoolsWithoutRequestCostWhereItCounts(t *testing.T) {
	for median, want := range map[float64][]string{0.05: nil, 0.0499: {"chat"}} {
		rows := append(makeRows(0, map[string]float64{"ttft.p50": 0.2}), makeRows(1, map[string]float64{"ttft.p50": median})...)
		l, err := NewLeaderboard(LeaderboardInput{Candidates: []Entry{{Point: 0}, {Point: 1}}, Rows: rows, Baseline: NoBaseline, WithoutRequestCost: []string{"chat"}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, l.WithoutRequestCost); diff != "" {
			t.Errorf("median %v s (−want +got):\n%s", median, diff)
		}
	}
}
