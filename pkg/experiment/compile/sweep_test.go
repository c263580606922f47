// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

func TestTheSameSpecGivesTheSamePlan(t *testing.T) {
	first, second := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t)).Plan, experimenttest.MustCompileSweep(t, experimenttest.Sweep(t)).Plan
	if diff := cmp.Diff(string(first.Encode()), string(second.Encode())); diff != "" {
		t.Errorf("plans (−first +second):\n%s", diff)
	}
}

func TestErrorsOfASweepNameTheField(t *testing.T) {
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
		"a metric by workload of a sweep without workloads": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Objectives[0].Metric += "{workload=calm}"
		}, "spec.objectives[0].metric"},
		"a metric of another workload": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Workloads = []v1alpha1.SweepWorkload{{Name: "storm", Sources: []string{"trace"}}}
			s.Spec.Objectives[0].Metric += "{workload=calm}"
		}, "spec.objectives[0].metric"},
		"a workload of a source that does not exist": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Workloads = []v1alpha1.SweepWorkload{{Name: "storm", Sources: []string{"trace", "chat"}}}
		}, "spec.workloads[0].sources[1]"},
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
			_, errs, err := compile.Sweep(t.Context(), experimenttest.SearchSweep(t, v1alpha1.RandomSearch, tc.edit), experimenttest.TraceInputs(t))
			if err != nil || len(errs) == 0 || errs[0].Field != tc.want {
				t.Errorf("%v, %v; want a fault at %s", errs, err, tc.want)
			}
		})
	}
}

func TestWarmUpMetricsNeedARule(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	sweep.Spec.Objectives[0].Metric = "warmup.steady"
	_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
	if err != nil || len(errs) != 1 || errs[0].Field != "spec.objectives[0].metric" {
		t.Errorf("errors %v, %v", errs, err)
	}
	sweep.Spec.Scenario.Horizon.WarmupRule = v1alpha1.MSERWarmup
	experimenttest.MustCompileSweep(t, sweep)
}
