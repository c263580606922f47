// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
)

// raced is a sweep with one candidate of each standing.
func raced() LeaderboardInput {
	both := func(goodput, ttft float64) map[string]float64 {
		return map[string]float64{"goodput": goodput, "ttft.p99": ttft}
	}
	p := 0.0123
	failed := Row{Point: 5, Seed: 42, Share: 1, Error: "weights: must not all be 0"}
	s := LeaderboardInput{
		Objectives:  []Objective{objective("goodput", Maximize)},
		Constraints: []Constraint{{Of(MustParseMetric("ttft.p99")), AtMost, 0.5}},
		Baseline:    0,
	}
	for i := range 7 {
		s.Candidates = append(s.Candidates, Entry{Point: i, Parameters: []Assignment{{"weight", fmt.Sprint(i)}}})
	}
	s.Candidates[3].Dropped = &Drop{PValue: &p}
	s.Rows = slices.Concat(
		makeRows(0, both(0.80, 0.40), both(0.81, 0.41), both(0.82, 0.42)),
		makeRows(1, both(0.95, 0.70), both(0.96, 0.80), both(0.97, 0.90)), // breaks the constraint most
		makeRows(2, both(0.91, 0.55), both(0.92, 0.56), both(0.93, 0.57)),
		makeRows(3, both(0.50, 0.40), both(0.51, 0.41)),
		ofShare(0.25, makeRows(0, both(0.7, 1), both(0.7, 1))),
		ofShare(0.25, makeRows(1, both(0.9, 1), both(0.9, 1))),
		ofShare(0.25, makeRows(2, both(0.8, 1), both(0.8, 1))),
		ofShare(0.25, makeRows(4, both(0.4, 0.4), both(0.4, 0.4))),
		[]Row{failed},
		makeRows(6, both(0.85, 0.45), both(0.86, 0.46), both(0.87, 0.47), both(0.1, 0.1)),
	)
	s.Seeds = []int64{42, 43, 44}
	return s
}

func TestStandings(t *testing.T) {
	l, err := NewLeaderboard(raced())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range l.Candidates {
		got = append(got, fmt.Sprintf("%d %s %s", c.Point, c.Standing, c.Reason))
	}
	want := []string{
		"6 Feasible ", "0 Feasible ", // a further seed of 6 counts in figures, but not in ranks
		"2 Infeasible ", "1 Infeasible ",
		"3 Dropped dropped after 2 seeds (p = 0.012)",
		"4 Shortened stopped at 25 % of the requests",
		"5 Failed weights: must not all be 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("candidates, −want +got:\n%s", diff)
	}
	if n := l.Candidates[0].Metrics["goodput"].N; n != 4 {
		t.Errorf("the figures of point 6 rest on %d seeds, want 4", n)
	}
	wantCounts := Counts{All: 7, Feasible: 2, Infeasible: 2, Dropped: 1, Shortened: 1, Failed: 1, Compared: 4}
	if diff := cmp.Diff(wantCounts, l.Counts); diff != "" {
		t.Errorf("counts, −want +got:\n%s", diff)
	}
	golden.Check(t, "testdata/leaderboard-raced.json", indented(t, l))
}

func TestRungsAreCorrelated(t *testing.T) {
	l, err := NewLeaderboard(raced())
	if err != nil {
		t.Fatal(err)
	}
	one := 1.0
	want := []Rung{{Share: 0.25, Candidates: 4, Correlation: &one, Common: 3}, {Share: 1, Candidates: 5}}
	if diff := cmp.Diff(want, l.Rungs); diff != "" {
		t.Errorf("rungs, −want +got:\n%s", diff)
	}
}

// Of candidates that are as good as the baseline, one in twenty looks better or
// worse at 95 % by itself. Of whole sweeps, no more than one in twenty may say so
// of any candidate.
func TestVerdictsHoldTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const sweeps, points, better = 100, 30, 7
	wrongSweeps, wrongIntervals := 0, 0
	for range sweeps {
		s := LeaderboardInput{Objectives: minimizeTTFT, Candidates: candidates(points)}
		for i := range points {
			var values []float64
			for range 6 {
				value := 10 + 0.1*r.NormFloat64()
				if i == better {
					value -= 2
				}
				values = append(values, value)
			}
			s.Rows = append(s.Rows, makeRows(i, ttft99(values...)...)...)
		}
		l, err := NewLeaderboard(s)
		if err != nil {
			t.Fatal(err)
		}
		wrong := false
		for _, c := range l.Candidates {
			switch {
			case c.Baseline:
			case c.Point == better:
				if c.VersusBaseline[0].Verdict != Better {
					t.Errorf("what is better by far is %s with p = %v", c.VersusBaseline[0].Verdict, *c.VersusBaseline[0].PValue)
				}
			default:
				d := c.VersusBaseline[0].Difference
				if d.Low > 0 || d.High < 0 {
					wrongIntervals++
				}
				wrong = wrong || c.VersusBaseline[0].Verdict != Undecided
			}
		}
		if wrong {
			wrongSweeps++
		}
	}
	t.Logf("%d sweeps say something wrong, %d intervals do", wrongSweeps, wrongIntervals)
	if wrongSweeps > sweeps/10 {
		t.Errorf("%d of %d sweeps say something wrong", wrongSweeps, sweeps)
	}
	if wrongIntervals < sweeps*points/50 {
		t.Errorf("%d intervals exclude 0: the test tests nothing", wrongIntervals)
	}
}

func TestTheFrontIsUncertain(t *testing.T) {
	two := func(a, b float64) map[string]float64 { return map[string]float64{"goodput": a, "ttft.p99": b} }
	s := LeaderboardInput{
		Candidates: candidates(4), Baseline: NoBaseline,
		Objectives: []Objective{objective("goodput", Maximize), objective("ttft.p99", Minimize)},
		Rows: slices.Concat(
			makeRows(0, two(0.9, 1), two(0.9, 1), two(0.9, 1)),
			makeRows(1, two(0.5, 0.5), two(0.5, 0.5), two(0.5, 0.5)),
			makeRows(2, two(0.5, 0.4), two(0.5, 0.4), two(0.5, 0.8)), // behind 1 by the means, before it in most draws
			makeRows(3, two(0.1, 9), two(0.1, 9), two(0.1, 9)),
		),
	}
	l, err := NewLeaderboard(s)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]float64{}
	for _, c := range l.Candidates {
		got[c.Point] = *c.ParetoProbability
		if c.Pareto != (c.Point < 2) {
			t.Errorf("point %d is on the front: %t", c.Point, c.Pareto)
		}
	}
	if got[0] != 1 || got[3] != 0 {
		t.Errorf("certain ones have %v and %v", got[0], got[3])
	}
	// In 8 of 27 draws the seed that speaks against 2 is not drawn.
	if math.Abs(got[2]-8./27) > 0.05 || math.Abs(got[1]-19./27) > 0.05 {
		t.Errorf("1 has %v, 2 has %v; want 19/27 and 8/27", got[1], got[2])
	}
}

func TestOnlySomeAreListed(t *testing.T) {
	s := LeaderboardInput{Objectives: minimizeTTFT, Baseline: 9, Keep: 3}
	for i := range 20 {
		s.Candidates = append(s.Candidates, Entry{Point: i})
		s.Rows = append(s.Rows, makeRows(i, ttft99(float64(i), float64(i)+1)...)...)
	}
	l, err := NewLeaderboard(s)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, c := range l.Candidates {
		got = append(got, c.Point)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 9}, got); diff != "" {
		t.Errorf("listed, −want +got:\n%s", diff)
	}
	if l.Candidates[3].Rank != 10 || l.Counts.All != 20 {
		t.Errorf("the baseline ranks %d of %d", l.Candidates[3].Rank, l.Counts.All)
	}
}

// large returns a sweep of so many points with three seeds and all metrics.
func large(points int) LeaderboardInput {
	r := rand.New(rand.NewPCG(5, 6))
	template := NewRow(makeDocument(42, 0), 0, nil)
	s := LeaderboardInput{
		Objectives:  []Objective{objective("goodput", Maximize), objective("ttft.p99", Minimize)},
		Constraints: []Constraint{{Of(MustParseMetric("ttft.p99")), AtMost, 0.1}},
		Keep:        100,
	}
	for point := range points {
		s.Candidates = append(s.Candidates, Entry{Point: point})
		for seed := range 3 {
			row := template
			row.Point, row.Seed = point, int64(seed)
			row.Metrics.values = slices.Clone(template.Metrics.values)
			for i := range row.Metrics.values {
				row.Metrics.values[i] *= r.Float64()
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}

func TestALargeSweepTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const points = 20_000
	before := inUse()
	s := large(points)
	held := inUse() - before
	var peak runtime.MemStats
	runtime.ReadMemStats(&peak)
	start := peak.TotalAlloc
	l, err := NewLeaderboard(s)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&peak)
	allocated := float64(peak.TotalAlloc-start) / points
	t.Logf("%.0f bytes a row are held; ranking allocates %.0f bytes a point in all", float64(held)/float64(len(s.Rows)), allocated)
	if perRow := float64(held) / float64(len(s.Rows)); perRow > 1200 {
		t.Errorf("a row takes %.0f bytes", perRow)
	}
	if allocated > 4000 {
		t.Errorf("ranking allocates %.0f bytes a point", allocated)
	}
	runtime.KeepAlive(s)
	if len(l.Candidates) > 201 {
		t.Errorf("%d candidates are listed", len(l.Candidates))
	}
}

// inUse is the heap that is in use.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkLargeLeaderboard(b *testing.B) {
	s := large(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewLeaderboard(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(inUse())/(1<<20), "MiB-held")
	runtime.KeepAlive(s)
}
