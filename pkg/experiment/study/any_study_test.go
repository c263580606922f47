// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// anySweep draws the search of a sweep at random. Some of the sweeps are not valid.
func anySweep(t testing.TB, s *stats.Stream) *v1alpha1.PolicySweep {
	algorithms := []v1alpha1.SearchAlgorithm{
		v1alpha1.GridSearch, v1alpha1.RandomSearch, v1alpha1.SobolSearch, v1alpha1.LatinHypercubeSearch, v1alpha1.TPESearch, v1alpha1.GPSearch,
		v1alpha1.CMAESSearch, v1alpha1.SuccessiveHalvingSearch, v1alpha1.HyperbandSearch, v1alpha1.NSGA2Search, v1alpha1.MAPElitesSearch, v1alpha1.CapacitySearch,
	}
	flip := func() bool { return s.IntN(2) == 0 }
	sweep := experimenttest.Sweep(t)
	spec := &sweep.Spec
	spec.Search = v1alpha1.Search{
		Algorithm: algorithms[s.IntN(len(algorithms))], MaxTrials: int32(1 + s.IntN(40)), Seed: int64(1 + s.IntN(3)), MaxFailedTrials: 1000,
	}
	spec.Parameters = append(spec.Parameters, v1alpha1.Parameter{
		Name: "scale", Path: "workload.trace.rateScale", Range: &v1alpha1.Range{Min: "0.5", Max: "16", Step: "0.5", Scale: v1alpha1.LogScale},
	})
	if spec.Search.Algorithm != v1alpha1.GridSearch && flip() {
		spec.Parameters[2].Range.Step = ""
	}
	if flip() {
		spec.Parameters[1].When = &v1alpha1.ParameterCondition{Parameter: "prefixWeight", Values: []string{"3"}}
	}
	if flip() {
		spec.Rules = []v1alpha1.ParameterRule{{Expression: "prefixWeight * reach < 5000"}}
	}
	spec.Baseline.Parameters = append(spec.Baseline.Parameters, v1alpha1.Assignment{Name: "scale", Value: "1"})
	if flip() {
		spec.Baseline.Parameters[1].Value = "1024"
	}
	count := int32(1 + s.IntN(6))
	spec.Replications = v1alpha1.Replications{Count: &count}
	relative := v1alpha1.Gate{Name: "relative", Metric: "goodput", Operator: v1alpha1.AtLeast, VersusBaseline: "-1%", Confidence: "0.95"}
	spec.Gates = []v1alpha1.Gate{{Name: "bound", Metric: "ttft.p99", Operator: v1alpha1.AtMost, Value: "1s", Confidence: "0.9"}, relative}
	if s.IntN(4) == 0 {
		spec.Baseline, spec.Gates = nil, spec.Gates[:1]
	}
	if spec.Search.Algorithm == v1alpha1.CapacitySearch || flip() {
		spec.Constraints = []v1alpha1.Constraint{{Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: v1alpha1.MetricBound([]string{"1ns", "1s", "1h"}[s.IntN(3)])}}
	}
	anyExtras(spec, s, flip)
	return sweep
}

func anyExtras(spec *v1alpha1.PolicySweepSpec, s *stats.Stream, flip func() bool) {
	switch spec.Search.Algorithm {
	case v1alpha1.CapacitySearch:
		spec.Search.Capacity = &v1alpha1.Capacity{Load: "scale", Precision: "5%", Confidence: "0.95"}
	case v1alpha1.MAPElitesSearch:
		spec.Search.Features = []v1alpha1.Feature{{Metric: "ttft.p99", Min: "0", Max: "1", Bins: 3}}
	case v1alpha1.SuccessiveHalvingSearch, v1alpha1.HyperbandSearch:
		if flip() {
			spec.Search.Halving = &v1alpha1.Halving{Fidelity: v1alpha1.SeedsFidelity, Reduction: 2}
		}
	}
	if flip() {
		spec.Search.Racing = &v1alpha1.Racing{Confidence: "0.95", First: int32(2 + s.IntN(2)), Step: 1}
	}
	if flip() {
		spec.Search.Confirm = ptr.To(int32(2 + s.IntN(3)))
	}
	if s.IntN(4) == 0 {
		spec.Workloads = []v1alpha1.SweepWorkload{{Name: "once", Sources: []string{"trace"}}, {Name: "again", Sources: []string{"trace"}}}
	}
	if flip() {
		spec.Replications.Precision, spec.Replications.MaxCount = "2%", ptr.To(int32(10))
		spec.Replications.Metric = []string{"", "tpot.mean"}[s.IntN(2)]
	}
}

// imagine makes up noisy rows of a round. A share of the points fails.
func imagine(r *experiment.Round, failing float64) []result.Row {
	rows := make([]result.Row, r.Simulations())
	for i := range rows {
		trial := r.At(i)
		s := stats.NewStream(trial.Seed, fmt.Sprint(trial.Point, trial.Share, trial.Workload))
		rows[i] = result.Row{Point: trial.Point.ID, Seed: trial.Seed, Share: trial.Share, Workload: trial.Workload, Key: fmt.Sprint(trial.Point, trial.Share, trial.Seed, trial.Workload)}
		if stats.NewStream(1, trial.Point.String()).Float64() < failing {
			rows[i].Error = "it does"
			continue
		}
		values := map[string]float64{}
		for _, name := range []string{"ttft.p99", "goodput", "e2e.mean", "tpot.mean"} {
			values[name] = s.Float64() + float64(len(trial.Point.String())%7)*0.2
		}
		rows[i].Metrics = result.NewMetrics(values)
	}
	return rows
}

func TestAnyStudyEndsAndResumesFromItsRows(t *testing.T) {
	studies := 0
	for seed := range int64(100) {
		s := stats.NewStream(seed, "sweeps")
		sweep := anySweep(t, s)
		c, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
		if err != nil {
			t.Fatal(err)
		}
		if len(errs) > 0 {
			continue
		}
		studies++
		t.Run(fmt.Sprintf("%d/%s", seed, sweep.Spec.Search.Algorithm), func(t *testing.T) {
			conductAny(t, c.Plan, []float64{0, 0.2, 1}[s.IntN(3)])
		})
	}
	if studies < 30 {
		t.Errorf("only %d sweeps were valid", studies)
	}
}

func conductAny(t *testing.T, p *experiment.Plan, failing float64) {
	one, err := study.New(p)
	if err != nil {
		t.Fatal(err)
	}
	outlook := study.Estimate(p, one)
	var told [][]result.Row
	for one.Round() != nil {
		if len(told) > 500 {
			t.Fatal("it does not end")
		}
		rows := imagine(one.Round(), failing)
		if err := one.AddRows(rows); err != nil {
			t.Fatal(err)
		}
		told = append(told, rows)
		resumed := again(t, p, told)
		if diff := cmp.Diff(proposed(one), proposed(resumed)); diff != "" {
			t.Fatalf("after %d rounds (−whole +resumed):\n%s", len(told), diff)
		}
	}
	if int64(len(one.Points())) > outlook.Points || int64(one.Simulations()) > outlook.Simulations {
		t.Errorf("%d points and %d simulations, where %d and %d were the most", len(one.Points()), one.Simulations(), outlook.Points, outlook.Simulations)
	}
	judged(t, one)
}

// again is a new study with the same rows.
func again(t *testing.T, p *experiment.Plan, told [][]result.Row) *study.Study {
	one, err := study.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range told {
		if err := one.AddRows(rows); err != nil {
			t.Fatal(err)
		}
	}
	return one
}

func proposed(s *study.Study) []experiment.Trial {
	if s.Round() == nil {
		return nil
	}
	return s.Round().Trials
}

// judged checks that the verdict, the status and the rows of a study agree.
func judged(t *testing.T, s *study.Study) {
	var status v1alpha1.PolicySweepStatus
	if err := study.FillSweep(&status, s); err != nil {
		t.Fatal(err)
	}
	v, err := s.Verdict()
	if err != nil {
		t.Fatal(err)
	}
	best, ok, err := s.Best()
	if err != nil {
		t.Fatal(err)
	}
	if ok != (status.Best != nil) || ok && int64(best) != status.Best.Point {
		t.Errorf("the best is %d (%t), and the status says %+v", best, ok, status.Best)
	}
	seeds := map[int64]bool{}
	for _, row := range s.Rows() {
		seeds[row.Seed] = true
	}
	for _, g := range v.Results {
		if g.N > len(seeds) {
			t.Errorf("gate %s was judged by %d values, and there are %d seeds", g.Name, g.N, len(seeds))
		}
	}
}
