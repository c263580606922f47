// SPDX-License-Identifier: Apache-2.0

package fence_test

import (
	"errors"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/policy"
)

// The trials of a program that takes too much memory fail, and the others have their figures.
func TestASweepGoesOnAfterAProgramThatFails(t *testing.T) {
	const text = `routing: {signals: [queue-depth], starlark: {parameters: {copies: 1}, source: "def score(request, endpoints):\n  t = 'a ' * 49999\n  x = [t.split() for i in range(int(parameters.copies))]\n  return [e.queue_depth for e in endpoints]\n"}}`
	sweep := experimenttest.Sweep(t)
	sweep.Spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{
		Bundle: &v1alpha1.ManifestSource{Inline: new(bundleHead + text)},
	}}
	sweep.Spec.Baseline = nil
	sweep.Spec.Parameters = []v1alpha1.Parameter{{
		Name: "copies", Path: "router.policies.bundle.routing.starlark.parameters.copies", Values: []string{"1", "90000", "2"},
	}}
	c := experimenttest.MustCompileSweep(t, sweep)
	all := experimenttest.AllSimulations(t, c.Plan).Indices()
	got, err := simulate(t, c, &fence.Fence{Limits: few}, all...)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for i, s := range got {
		switch large := strings.Contains(experimenttest.FirstRound(t, c.Plan).At(all[i]).Point.String(), "90000"); {
		case large && (!strings.Contains(s.Row.Error, "memory fault of a program") || s.Row.Metrics.Len() > 0 || s.Row.Key == "" || !s.Row.ByMachine):
			t.Errorf("%+v", s.Row)
		case large:
			failed++
		case s.Row.Failed() || s.Row.Metrics.Len() == 0:
			t.Errorf("%+v", s.Row)
		}
	}
	if failed == 0 || failed == len(got) {
		t.Errorf("%d of %d simulations failed", failed, len(got))
	}
	// Its other trials are those of one process.
	var good []int
	for i := range all {
		if !got[i].Row.Failed() {
			good = append(good, all[i])
		}
	}
	want, err := simulate(t, c, nil, good...)
	if err != nil {
		t.Fatal(err)
	}
	fenced, err := simulate(t, c, &fence.Fence{Limits: few}, good...)
	if err != nil {
		t.Fatal(err)
	}
	if w, g := experimenttest.EncodeRows(t, want), experimenttest.EncodeRows(t, fenced); w != g {
		t.Errorf("rows of one process:\n%s\nand behind the fence:\n%s", w, g)
	}
}

// A run of such a program fails with its fault.
func TestARunFailsWithTheFault(t *testing.T) {
	c := bundled(t, `routing: {starlark: {source: "def score(request, endpoints):\n  t = 'a ' * 49999\n  x = [t.split() for i in range(90000)]\n  return []\n"}}`)
	_, err := simulate(t, c, &fence.Fence{Limits: few}, 0)
	var fault *policy.Fault
	if !errors.As(err, &fault) || fault.Kind != policy.MemoryFault || fault.Stage != policy.RunStage {
		t.Errorf("%v", err)
	}
}

// Who wants each decision is told that they do not pass the fence.
func TestNobodyLooksBehindTheFence(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want error
	}{
		"code":   {starlarkText, execute.ErrWatched},
		"a tree": {treeText, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := bundled(t, tc.text)
			_, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, execute.Options{
				Parallelism: 1, Fence: &fence.Fence{Limits: few}, Trace: execute.Decisions(func(int, *execute.RoutingRecord) {}),
			})
			if !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			if execute.Foreign(c.Plan) != (tc.want != nil) {
				t.Error("and the plan says the opposite")
			}
		})
	}
}
