// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// arrivalsBySource are the arrivals of a run's requests, by the name of their source.
func arrivalsBySource(t *testing.T, c *compile.Compiled) map[string][]simtime.Time {
	t.Helper()
	config, err := execute.Config(c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	arrivals := map[string][]simtime.Time{}
	labels := config.Source.Labels().Clients
	for range 300 {
		r, ok := config.Source.Next()
		if !ok {
			break
		}
		arrivals[labels[r.Client]] = append(arrivals[labels[r.Client]], r.Arrival)
	}
	return arrivals
}

// tracesRun is a run with a client and two replays of one trace, whose batches are spread.
func tracesRun(t *testing.T, edits ...func(*v1alpha1.Workload)) *compile.Compiled {
	t.Helper()
	run := builder.MakeRun("traces", "ns").Seeds(1).Obj()
	recorded := experimenttest.Sweep(t).Spec.Scenario.Workload.Trace
	recorded.Arrivals = v1alpha1.ArrivalsSpread
	workload := &run.Spec.Scenario.Workload
	workload.Traces = []v1alpha1.NamedTrace{{Name: "day", Trace: *recorded}, {Name: "night", Trace: *recorded.DeepCopy()}}
	workload.Traces[1].Tenant = "night"
	for _, edit := range edits {
		edit(workload)
	}
	c, errs, err := compile.Run(t.Context(), run, experimenttest.TraceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatalf("compile: %v, %v", errs, err)
	}
	return c
}

// A trace has arrivals of its own, which no other source changes.
func TestTracesDoNotChangeEachOther(t *testing.T) {
	all := arrivalsBySource(t, tracesRun(t))
	if len(all) != 3 || len(all["day"]) == 0 || slices.Equal(all["day"], all["night"]) {
		t.Fatalf("arrivals %v: want three sources, each with its own", all)
	}
	for name, edit := range map[string]func(*v1alpha1.Workload){
		"one trace":    func(w *v1alpha1.Workload) { w.Traces = w.Traces[1:] },
		"other order":  func(w *v1alpha1.Workload) { slices.Reverse(w.Traces) },
		"no client":    func(w *v1alpha1.Workload) { w.Clients = nil },
		"other client": func(w *v1alpha1.Workload) { w.Clients[0].Arrivals.Rate = "1" },
	} {
		t.Run(name, func(t *testing.T) {
			got := arrivalsBySource(t, tracesRun(t, edit))["night"]
			n := min(len(got), len(all["night"]))
			if diff := cmp.Diff(all["night"][:n], got[:n]); diff != "" || n == 0 {
				t.Errorf("%d arrivals of the trace night (-all sources +%s):\n%s", n, name, diff)
			}
		})
	}
}

// Results name each trace, and their keys hold the digests of the traces that are used.
func TestResultsNameEachTrace(t *testing.T) {
	both, one := tracesRun(t), tracesRun(t, func(w *v1alpha1.Workload) { w.Traces = w.Traces[:1] })
	of := experimenttest.MustRunLocally(t, both, execute.Options{Parallelism: 1}).Documents[0].Provenance.Workload
	var names []string
	for _, trace := range of.Traces {
		names = append(names, trace.Name)
		if trace.TraceSHA256 != both.Plan.Traces[0].SHA256 || trace.Arrivals != "Spread" {
			t.Errorf("provenance %+v", trace)
		}
	}
	if diff := cmp.Diff([]string{"day", "night"}, names); diff != "" || of.Clients != 1 {
		t.Errorf("%d clients, traces (-want +got):\n%s", of.Clients, diff)
	}
	for _, test := range []struct {
		of   *compile.Compiled
		want int
	}{{both, 2}, {one, 1}} {
		if key := test.of.Plan.KeyOf(test.of.Plan.Scenario, nil); len(key.Traces) != test.want || key.Trace != "" {
			t.Errorf("the key has %d digests and %q, want %d", len(key.Traces), key.Trace, test.want)
		}
	}
}

func TestNamesOfTraces(t *testing.T) {
	run := builder.MakeRun("traces", "ns").Obj()
	workload := &run.Spec.Scenario.Workload
	recorded := experimenttest.Sweep(t).Spec.Scenario.Workload.Trace
	workload.Traces = []v1alpha1.NamedTrace{{Name: workload.Clients[0].Name, Trace: *recorded}}
	_, errs, err := compile.Run(t.Context(), run, experimenttest.TraceInputs(t))
	if err != nil || len(errs) != 1 || !strings.Contains(errs[0].Error(), "spec.scenario.workload.traces[0].name: Invalid value") {
		t.Errorf("a trace with the name of a client: %v, %v", errs, err)
	}
}
