// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// varies has the sweep vary one field, without a baseline.
func varies(path string, values ...string) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) {
		s.Spec.Parameters = []v1alpha1.Parameter{{Name: "field", Path: path, Values: values}}
		s.Spec.Baseline = nil
	}
}

// scheduled adds a scheduler, and a parameter that exists with one of them; "" is without a
// condition.
func scheduled(with string) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) {
		const pool = "pools[llama].engine."
		parameter := v1alpha1.Parameter{Name: "error", Path: pool + "schedulerParameters.error", Range: &v1alpha1.Range{Min: "0.2", Max: "1", Step: "0.4"}}
		if with != "" {
			parameter.When = &v1alpha1.ParameterCondition{Parameter: "scheduler", Values: []string{with}}
		}
		s.Spec.Parameters = append(s.Spec.Parameters, v1alpha1.Parameter{Name: "scheduler", Path: pool + "scheduler", Values: []string{"FCFS", "ShortestPredicted"}}, parameter)
		s.Spec.Baseline = nil
	}
}

// addStages adds a client with two stages.
func addStages(s *v1alpha1.PolicySweep) {
	s.Spec.Scenario.Workload.Clients = append(s.Spec.Scenario.Workload.Clients, v1alpha1.Client{
		Name: "ramp", Tenant: "default", Class: "default",
		Arrivals:     v1alpha1.Arrivals{Process: "Poisson", Stages: []v1alpha1.RateStage{{Rate: "1", Duration: "5s"}, {Rate: "3", Duration: "5s"}}},
		InputTokens:  v1alpha1.Lengths{Distribution: "Constant", Mean: "90", Min: 1},
		OutputTokens: v1alpha1.Lengths{Distribution: "Constant", Mean: "5", Min: 1},
	})
}

func TestParametersMustFitTheScenario(t *testing.T) {
	const both = "prefix-cache-scorer"
	tests := map[string]struct {
		edit func(*v1alpha1.PolicySweep)
		want string // the error's path and a part of it; empty where there is none
		text string
	}{
		"paths reach into every profile": {
			edit: experimenttest.AddProfiles(experimenttest.Profile("a", both), experimenttest.Profile("b", both, "queue-scorer")),
		},
		"a path that one of the profiles does not have": {
			edit: experimenttest.AddProfiles(experimenttest.Profile("a", both), experimenttest.Profile("b", "queue-scorer")),
			want: "spec.parameters[0].path", text: `in profile "b"`,
		},
		"a profile that the EPP refuses": {
			edit: experimenttest.AddProfiles(experimenttest.Profile("a", both), experimenttest.Profile("b", "no-such-scorer")),
			want: "spec.parameters[2].profiles[1].endpointPickerConfig.inline.plugins[0].type", text: "no-such-scorer",
		},
		"a value of 0 that the field does not allow": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters = append(s.Spec.Parameters, v1alpha1.Parameter{Name: "replicas", Path: "pools[llama].replicas", Values: []string{"1", "0"}})
				s.Spec.Baseline = nil
			},
			want: "spec.parameters[2].values[1]", text: "should be greater than or equal to 1",
		},
		"a scheduler's parameter where the scheduler is another one": {
			edit: scheduled(""),
			want: "spec.parameters[3].range.min", text: "FCFS has no parameters",
		},
		"a scheduler's parameter with a condition on the scheduler": {
			edit: scheduled("ShortestPredicted"),
		},
		"a scheduler's parameter with a condition on another scheduler": {
			edit: scheduled("FCFS"),
			want: "spec.parameters[3].range.min", text: "FCFS has no parameters",
		},
		"two parameters of one path": {
			edit: func(s *v1alpha1.PolicySweep) {
				again := s.Spec.Parameters[0]
				again.Name = "again"
				s.Spec.Parameters = append(s.Spec.Parameters, again)
			},
			want: "spec.parameters[2].path", text: "Duplicate",
		},
		"a range over text": {
			edit: func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[1].Path = "pools[llama].engine.prefixCaching" },
			want: "spec.parameters[1].range", text: "a string",
		},
		"a point of a range that the scenario does not take": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters[1].Path = "pools[llama].replicas"
				s.Spec.Parameters[1].Range = &v1alpha1.Range{Min: "8192", Max: "32768", Step: "16384"}
				s.Spec.Baseline = nil
			},
			want: "spec.parameters", text: "reach=24576",
		},
		"an end of a range that is never tried": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters[1].Path = "pools[llama].replicas"
				s.Spec.Parameters[1].Range = &v1alpha1.Range{Min: "1", Max: "17000", Step: "16000"}
				s.Spec.Baseline = nil
			},
		},
		"values that do not go together": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters = []v1alpha1.Parameter{
					{Name: "seqs", Path: "pools[llama].engine.maxNumSeqs", Values: []string{"64", "1024"}},
					{Name: "tokens", Path: "pools[llama].engine.maxNumBatchedTokens", Values: []string{"512", "8192"}},
				}
				s.Spec.Baseline = nil
			},
			want: "spec.parameters", text: "seqs=1024 tokens=512",
		},
		"a whole number in another spelling": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters[1] = v1alpha1.Parameter{Name: "reach", Path: "pools[llama].replicas", Values: []string{"+1", "02"}}
				s.Spec.Baseline = nil
			},
		},
		"two spellings of one value": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters[0].Values = []string{"3", "3.0"}
				s.Spec.Baseline = nil
			},
			want: "spec.parameters[0].values[1]", text: "Duplicate",
		},
		"two spellings of one objective": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Objectives = []v1alpha1.Objective{
					{Metric: "ttft.p99{class=default,tenant=default}", Direction: v1alpha1.Minimize},
					{Metric: "ttft.p99{tenant=default,class=default}", Direction: v1alpha1.Minimize},
				}
			},
			want: "spec.objectives[1].metric", text: "Duplicate",
		},
		"a trace that varies": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Parameters[0] = v1alpha1.Parameter{Name: "prefixWeight", Path: "workload.trace.format", Values: []string{"Mooncake", "Azure"}}
				s.Spec.Baseline = nil
			},
			want: "spec.parameters[0].path", text: "names an input",
		},
		"a share of a trace": {
			edit: varies("workload.trace.sample", "0.5", "1"),
		},
		"a share of a trace in two spellings": {
			edit: varies("workload.trace.sample", "0.5", "0.50"),
			want: "spec.parameters[0].values[1]", text: "Duplicate",
		},
		"more than a trace": {
			edit: varies("workload.trace.sample", "0.5", "1.5"),
			want: "spec.parameters[0].values[1]", text: "must be greater than 0 and at most 1",
		},
		"a part of a trace's time": {
			edit: varies("workload.trace.slice.to", "1s", "2s"),
		},
		"a part of a trace's time that ends before it begins": {
			edit: func(s *v1alpha1.PolicySweep) {
				s.Spec.Scenario.Workload.Trace.Slice = &v1alpha1.TraceSlice{From: "2s"}
				varies("workload.trace.slice.to", "3s", "1s")(s)
			},
			want: "spec.parameters[0].values[1]", text: "workload.trace.slice.to: Invalid value: \"1s\": must be after from",
		},
		"an entry of a list without names": {
			edit: func(s *v1alpha1.PolicySweep) {
				addStages(s)
				varies("workload.clients[ramp].arrivals.stages[1].rate", "2", "4")(s)
			},
		},
		"an entry that a list without names does not have": {
			edit: func(s *v1alpha1.PolicySweep) {
				addStages(s)
				varies("workload.clients[ramp].arrivals.stages[2].rate", "2", "4")(s)
			},
			want: "spec.parameters[0].path", text: "there are [0] to [1], since the entries have no names",
		},
		"a baseline that the scenario does not take": {
			edit: func(s *v1alpha1.PolicySweep) { s.Spec.Baseline.Parameters[1].Value = "-1" },
			want: "spec.baseline.parameters", text: "maxPrefixTokensToMatch",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			sweep := experimenttest.Sweep(t)
			tc.edit(sweep)
			_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
			if err != nil {
				t.Fatal(err)
			}
			if tc.want == "" && len(errs) == 0 {
				return
			}
			for _, e := range errs {
				if tc.want != "" && e.Field == tc.want && strings.Contains(e.Error(), tc.text) {
					return
				}
			}
			t.Errorf("errors are %v, want one at %q with %q", errs, tc.want, tc.text)
		})
	}
}

func TestObjectivesNeedAScenarioWithTheirMetric(t *testing.T) {
	has := map[string]func(*v1alpha1.Scenario){
		"cacheHit.total": func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.Tiers = []v1alpha1.Tier{{Kind: "CPU", Blocks: ptr.To[int32](9)}}
		},
		"cpuTier.stored": func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.Tiers = []v1alpha1.Tier{{Kind: "CPU", Blocks: ptr.To[int32](9)}}
		},
		"cacheHit.storage": func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.Tiers = []v1alpha1.Tier{{Kind: "Storage", Device: "sata-ssd", Blocks: ptr.To[int32](9)}}
		},
		"linkUtilization.toGPU": func(s *v1alpha1.Scenario) {
			s.Pools[0].KVCache.Tiers = []v1alpha1.Tier{{Kind: "Storage", Device: "sata-ssd", Blocks: ptr.To[int32](9)}}
		},
		"handoff.p99":   builder.SplitPools(v1alpha1.BothRole),
		"stability.rho": func(s *v1alpha1.Scenario) { s.Pools[0].KVCache.Stability = &v1alpha1.Stability{} },
		"migrations": func(s *v1alpha1.Scenario) {
			s.Disruptions = []v1alpha1.Disruption{{At: "1s", Pool: "llama", Kind: "Drain"}}
		},
	}
	for name, give := range has {
		t.Run(name, func(t *testing.T) {
			faults := func(edit func(*v1alpha1.Scenario)) string {
				sweep := experimenttest.Sweep(t)
				edit(&sweep.Spec.Scenario)
				sweep.Spec.Baseline, sweep.Spec.Parameters = nil, []v1alpha1.Parameter{{
					Name: "refresh", Path: "router.metricsRefreshInterval", Values: []string{"50ms", "1s"},
				}}
				sweep.Spec.Objectives = []v1alpha1.Objective{{Metric: name, Direction: v1alpha1.Minimize}}
				_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(errs)
			}
			if got := faults(func(*v1alpha1.Scenario) {}); !strings.Contains(got, "spec.objectives[0].metric: Invalid value: \""+name+"\": needs ") {
				t.Errorf("without what it needs: %s", got)
			}
			if got := faults(give); got != "[]" {
				t.Errorf("with what it needs: %s", got)
			}
		})
	}
}

func TestAWeightVariesWithinEveryProfile(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	experimenttest.AddProfiles(experimenttest.Profile("a", "prefix-cache-scorer"), experimenttest.Profile("b", "prefix-cache-scorer", "queue-scorer"))(sweep)
	c := experimenttest.MustCompileSweep(t, sweep)
	if got, want := len(experimenttest.FirstRound(t, c.Plan).Trials), 2*2*2; got != want {
		t.Fatalf("%d points, want %d", got, want)
	}
	rows, _ := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)))
	var keys []string
	for _, row := range rows {
		keys = append(keys, row.Key)
	}
	slices.Sort(keys)
	if unique := len(slices.Compact(keys)); unique != len(rows) {
		t.Errorf("%d rows have %d keys: a profile undid a weight", len(rows), unique)
	}
}

func TestParametersReachTiers(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	sweep.Spec.Scenario.Pools[0].KVCache.Tiers = []v1alpha1.Tier{
		{Kind: "CPU", Blocks: ptr.To[int32](500)}, {Kind: "Storage", Capacity: "1Gi", Device: "nvme-gen4"},
	}
	sweep.Spec.Baseline = nil
	sweep.Spec.Parameters = []v1alpha1.Parameter{
		{Name: "cpu", Path: "pools[llama].kvCache.tiers[CPU].blocks", Values: []string{"500", "1000"}},
		{Name: "storage", Path: "pools[llama].kvCache.tiers[Storage].capacity", Values: []string{"1Gi", "1024Mi", "2G"}},
		{Name: "threshold", Path: "pools[llama].kvCache.offload.threshold", Range: &v1alpha1.Range{Min: "0.5", Max: "0.9", Step: "0.2"}},
		{Name: "margin", Path: "pools[llama].kvCache.stability.margin", Values: []string{"1", "1.5"}},
	}
	_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(errs) != 1 || errs[0].Error() != `spec.parameters[1].values[1]: Duplicate value: "1024Mi"` {
		t.Errorf("errors are %v, want that 1024Mi is 1Gi", errs)
	}
}

// A plan lists the source of step times of each point once.
func TestAPlanListsTheSourcesOfStepTimes(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	sweep.Spec.Scenario.Pools[0].Accelerator = "rtx-4090"
	sweep.Spec.Parameters = []v1alpha1.Parameter{
		{Name: "gpu", Path: "pools[llama].accelerator", Values: []string{"rtx-4090", "h20"}},
		{Name: "gpus", Path: "pools[llama].tensorParallelism", Values: []string{"1", "2"}},
	}
	sweep.Spec.Baseline = nil
	plan := experimenttest.MustCompileSweep(t, sweep).Plan
	const (
		fitted    = "shares of peak fitted on Llama-3.1-8B at TP 1 (a run of vLLM 0.19)"
		published = "shares of peak published (one MFU for both phases), fitted to no engine"
		formula   = "; all-reduce: a formula (a latency and a share of the link's rate)"
	)
	want := []string{
		"llama on h20, TP 1: " + published,
		"llama on h20, TP 2: " + published + formula,
		"llama on rtx-4090, TP 1: " + fitted,
		"llama on rtx-4090, TP 2: " + fitted + ", not on meta-llama/Llama-3.1-8B-Instruct at TP 2" + formula,
	}
	got := slices.Sorted(slices.Values(plan.StepTimes))
	for i := range got { // pkg/setup tests how far predictions were off
		got[i], _, _ = strings.Cut(got[i], "; such predictions")
		got[i], _, _ = strings.Cut(got[i], "; unchecked")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("step times (−want +got):\n%s", diff)
	}
	outside := "spec.scenario.pools[0]: the shares of rtx-4090 were fitted on Llama-3.1-8B at TP 1, and this pool serves meta-llama/Llama-3.1-8B-Instruct at TP 2"
	if n := strings.Count(strings.Join(plan.Warnings, "\n"), outside); n != 1 {
		t.Errorf("%d warnings of the fit, want 1: %q", n, plan.Warnings)
	}
	var status v1alpha1.CommonStatus
	study.FillStatus(&status, plan)
	if diff := cmp.Diff(plan.StepTimes, status.StepTimes); diff != "" {
		t.Errorf("the status says (−plan +status):\n%s", diff)
	}
}

// A parameter of a plugin that only one profile has needs a condition: points with
// another profile have no value for it.
func TestAConditionLimitsAParameterToAProfile(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	experimenttest.AddProfiles(experimenttest.Profile("a", "prefix-cache-scorer"), experimenttest.Profile("b", "queue-scorer"))(sweep)
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
	c := experimenttest.MustCompileSweep(t, sweep)
	conducted := experimenttest.MustRunLocally(t, c, execute.Options{})
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
	_, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
	if err != nil || len(errs) != 2 || errs[0].Field != "spec.baseline.parameters[1]" {
		t.Errorf("a baseline with another profile's parameter: %v, %v", errs, err)
	}
}
