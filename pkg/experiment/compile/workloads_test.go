// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// tenantSweep compares under two workloads, of which calm lacks the client of the tenant
// gold, whose class is vip.
func tenantSweep(edits ...func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	sweep := builder.MakeSweep("tenants", "ns").
		Scenario(builder.Client("golden", "5"), builder.SLO("vip", "1s")).
		Values("replicas", "pools[llama].replicas", "2", "3").
		Objective("e2e.mean", v1alpha1.Minimize).Obj()
	s := &sweep.Spec
	s.Scenario.Workload.Clients[1].Tenant = "gold"
	s.Scenario.Workload.Tenants = []v1alpha1.Tenant{{Name: "gold", Class: "vip", SLO: &v1alpha1.LatencyTargets{TTFT: "100ms"}}}
	s.Workloads = []v1alpha1.SweepWorkload{
		{Name: "calm", Sources: []string{"chat"}}, {Name: "all", Sources: []string{"chat", "golden"}},
	}
	for _, edit := range edits {
		edit(sweep)
	}
	return sweep
}

func TestAWorkloadMayLackATenant(t *testing.T) {
	plan := experimenttest.MustCompileSweep(t, tenantSweep()).Plan
	for workload, want := range map[string]bool{"calm": false, "all": true} {
		under := plan.Under(plan.Scenario, workload)
		if _, has := under["workload"].(experiment.Tree)["tenants"]; has != want {
			t.Errorf("workload %s states tenants: %v, want %v", workload, has, want)
		}
	}
}

// TestMetricsThatAWorkloadLacks have no value under one of the workloads.
func TestMetricsThatAWorkloadLacks(t *testing.T) {
	objective := func(metric string) func(*v1alpha1.PolicySweep) {
		return func(s *v1alpha1.PolicySweep) { s.Spec.Objectives[0].Metric = metric }
	}
	constraint := func(metric string) func(*v1alpha1.PolicySweep) {
		return func(s *v1alpha1.PolicySweep) {
			s.Spec.Constraints = []v1alpha1.Constraint{{Metric: metric, Operator: v1alpha1.AtMost, Value: "1s"}}
		}
	}
	for name, tc := range map[string]struct {
		edit  func(*v1alpha1.PolicySweep)
		wants []string // of each fault; none where the metric has a value
	}{
		"an objective of a tenant":         {objective("ttft.p99{tenant=gold}"), []string{`spec.objectives[0].metric: Invalid value: "ttft.p99{tenant=gold}": under workload "calm": the scenario has no such tenant; there are "default"`}},
		"an objective of a class":          {objective("ttft.p99{class=vip}"), []string{`spec.objectives[0].metric: Invalid value: "ttft.p99{class=vip}": under workload "calm": the scenario has no such class; there are "default"`}},
		"of the workload that has it":      {objective("ttft.p99{tenant=gold,workload=all}"), nil},
		"of a tenant that all have":        {objective("ttft.p99{tenant=default}"), nil},
		"a constraint of a tenant":         {constraint("ttft.p99{tenant=gold}"), []string{`spec.constraints[0].metric: Invalid value: "ttft.p99{tenant=gold}": under workload "calm": the`}},
		"a constraint of another workload": {constraint("ttft.p99{tenant=gold,workload=calm}"), []string{`spec.constraints[0].metric: Invalid value: "ttft.p99{tenant=gold}": under workload "calm": the`}},
		"a gate of a class": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Gates = []v1alpha1.Gate{{Name: "g", Metric: "ttft.p99{class=vip}", Operator: v1alpha1.AtMost, Value: "1s", Confidence: "0.95"}}
		}, []string{`spec.gates[0].metric: Invalid value: "ttft.p99{class=vip}": under workload "calm": the`}},
		"a derived metric": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Metrics = []v1alpha1.DerivedMetric{{Name: "both", Expression: `metric("ttft.p99{tenant=gold}") + ttft.p99`}}
			s.Spec.Objectives[0].Metric = "both"
		}, []string{`spec.objectives[0].metric: Invalid value: "ttft.p99{tenant=gold}": under workload "calm": the`}},
		"fairness among one tenant": {objective("fairness.tokens"), []string{`spec.objectives[0].metric: Invalid value: "fairness.tokens": under workload "calm": compares tenants`}},
		"goodput without targets": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Objectives[0].Metric, s.Spec.Scenario.SLOs = "goodput", nil
		}, []string{`spec.objectives[0].metric: Invalid value: "goodput": under workload "calm": needs latency targets`}},
		"a tenant that no workload has": {objective("ttft.p99{tenant=nobody}"), []string{`spec.objectives[0].metric: Invalid value: "ttft.p99{tenant=nobody}": the scenario has no such tenant; there are "default", "gold"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs, err := compile.Sweep(t.Context(), tenantSweep(tc.edit), experimenttest.Inputs{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range errs {
				got = append(got, e.Error())
			}
			if !slices.EqualFunc(got, tc.wants, strings.HasPrefix) {
				t.Errorf("faults\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.wants, "\n"))
			}
		})
	}
}

// TestMetricsOfTheRowsOfATrace have values where rows name what they select.
func TestMetricsOfTheRowsOfATrace(t *testing.T) {
	rows := "{\"windtunnel_trace\":1}\n{\"arrival_ns\":0,\"input_tokens\":4,\"output_tokens\":1,\"tenant\":\"gold\"}\n"
	file, onlyPods := builder.TraceFile(v1alpha1.WindtunnelTrace, "rows"), builder.TraceFrom(v1alpha1.WindtunnelTrace, "traces", "rows")
	inVolume := func(format v1alpha1.TraceFormat) builder.ScenarioEdit {
		return func(s *v1alpha1.Scenario) {
			s.Workload = v1alpha1.Workload{Trace: &v1alpha1.Trace{
				Format: format, SHA256: strings.Repeat("0", 64), Image: &v1alpha1.ImageFile{Reference: "registry.example.org/traces:v1", Path: "rows"},
			}}
		}
	}
	for name, tc := range map[string]struct {
		from   builder.ScenarioEdit
		metric string
		want   int
	}{
		"a tenant of rows":                     {file, "ttft.p99{tenant=gold}", 0},
		"the class that a tenant states":       {file, "ttft.p99{class=vip}", 0},
		"a tenant of no row":                   {file, "ttft.p99{tenant=nobody}", 1},
		"a tenant of rows that only pods read": {onlyPods, "ttft.p99{tenant=nobody}", 0},
		"a tenant of Parquet in a volume":      {inVolume(v1alpha1.ParquetTrace), "ttft.p99{tenant=nobody}", 0},
		"rows in a volume without tenants":     {inVolume(v1alpha1.VidurTrace), "ttft.p99{tenant=nobody}", 1},
	} {
		t.Run(name, func(t *testing.T) {
			run := builder.MakeRun("rows", "ns").Scenario(tc.from).Obj()
			run.Spec.Scenario.Workload.Tenants = []v1alpha1.Tenant{{Name: "gold", Class: "vip"}}
			run.Spec.Gates = []v1alpha1.RunGate{{Name: "g", Metric: tc.metric, Operator: v1alpha1.AtMost, Value: "1s", Confidence: "0.95"}}
			_, errs, err := compile.Run(t.Context(), run, fileInputs{experimenttest.Inputs{"traces/rows": []byte(rows)}, map[string]string{"rows": rows}})
			if err != nil || len(errs) != tc.want {
				t.Errorf("faults %v, %v; want %d", errs, err, tc.want)
			}
		})
	}
}

// TestNotesOnWhatHasNoEffect have a retry without a backoff, which a parameter may set.
func TestNotesOnWhatHasNoEffect(t *testing.T) {
	const note = "spec.scenario.workload.clients[0].retry.jitter: has no effect, since backoff is 0s: retries come at once"
	for name, tc := range map[string]struct {
		path   string
		values []string
		want   bool
	}{
		"the backoff varies":      {"workload.clients[chat].retry.backoff", []string{"0s", "1s"}, false},
		"no backoff at any point": {"workload.clients[chat].retry.backoff", []string{"0s"}, true},
		"something else varies":   {"pools[llama].replicas", []string{"2", "3"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			sweep := builder.MakeSweep("idle", "ns").Values("x", tc.path, tc.values...).Objective("e2e.mean", v1alpha1.Minimize).Obj()
			sweep.Spec.Scenario.Workload.Clients[0].Retry = &v1alpha1.Retry{
				Max: 1, Backoff: "0s", Multiplier: "2", Jitter: "0.5", After: []v1alpha1.RetryReason{v1alpha1.RetryRejected},
			}
			if warnings := experimenttest.MustCompileSweep(t, sweep).Plan.Warnings; slices.Contains(warnings, note) != tc.want {
				t.Errorf("warnings %q, want the note: %v", warnings, tc.want)
			}
		})
	}
}
