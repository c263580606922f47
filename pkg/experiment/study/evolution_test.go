// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/search"
)

func TestEvolvingStudiesEndAndResumeFromTheirRows(t *testing.T) {
	for _, failing := range []float64{0, 0.3, 1} {
		c := experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t, func(s *v1alpha1.PolicySweep) {
			s.Spec.Gates = []v1alpha1.Gate{{Name: "bound", Metric: "ttft.p99", Operator: v1alpha1.AtMost, Value: "1s", Confidence: "0.9"}}
			confirm := int32(2)
			s.Spec.Search.Confirm = &confirm
		}))
		conductAny(t, c.Plan, failing)
	}
}

// A worker knows the plan and what is left of a round, and no other rows.
func TestWorkersGetThePoliciesOfTheirRound(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t))
	decoded, err := experiment.DecodePlan(c.Plan.Encode())
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.New(c.Plan)
	if err != nil {
		t.Fatal(err)
	}
	for s.Round() != nil {
		work, err := experiment.DecodeWork(c.Plan.Work(s.Round(), s.Round().All().Indices()).Encode())
		if err != nil {
			t.Fatal(err)
		}
		round, _, err := study.Resume(decoded, work)
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.Plan.Keys(s.Round())
		if err != nil {
			t.Fatal(err)
		}
		got, err := decoded.Keys(round)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v: keys (−manager +worker):\n%s", err, diff)
		}
		if err := s.AddRows(imagine(s.Round(), 0.1)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPoliciesHaveALineToTheScenarios(t *testing.T) {
	conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t)), execute.Options{})
	s := conducted.Study
	for id, point := range s.Points() {
		line := s.Lineage(id)
		if len(line) == 0 || line[0].Point != 0 || line[0].Parent != "" || line[len(line)-1].Policy != point.Values[0].Value {
			t.Fatalf("point %d has the line %+v", id, line)
		}
		for i := range line[1:] {
			if line[i+1].Parent != line[i].Policy || len(line[i+1].Changes) == 0 {
				t.Errorf("point %d: %s comes from %s, not from %s", id, line[i+1].Policy, line[i+1].Parent, line[i].Policy)
			}
		}
		own := line[len(line)-1]
		b, err := s.Bundle(id)
		if err != nil {
			t.Fatal(err)
		}
		want := bundle.Bundle{Generation: int64(own.Generation), Parent: own.Parent, Mutations: own.Changes}
		if got := (bundle.Bundle{Generation: b.Generation, Parent: b.Parent, Mutations: b.Mutations}); cmp.Diff(want, got) != "" || b.ID() != own.Policy {
			t.Errorf("point %d: %+v, want %+v", id, got, want)
		}
	}
	var status v1alpha1.PolicySweepStatus
	if err := study.FillSweep(&status, s); err != nil {
		t.Fatal(err)
	}
	last := status.Lineage[len(status.Lineage)-1]
	if last.Point != status.Best.Point || last.Value != status.Best.Objectives[0].Mean || len(status.Best.Parameters[0].Value) != 12 {
		t.Errorf("the best is %+v, and its line ends with %+v", status.Best, last)
	}
	if strings.Contains(conductedRows(t, conducted), "decisionTree") {
		t.Error("rows repeat policies")
	}
}

// A study whose proposer has no answers yet waits, and then is the one that they make.
func TestAStudyWaitsForProposals(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t))
	answered := false
	c.Plan.Proposer = func(inquiries []search.Inquiry) [][]search.Proposed {
		if !answered {
			return nil
		}
		return make([][]search.Proposed, len(inquiries))
	}
	s, err := study.New(c.Plan)
	if err != nil {
		t.Fatal(err)
	}
	waits := 0
	for s.Round() != nil {
		index := s.Round().Index
		answered = false
		if err := s.AddRows(imagine(s.Round(), 0.1)); err != nil {
			t.Fatal(err)
		}
		s.Continue()
		if asked := s.Inquiries(); asked != nil {
			waits++
			if s.Round() != nil || asked[0].Generation != index+1 {
				t.Fatalf("round %d: the study waits for generation %d beside a round", index, asked[0].Generation)
			}
		}
		answered = true
		s.Continue()
		if s.Inquiries() != nil {
			t.Fatalf("round %d: the study waits on", index)
		}
	}
	plain := experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t))
	other, err := study.New(plain.Plan)
	if err != nil {
		t.Fatal(err)
	}
	for other.Round() != nil {
		if err := other.AddRows(imagine(other.Round(), 0.1)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(len(other.Points()), len(s.Points())); diff != "" || waits != 4 {
		t.Errorf("%d waits, want 4; points (−without +with waits):\n%s", waits, diff)
	}
}

func conductedRows(t *testing.T, conducted *execute.LocalRun) string {
	t.Helper()
	var simulations []experiment.Simulation
	for _, row := range conducted.Rows() {
		simulations = append(simulations, experiment.Simulation{Row: row})
	}
	return experimenttest.EncodeRows(t, simulations)
}

// Where a bundle comes from is no part of the key of its results.
func TestLineageChangesNoKey(t *testing.T) {
	var keys []string
	for _, text := range []string{
		"{apiVersion: sim.windtunnel.dev/v1alpha1, kind: PolicyBundle, routing: {decisionTree: {root: {value: 0}}}}",
		"{apiVersion: sim.windtunnel.dev/v1alpha1, kind: PolicyBundle, metadata: {name: x}, generation: 3, parent: abc, mutations: [some], routing: {decisionTree: {root: {value: 0}}}}",
	} {
		c := experimenttest.MustCompileSweep(t, experimenttest.EvolvingSweep(t, func(s *v1alpha1.PolicySweep) {
			s.Spec.Scenario.Router.Policies.Bundle.Inline = &text
		}))
		s, err := study.New(c.Plan)
		if err != nil {
			t.Fatal(err)
		}
		of, err := c.Plan.Keys(s.Round())
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, of[0])
		if _, errs := bundle.Read([]byte(s.Points()[0].Policy), field.NewPath("b")); len(errs) > 0 {
			t.Error(errs)
		}
	}
	if keys[0] != keys[1] {
		t.Errorf("keys %v", keys)
	}
}
