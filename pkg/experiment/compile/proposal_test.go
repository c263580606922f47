// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

const (
	byQueue  = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer # short queues\n"
	byChance = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: random-picker\n"
)

// proposing is a sweep that compares a configuration with that of its scenario.
func proposing(t *testing.T, current, proposal string) *v1alpha1.PolicySweep {
	t.Helper()
	sweep := experimenttest.SearchSweep(t, v1alpha1.GridSearch, func(*v1alpha1.PolicySweep) {})
	spec := &sweep.Spec
	spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms"}
	spec.Scenario.Router.EndpointPickerConfig.Inline = ptr.To(current)
	spec.Parameters, spec.Baseline, spec.Rules, spec.Objectives = nil, nil, nil, nil
	spec.Proposal = &v1alpha1.Proposal{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Inline: ptr.To(proposal)}}
	spec.Gates = []v1alpha1.Gate{
		{Name: "e2e", Metric: "e2e.mean", Operator: v1alpha1.AtMost, VersusBaseline: "50%", Confidence: "0.9"},
		{Name: "served", Metric: "completionRate", Operator: v1alpha1.AtLeast, Value: "1%", Confidence: "0.9"},
		{Name: "e2e-again", Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: "1h", Confidence: "0.9"},
	}
	return sweep
}

func TestAProposalIsComparedWithTheScenariosConfiguration(t *testing.T) {
	conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, proposing(t, byChance, byQueue)), execute.Options{})
	var points []string
	for _, point := range conducted.Points() {
		points = append(points, point.String())
	}
	if diff := cmp.Diff([]string{"configuration=baseline", "configuration=proposal"}, points); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
	objectives := []v1alpha1.Objective{{Metric: "e2e.mean", Direction: v1alpha1.Minimize}, {Metric: "completionRate", Direction: v1alpha1.Maximize}}
	if diff := cmp.Diff(objectives, conducted.Plan.Objectives); diff != "" {
		t.Errorf("objectives (−want +got):\n%s", diff)
	}
	for _, f := range conducted.Plan.Findings {
		if strings.HasPrefix(f.Path, "spec.parameters") {
			t.Errorf("a finding is at %s", f.Path)
		}
	}
	v, err := conducted.Verdict()
	if err != nil {
		t.Fatal(err)
	}
	if v.Outcome != verdict.Pass || v.Reason != "GatesPassed" {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
	for _, g := range v.Results {
		if g.Point != "configuration=proposal" {
			t.Errorf("gate %s is about %q", g.Name, g.Point)
		}
	}
	// The proposal is promoted as it was given, whichever point ranks first.
	for _, pair := range [][2]string{{byChance, byQueue}, {byQueue, byChance}} {
		conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, proposing(t, pair[0], pair[1])), execute.Options{})
		p, err := advice.Promote(conducted.Study, v1alpha1.SourceFormat)
		if err != nil || p.Text != pair[1] {
			t.Errorf("%v: promoted\n%v\nwant\n%s", err, p, pair[1])
		}
		report, ok, err := advice.NewReport(conducted.Study, "a proposal", advice.ReportedTop, advice.RollOut{Picker: p})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		var text strings.Builder
		if err := report.Write(&text); err != nil || !strings.Contains(text.String(), "| metric | baseline | proposal | difference |") {
			t.Errorf("%v: the report is\n%s", err, text.String())
		}
	}
}

func TestWarningsOfAProposalNameTheUsersField(t *testing.T) {
	sweep := proposing(t, byQueue, strings.Replace(byQueue, "- type: queue-scorer", "- type: prefix-cache-scorer\n- type: queue-scorer", 1))
	sweep.Spec.Scenario.Router.EndpointPickerConfig.Version = "auto"
	sweep.Spec.Proposal.EndpointPickerConfig.Version = "auto"
	plan := experimenttest.MustCompileSweep(t, sweep).Plan
	counts := map[string]int{}
	for _, text := range plan.Warnings {
		if path, _, _ := strings.Cut(text, ": "); strings.HasSuffix(path, ".version") {
			counts[path]++
		}
	}
	want := map[string]int{"spec.scenario.router.endpointPickerConfig.version": 1, "spec.proposal.endpointPickerConfig.version": 1}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("warnings about versions (−want +got):\n%s", diff)
	}
}

func TestErrorsOfAProposalNameTheUsersField(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.PolicySweepSpec)
		want string
	}{
		"a proposal that the EPP refuses": {func(s *v1alpha1.PolicySweepSpec) {
			s.Proposal.EndpointPickerConfig.Inline = ptr.To(strings.Replace(byQueue, "queue-scorer", "no-such-scorer", 1))
		}, "spec.proposal.endpointPickerConfig.inline"},
		"a proposal that is not there": {func(s *v1alpha1.PolicySweepSpec) {
			s.Proposal.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "gone", Key: "epp.yaml"}}
		}, "spec.proposal.endpointPickerConfig.configMapRef"},
		"a metric that does not exist": {func(s *v1alpha1.PolicySweepSpec) {
			s.Gates = []v1alpha1.Gate{{Name: "g", Metric: "speed", Operator: v1alpha1.AtMost, Value: "1", Confidence: "0.9"}}
		}, "spec.gates[0].metric"},
	} {
		t.Run(name, func(t *testing.T) {
			sweep := proposing(t, byChance, byQueue)
			tc.edit(&sweep.Spec)
			_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
			if err != nil || len(errs) == 0 {
				t.Fatalf("%v, %v", errs, err)
			}
			found := false
			for _, e := range errs {
				found = found || strings.HasPrefix(e.Field, tc.want)
				if strings.HasPrefix(e.Field, "spec.objectives") || strings.HasPrefix(e.Field, "spec.parameters") {
					t.Errorf("a fault is about what nobody wrote: %v", e)
				}
			}
			if !found {
				t.Errorf("%v; want a fault at %s", errs, tc.want)
			}
		})
	}
}

// A Capacity search needs no objectives.
func TestACapacityWithoutObjectivesRanksByItsConstraints(t *testing.T) {
	sweep := experimenttest.SearchSweep(t, v1alpha1.CapacitySearch, func(s *v1alpha1.PolicySweep) {
		s.Spec.Parameters = []v1alpha1.Parameter{{Name: "scale", Path: "workload.trace.rateScale", Range: &v1alpha1.Range{Min: "0.5", Max: "16"}}}
		s.Spec.Search.Capacity = &v1alpha1.Capacity{Load: "scale", Precision: "5%", Confidence: "0.95"}
		s.Spec.Objectives = nil
		s.Spec.Constraints = []v1alpha1.Constraint{{Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: "1h"}}
	})
	want := []v1alpha1.Objective{{Metric: "e2e.mean", Direction: v1alpha1.Minimize}}
	if diff := cmp.Diff(want, experimenttest.MustCompileSweep(t, sweep).Plan.Objectives); diff != "" {
		t.Errorf("objectives (−want +got):\n%s", diff)
	}
}
