// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// volumeSweep is the sweep of the tests with its trace in a volume, and its inputs.
func volumeSweep(t *testing.T) (*v1alpha1.PolicySweep, experimenttest.Inputs) {
	t.Helper()
	sweep, in := experimenttest.Sweep(t), experimenttest.TraceInputs(t)
	raw := in["traces/small.jsonl"]
	trace := sweep.Spec.Scenario.Workload.Trace
	trace.ConfigMapRef = nil
	trace.PersistentVolumeClaim = &v1alpha1.VolumeClaimFile{ClaimName: "claim", Path: "2026/day.jsonl"}
	trace.SHA256 = experiment.Digest(raw)
	return sweep, experimenttest.Inputs{"claim/2026/day.jsonl": raw}
}

// A laptop reads the volume, a manager cannot, and both give the same plan.
func TestAPlanDoesNotDependOnAccessToItsVolume(t *testing.T) {
	sweep, in := volumeSweep(t)
	read, errs, err := compile.Sweep(t.Context(), sweep, in)
	if err != nil || len(errs) > 0 || len(read.Traces) != 1 {
		t.Fatalf("compile.Sweep: %v, %v", errs, err)
	}
	unread, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.Inputs{})
	if err != nil || len(errs) > 0 || len(unread.Traces) != 0 {
		t.Fatalf("compile.Sweep without the volume: %v, %v", errs, err)
	}
	if diff := cmp.Diff(string(read.Plan.Encode()), string(unread.Plan.Encode())); diff != "" {
		t.Errorf("plans (−read +unread):\n%s", diff)
	}
	want := []v1alpha1.InputDigest{{Name: "PersistentVolumeClaim/claim/2026/day.jsonl", SHA256: sweep.Spec.Scenario.Workload.Trace.SHA256}}
	if diff := cmp.Diff(want, unread.Plan.Inputs); diff != "" {
		t.Errorf("inputs (−want +got):\n%s", diff)
	}
	if len(unread.Plan.Warnings) != 1 || !strings.Contains(unread.Plan.Warnings[0], "only pods read this trace") {
		t.Errorf("warnings %q, want one that says what was not checked", unread.Plan.Warnings)
	}
}

func TestKeysDoNotDependOnTheSourceOfATrace(t *testing.T) {
	fromConfigMap, errs, err := compile.Sweep(t.Context(), experimenttest.Sweep(t), experimenttest.TraceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatalf("compile.Sweep: %v, %v", errs, err)
	}
	sweep, _ := volumeSweep(t)
	fromVolume, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.Inputs{})
	if err != nil || len(errs) > 0 {
		t.Fatalf("compile.Sweep: %v, %v", errs, err)
	}
	trial := &experiment.Trial{Point: experiment.Point{ID: 0, Values: firstPoint(t, fromVolume)}, Share: 1, Seeds: []int64{1, 2}}
	if diff := cmp.Diff(fromConfigMap.Plan.TrialKeys(trial, nil), fromVolume.Plan.TrialKeys(trial, nil)); diff != "" {
		t.Errorf("keys (−from a ConfigMap +from a volume):\n%s", diff)
	}
}

func firstPoint(t *testing.T, c *compile.Compiled) []v1alpha1.Assignment {
	t.Helper()
	first, err := study.New(c.Plan)
	if err != nil {
		t.Fatal(err)
	}
	return first.Round().At(0).Point.Values
}

func TestATraceWithAnotherDigestIsAnError(t *testing.T) {
	for name, edit := range map[string]func(*v1alpha1.Trace, experimenttest.Inputs){
		"in a ConfigMap": func(*v1alpha1.Trace, experimenttest.Inputs) {},
		"in an image": func(trace *v1alpha1.Trace, in experimenttest.Inputs) {
			trace.ConfigMapRef = nil
			trace.Image = &v1alpha1.ImageFile{Reference: "traces", Path: "small.jsonl"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			sweep, in := experimenttest.Sweep(t), experimenttest.TraceInputs(t)
			trace := sweep.Spec.Scenario.Workload.Trace
			trace.SHA256 = strings.Repeat("a", 64)
			edit(trace, in)
			_, errs, err := compile.Sweep(t.Context(), sweep, in)
			if err != nil || len(errs) != 1 || errs[0].Field != "spec.scenario.workload.trace.sha256" ||
				!strings.Contains(errs[0].Detail, experiment.Digest(in["traces/small.jsonl"])) {
				t.Errorf("compile.Sweep: %v, %v; want the digest that was found", errs, err)
			}
		})
	}
}

func TestATraceInAVolumeCanSpreadArrivals(t *testing.T) {
	sweep, in := volumeSweep(t)
	sweep.Spec.Scenario.Workload.Trace.Arrivals = v1alpha1.ArrivalsSpread
	if _, errs, err := compile.Sweep(t.Context(), sweep, in); err != nil || len(errs) > 0 {
		t.Errorf("compile.Sweep: %v, %v", errs, err)
	}
}

// gatewayLog is a CSV out of order, whose prompts and answers have 10 tokens each.
const gatewayLog = "ts,in,out\n5,10,10\n2,10,10\n9,10,10\n"

func gatewaySweep(t *testing.T) (*v1alpha1.PolicySweep, experimenttest.Inputs) {
	t.Helper()
	sweep, in := experimenttest.Sweep(t), experimenttest.TraceInputs(t)
	trace := sweep.Spec.Scenario.Workload.Trace
	in["traces/gateway.csv"] = []byte(gatewayLog)
	trace.ConfigMapRef.Key = "gateway.csv"
	trace.Format, trace.Order = v1alpha1.CSVTrace, v1alpha1.TraceSort
	trace.CSV = &v1alpha1.TraceCSV{Time: "ts", TimeFormat: "Seconds", InputTokens: "in", OutputTokens: "out"}
	return sweep, in
}

func TestTheLogOfAGatewayIsReadByItsColumns(t *testing.T) {
	sweep, in := gatewaySweep(t)
	c, errs, err := compile.Sweep(t.Context(), sweep, in)
	if err != nil || len(errs) > 0 {
		t.Fatalf("compile.Sweep: %v, %v", errs, err)
	}
	if diff := cmp.Diff(sweep.Spec.Scenario.Workload.Trace.CSV, c.Plan.Trace.CSV); diff != "" || c.Plan.Trace.Order != v1alpha1.TraceSort {
		t.Errorf("the plan has order %q and columns (-want +got):\n%s", c.Plan.Trace.Order, diff)
	}
}

// The same text read in another way is another workload.
func TestKeysDependOnHowATraceIsRead(t *testing.T) {
	keys := map[string]bool{}
	for _, edit := range []func(*v1alpha1.Trace){
		func(*v1alpha1.Trace) {},
		func(t *v1alpha1.Trace) { t.CSV.TimeFormat = "Milliseconds" },
		func(t *v1alpha1.Trace) { t.CSV.OutputTokens, t.CSV.InputTokens = "in", "out" },
	} {
		sweep, in := gatewaySweep(t)
		edit(sweep.Spec.Scenario.Workload.Trace)
		c, errs, err := compile.Sweep(t.Context(), sweep, in)
		if err != nil || len(errs) > 0 {
			t.Fatalf("compile.Sweep: %v, %v", errs, err)
		}
		trial := &experiment.Trial{Point: experiment.Point{ID: 0, Values: firstPoint(t, c)}, Share: 1, Seeds: []int64{1}}
		keys[fmt.Sprint(c.Plan.TrialKeys(trial, nil))] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d keys, want 3", len(keys))
	}
}

func TestHowATraceIsReadIsChecked(t *testing.T) {
	const path = "spec.scenario.workload.trace."
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Trace)
		want string
	}{
		"no columns": {func(t *v1alpha1.Trace) { t.CSV = nil }, path +
			`configMapRef: Invalid value: "gateway.csv": trace ConfigMap/traces/gateway.csv: row 1: must be a header with the columns arrival_ns,input_tokens,output_tokens, got "ts,in,out": csv (--csv) names other columns`},
		"another column": {func(t *v1alpha1.Trace) { t.CSV.Time = "when" }, path +
			`configMapRef: Invalid value: "gateway.csv": trace ConfigMap/traces/gateway.csv: row 1: must be a header with the columns when,in,out, got "ts,in,out"`},
		"columns of another format": {func(t *v1alpha1.Trace) { t.Format = v1alpha1.AzureTrace }, path + "csv: Forbidden: may only be set for the format CSV"},
		"one column for two":        {func(t *v1alpha1.Trace) { t.CSV.OutputTokens = "in" }, path + `csv.outputTokens: Duplicate value: "in"`},
	} {
		t.Run(name, func(t *testing.T) {
			sweep, in := gatewaySweep(t)
			tc.edit(sweep.Spec.Scenario.Workload.Trace)
			for who, inputs := range map[string]compile.Inputs{"laptop": in, "manager": experimenttest.ClusterInputs{Inputs: in}} {
				_, errs, err := compile.Sweep(t.Context(), sweep, inputs)
				if err != nil || len(errs) != 1 || errs[0].Error() != tc.want {
					t.Errorf("%s: got %v (%v), want %s", who, errs, err, tc.want)
				}
			}
		})
	}
}
