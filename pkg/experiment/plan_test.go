// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

func TestADecodedPlanGivesTheSameRows(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t))
	decoded, err := experiment.DecodePlan(c.Plan.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if c.Plan.Hash() != decoded.Hash() {
		t.Error("the decoded plan has another hash")
	}
	if diff := cmp.Diff(experimenttest.FirstRound(t, c.Plan).Trials, experimenttest.FirstRound(t, decoded).Trials); diff != "" {
		t.Errorf("trials (−compiled +decoded):\n%s", diff)
	}
	again := &compile.Compiled{Plan: decoded, Traces: c.Traces}
	if diff := cmp.Diff(experimenttest.EncodeRows(t, experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))), experimenttest.EncodeRows(t, experimenttest.MustSimulate(t, again, experimenttest.AllSimulations(t, decoded)))); diff != "" {
		t.Errorf("rows (−compiled +decoded):\n%s", diff)
	}
}

func TestDecodePlanRefusesOtherVersionsAndUnknownFields(t *testing.T) {
	raw := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t)).Plan.Encode()
	for _, edit := range [][2]string{
		{`"engineVersion":"`, `"engineVersion":"0`},
		{experiment.PlanSchemaVersion, "windtunnel.dev/plan/v0"},
		{`"seeds":`, `"seedz":`},
	} {
		if _, err := experiment.DecodePlan([]byte(strings.Replace(string(raw), edit[0], edit[1], 1))); err == nil {
			t.Errorf("a plan with %s was decoded", edit[1])
		}
	}
}

func TestRowsDoNotDependOnShards(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t))
	whole := experimenttest.EncodeRows(t, experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)))
	for _, n := range []int{2, 3} {
		var parts string
		for i := range n {
			which := experimenttest.FirstRound(t, c.Plan).Part(experimenttest.AllSimulations(t, c.Plan).Indices(), i, n)
			parts += experimenttest.EncodeRows(t, experimenttest.MustSimulate(t, c, experiment.Span{First: which[0], End: which[0] + len(which)}))
		}
		if diff := cmp.Diff(whole, parts); diff != "" {
			t.Errorf("rows of one shard and of %d (−one +%d):\n%s", n, n, diff)
		}
	}
}

func TestEveryPointSeesTheSameSeeds(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t))
	rows, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)))
	keys := map[string]bool{}
	for i, row := range rows {
		if want := c.Plan.Seeds[i%len(c.Plan.Seeds)]; row.Seed != want || row.Point != i/len(c.Plan.Seeds) {
			t.Errorf("row %d is point %d, seed %d", i, row.Point, row.Seed)
		}
		if keys[row.Key] {
			t.Errorf("row %d has the key of another one", i)
		}
		keys[row.Key] = true
	}
}

func TestNamesAndExecutionDoNotChangeTheKey(t *testing.T) {
	base, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, experimenttest.MustCompileSweep(t, experimenttest.Sweep(t)), experiment.Span{End: 1}))
	tests := map[string]func(*v1alpha1.PolicySweep){
		"how it is executed":     func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Shards = 7 },
		"its name":               func(s *v1alpha1.PolicySweep) { s.Name = "other" },
		"what it is compared to": func(s *v1alpha1.PolicySweep) { s.Spec.Baseline = nil },
		"a weight's trailing zero": func(s *v1alpha1.PolicySweep) {
			text := strings.Replace(*s.Spec.Scenario.Router.EndpointPickerConfig.Inline, "weight: 2}", "weight: 2.0}", 1)
			s.Spec.Scenario.Router.EndpointPickerConfig.Inline = &text
		},
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			sweep := experimenttest.Sweep(t)
			edit(sweep)
			rows, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, experimenttest.MustCompileSweep(t, sweep), experiment.Span{End: 1}))
			if rows[0].Key != base[0].Key {
				t.Error("the key changed")
			}
		})
	}
}

func TestRowsWithOtherMetricsHaveOtherKeys(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	base, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, experimenttest.MustCompileSweep(t, sweep), experiment.Span{End: 1}))
	sweep.Spec.Objectives[0].Metric = "ttft.p99{tenant=default}"
	other, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, experimenttest.MustCompileSweep(t, sweep), experiment.Span{End: 1}))
	if base[0].Key == other[0].Key || base[0].Metrics.Len() == other[0].Metrics.Len() {
		t.Errorf("keys %s and %s, %d and %d metrics", base[0].Key, other[0].Key, base[0].Metrics.Len(), other[0].Metrics.Len())
	}
}
