// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
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

func mustConduct(t testing.TB, c *compile.Compiled, o execute.Options) *execute.LocalRun {
	t.Helper()
	o.Parallelism = 2
	conducted, err := execute.RunLocally(t.Context(), c.Plan, c.Trace, o)
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

func (m memory) remember(_ experiment.Point, row *result.Row) error {
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
			whole := mustConduct(t, c, execute.Options{})
			total := whole.Simulations()
			for _, after := range []int{1, total / 2, total - 1} {
				m := memory{}
				_, err := execute.RunLocally(t.Context(), c.Plan, c.Trace, execute.Options{Parallelism: 2, Done: func(point experiment.Point, row *result.Row) error {
					if len(m) == after {
						return stop
					}
					return m.remember(point, row)
				}})
				if !errors.Is(err, stop) {
					t.Fatalf("cut off after %d: %v", after, err)
				}
				again := mustConduct(t, c, execute.Options{Known: m.known})
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
	before := mustConduct(t, mustCompileSweep(t, sweep), execute.Options{Done: m.remember})
	sweep.Spec.Replications = v1alpha1.Replications{Seeds: append(slices.Clone(before.Plan.Seeds), 77)}
	sweep.Name = "renamed"
	after := mustConduct(t, mustCompileSweep(t, sweep), execute.Options{Known: m.known})
	points := len(after.Points())
	if got, want := after.Simulations()-after.Reused, points; got != want {
		t.Errorf("one more seed for %d points took %d simulations", points, got)
	}
}

func TestHalvingSimulatesLessForAWholeRanking(t *testing.T) {
	c := mustCompileSweep(t, learning(t, v1alpha1.SuccessiveHalvingSearch))
	conducted := mustConduct(t, c, execute.Options{})
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
	_, errs, err := compile.Sweep(t.Context(), sweep(0), traceInputs(t))
	if err != nil || len(errs) != 1 || !strings.HasPrefix(errs[0].Field, "spec.parameters") {
		t.Errorf("where none may fail: %v, %v", errs, err)
	}
	conducted := mustConduct(t, mustCompileSweep(t, sweep(1)), execute.Options{})
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
	c, errs, err := compile.Run(t.Context(), run, fakeInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	conducted := mustConduct(t, c, execute.Options{})
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

func gated(confirm int32, gates ...v1alpha1.Gate) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) {
		s.Spec.Gates = gates
		s.Spec.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: s.Spec.Parameters[0].Name, Value: "1"}}}
		if confirm > 0 {
			s.Spec.Search.Confirm = &confirm
		}
	}
}

func TestGatesAreJudgedByFreshSeedsWhereThereAreSome(t *testing.T) {
	gates := []v1alpha1.Gate{
		{Name: "must-pass", Metric: "completionRate", Operator: v1alpha1.AtLeast, Value: "50%", Confidence: "0.95"},
		{Name: "must-fail", Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: "1us", Confidence: "0.95"},
		{Name: "open", Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: "450ms", Confidence: "0.9999"},
	}
	for _, confirm := range []int32{0, 3} {
		conducted := mustConduct(t, mustCompileSweep(t, learning(t, v1alpha1.RandomSearch, gated(confirm, gates...))), execute.Options{})
		v, err := conducted.Verdict()
		if err != nil {
			t.Fatal(err)
		}
		seeds := len(conducted.Plan.Seeds)
		if confirm > 0 {
			seeds = int(confirm)
		}
		var got []result.Judgement
		for _, g := range v.Gates {
			got = append(got, g.Verdict)
			if g.N != seeds {
				t.Errorf("gate %s is judged by %d seeds, want %d", g.Name, g.N, seeds)
			}
		}
		if diff := cmp.Diff([]result.Judgement{result.Pass, result.Fail, result.Unknown}, got); diff != "" {
			t.Errorf("verdicts with %d fresh seeds (−want +got):\n%s", confirm, diff)
		}
		if v.Judgement != result.Fail || !strings.Contains(v.Message, "must-fail") {
			t.Errorf("all in all %s: %s", v.Judgement, v.Message)
		}
	}
}

func TestWhatCannotBeAskedIsSaidWithItsPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.PolicySweep)
		want string
	}{
		"a metric that does not exist": {func(s *v1alpha1.PolicySweep) { s.Spec.Objectives[0].Metric = "speed" }, "spec.objectives[0].metric"},
		"a constraint of a class that nobody sends": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Constraints = []v1alpha1.Constraint{{Metric: "ttft.p99{class=none}", Operator: v1alpha1.AtMost, Value: "1s"}}
		}, "spec.constraints[0].metric"},
		"a bound in the wrong unit": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Constraints = []v1alpha1.Constraint{{Metric: "ttft.p99", Operator: v1alpha1.AtMost, Value: "99%"}}
		}, "spec.constraints[0].value"},
		"a gate without a confidence": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Gates = []v1alpha1.Gate{{Name: "g", Metric: "ttft.p99", Operator: v1alpha1.AtMost, Value: "1s"}}
		}, "spec.gates[0].confidence"},
		"a gate of a point that gives a parameter no value": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Gates = []v1alpha1.Gate{{Name: "g", Metric: "ttft.p99", Operator: v1alpha1.AtMost, Value: "1s", Confidence: "0.95", Subject: v1alpha1.GateOfPoint}}
		}, "spec.gates[0].point"},
		"a gate of a point of another parameter": {func(s *v1alpha1.PolicySweep) {
			point := []v1alpha1.Assignment{{Name: s.Spec.Parameters[0].Name, Value: "1"}, {Name: "speed", Value: "1"}}
			s.Spec.Gates = []v1alpha1.Gate{{Name: "g", Metric: "ttft.p99", Operator: v1alpha1.AtMost, Value: "1s", Confidence: "0.95", Subject: v1alpha1.GateOfPoint, Point: point}}
		}, "spec.gates[0].point[1].name"},
		"an expression that does not compile": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Metrics = []v1alpha1.DerivedMetric{{Name: "x", Expression: "ttft.p99 +"}}
		}, "spec.metrics[0].expression"},
		"a feature that does not exist": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Search.Algorithm = v1alpha1.MAPElitesSearch
			s.Spec.Search.Features = []v1alpha1.Feature{{Metric: "shape", Min: "0", Max: "1", Bins: 4}}
		}, "spec.search.features[0].metric"},
		"rules that contradict each other": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Parameters[0].Range.Step = "1"
			name := s.Spec.Parameters[0].Name
			s.Spec.Rules = []v1alpha1.ParameterRule{{Expression: name + " > 5"}, {Expression: name + " < 5"}}
		}, "spec.rules"},
		"a rule about nothing": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Rules = []v1alpha1.ParameterRule{{Expression: "wait > 5"}}
		}, "spec.rules[0].expression"},
		"a precision of no metric": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Replications.Precision, s.Spec.Replications.Metric = "5%", "speed"
		}, "spec.replications.metric"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Sweep(t.Context(), learning(t, v1alpha1.RandomSearch, tc.edit), traceInputs(t))
			if err != nil || len(errs) == 0 || errs[0].Field != tc.want {
				t.Errorf("%v, %v; want a fault at %s", errs, err, tc.want)
			}
		})
	}
}

// A parameter of one profile's own plugin exists only where that profile is
// tried; where two parameters exclude each other they may lead to one place.
func TestParametersThatBelongToAProfile(t *testing.T) {
	sweep := testSweep(t)
	addProfiles(profile("a", "prefix-cache-scorer"), profile("b", "queue-scorer"))(sweep)
	last := len(sweep.Spec.Parameters) - 1
	profiles := sweep.Spec.Parameters[last]
	weight := func(name, plugin, of string) v1alpha1.Parameter {
		return v1alpha1.Parameter{
			Name: name, Path: "router.endpointPickerConfig.schedulingProfiles[default].plugins[" + plugin + "].weight",
			Values: []string{"1", "3"}, When: &v1alpha1.ParameterCondition{Parameter: profiles.Name, Values: []string{of}},
		}
	}
	sweep.Spec.Parameters = []v1alpha1.Parameter{profiles, weight("prefix", "prefix-cache-scorer", "a"), weight("queue", "queue-scorer", "b")}
	sweep.Spec.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: profiles.Name, Value: "b"}, {Name: "queue", Value: "2"}}}
	c := mustCompileSweep(t, sweep)
	conducted := mustConduct(t, c, execute.Options{})
	var got []string
	for _, p := range conducted.Points() {
		got = append(got, p.String())
	}
	name := profiles.Name + "="
	want := []string{name + "a prefix=1", name + "a prefix=3", name + "b queue=1", name + "b queue=3", name + "b queue=2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
	sweep.Spec.Baseline.Parameters[1].Name = "prefix"
	_, errs, err := compile.Sweep(t.Context(), sweep, traceInputs(t))
	if err != nil || len(errs) != 2 || errs[0].Field != "spec.baseline.parameters[1]" {
		t.Errorf("a baseline with another profile's parameter: %v, %v", errs, err)
	}
}

func TestACapacityIsTheHighestLoadThatHolds(t *testing.T) {
	sweep := testSweep(t)
	sweep.Spec.Parameters = []v1alpha1.Parameter{
		{Name: "replicas", Path: "pools[llama].replicas", Values: []string{"1", "3"}},
		{Name: "scale", Path: "workload.trace.rateScale", Range: &v1alpha1.Range{Min: "0.01", Max: "100", Scale: v1alpha1.LogScale}},
	}
	sweep.Spec.Baseline = nil
	sweep.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.CapacitySearch, MaxTrials: 200, Seed: 1,
		Capacity: &v1alpha1.Capacity{Load: "scale", Precision: "10%", Confidence: "0.9"}}
	sweep.Spec.Constraints = []v1alpha1.Constraint{{Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: "5s"}}
	conducted := mustConduct(t, mustCompileSweep(t, sweep), execute.Options{})
	board, err := conducted.Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	if len(board.Candidates) != 2 {
		t.Fatalf("%d candidates, want one for each number of replicas", len(board.Candidates))
	}
	for i, want := range []string{"3", "1"} {
		c := board.Candidates[i]
		if c.Parameters[0].Value != want || c.Capacity == nil || c.Capacity.Holds == "" {
			t.Errorf("place %d is %v with %+v, want %s replicas", i+1, c.Parameters, c.Capacity, want)
			continue
		}
		last := 0.0
		for _, tried := range c.Capacity.Tried {
			load, err := strconv.ParseFloat(tried.Load, 64)
			if err != nil || load <= last {
				t.Errorf("load %s comes after %v (%v)", tried.Load, last, err)
			}
			last = load
			if tried.Load == c.Capacity.Holds && (tried.Verdict != result.LoadMet || tried.Metrics["e2e.mean"] != c.Metrics["e2e.mean"]) {
				t.Errorf("at the load that holds: %+v", tried)
			}
		}
		if last == 0 {
			t.Error("nothing was tried")
		}
	}
}
