// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

// learning is a sweep that learns: over one weight, in several rounds.
func learning(t testing.TB, algorithm v1alpha1.SearchAlgorithm, edits ...func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	sweep := testSweep(t)
	sweep.Spec.Parameters = sweep.Spec.Parameters[:1]
	sweep.Spec.Parameters[0].Values = nil
	sweep.Spec.Parameters[0].Range = &v1alpha1.Range{Min: "0", Max: "10"}
	sweep.Spec.Baseline = nil
	sweep.Spec.Search = v1alpha1.Search{Algorithm: algorithm, MaxTrials: 12, Seed: 1}
	for _, edit := range edits {
		edit(sweep)
	}
	return sweep
}

func generation(n int32) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) { s.Spec.Search.GenerationSize = &n }
}

func mustConduct(t testing.TB, c *Compiled, o Options) *Conducted {
	t.Helper()
	o.Parallelism = 2
	conducted, err := c.Plan.Conduct(t.Context(), c.Trace, o)
	if err != nil {
		t.Fatal(err)
	}
	return conducted
}

// rowsText writes rows as they are stored.
func rowsText(t testing.TB, rows []result.Row) string {
	t.Helper()
	var b strings.Builder
	if err := result.WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// memory remembers rows by their keys, as far as told.
type memory map[string]result.Row

func (m memory) remember(row *result.Row) error {
	m[row.Key] = *row
	return nil
}

func (m memory) known(key string) (result.Row, bool) {
	row, ok := m[key]
	return row, ok
}

func TestAStudyThatWasCutOffGoesOnAsIfItHadNotBeen(t *testing.T) {
	stop := errors.New("stop")
	for _, algorithm := range []v1alpha1.SearchAlgorithm{v1alpha1.TPESearch, v1alpha1.SuccessiveHalvingSearch} {
		t.Run(string(algorithm), func(t *testing.T) {
			sweep := learning(t, algorithm)
			if algorithm == v1alpha1.TPESearch {
				generation(4)(sweep)
			}
			c := mustCompileSweep(t, sweep)
			whole := mustConduct(t, c, Options{})
			total := whole.Asked()
			for _, after := range []int{1, total / 2, total - 1} {
				m := memory{}
				_, err := c.Plan.Conduct(t.Context(), c.Trace, Options{Parallelism: 2, Done: func(row *result.Row) error {
					if len(m) == after {
						return stop
					}
					return m.remember(row)
				}})
				if !errors.Is(err, stop) {
					t.Fatalf("cut off after %d: %v", after, err)
				}
				again := mustConduct(t, c, Options{Known: m.known})
				if again.Reused != after {
					t.Errorf("%d rows were known, and %d were used again", after, again.Reused)
				}
				if diff := cmp.Diff(rowsText(t, whole.Rows()), rowsText(t, again.Rows())); diff != "" {
					t.Errorf("cut off after %d (−whole +resumed):\n%s", after, diff)
				}
			}
		})
	}
}

func TestRowsOfAnEditedSweepServeAgain(t *testing.T) {
	sweep := testSweep(t)
	m := memory{}
	before := mustConduct(t, mustCompileSweep(t, sweep), Options{Done: m.remember})
	sweep.Spec.Replications = v1alpha1.Replications{Seeds: append(slices.Clone(before.plan.Seeds), 77)}
	sweep.Name = "renamed"
	after := mustConduct(t, mustCompileSweep(t, sweep), Options{Known: m.known})
	points := len(after.Points())
	if got, want := after.Asked()-after.Reused, points; got != want {
		t.Errorf("one more seed for %d points took %d simulations", points, got)
	}
}

func TestHalvingSimulatesLessForAWholeRanking(t *testing.T) {
	c := mustCompileSweep(t, learning(t, v1alpha1.SuccessiveHalvingSearch))
	conducted := mustConduct(t, c, Options{})
	var shares []float64
	effort := 0.0
	for _, row := range conducted.Rows() {
		shares = append(shares, row.Share)
		effort += row.Share
	}
	if !slices.IsSorted(shares) || shares[0] > 0.2 || shares[len(shares)-1] != 1 {
		t.Errorf("shares are %v, want them to grow to 1", shares)
	}
	if full := float64(12 * len(c.Plan.Seeds)); effort > full/2 {
		t.Errorf("%.1f whole simulations, and all points in full are %.0f", effort, full)
	}
}

func TestPointsThatFailHaveABudget(t *testing.T) {
	sweep := func(may int32) *v1alpha1.PolicySweep {
		s := testSweep(t)
		s.Spec.Parameters = s.Spec.Parameters[1:]
		s.Spec.Parameters[0].Values = nil
		s.Spec.Parameters[0].Range = &v1alpha1.Range{Min: "0", Max: "1", Step: "0.5"} // of whole numbers
		s.Spec.Baseline = nil
		s.Spec.Search.MaxFailedTrials = may
		return s
	}
	_, errs, err := CompileSweep(t.Context(), sweep(0), traceInputs(t))
	if err != nil || len(errs) != 1 || !strings.HasPrefix(errs[0].Field, "spec.parameters") {
		t.Errorf("where none may fail: %v, %v", errs, err)
	}
	conducted := mustConduct(t, mustCompileSweep(t, sweep(1)), Options{})
	if conducted.Failed() != 1 {
		t.Errorf("%d points failed, want 1", conducted.Failed())
	}
	for _, row := range conducted.Rows() {
		if (row.Error != "") != (row.Metrics.Len() == 0) {
			t.Errorf("row of point %d has %d metrics and says %q", row.Point, row.Metrics.Len(), row.Error)
		}
	}
}

func TestARunGetsSeedsUntilItIsPrecise(t *testing.T) {
	run := testRun(t)
	count, most := int32(2), int32(40)
	run.Spec.Replications = v1alpha1.Replications{Count: &count, Precision: "4%", MaxCount: &most, Metric: "e2e.mean"}
	c, errs, err := CompileRun(t.Context(), run, fakeInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	conducted := mustConduct(t, c, Options{})
	board, err := conducted.Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	interval := board.Candidates[0].Metrics["e2e.mean"]
	if half := (interval.High - interval.Low) / 2; half > 0.04*interval.Mean && interval.N < 40 || interval.N <= 2 {
		t.Errorf("e2e.mean is %.4g ± %.2g over %d seeds", interval.Mean, half, interval.N)
	}
	if len(conducted.Documents) != interval.N {
		t.Errorf("%d documents of %d seeds", len(conducted.Documents), interval.N)
	}
}
