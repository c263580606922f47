// SPDX-License-Identifier: Apache-2.0

package inspect_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// lying answers with the simulation of another seed.
type lying struct{ asked int }

func (l *lying) Inspect(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, q inspect.Question) (*inspect.Answer, error) {
	l.asked++
	of.Seed++
	return inspect.Inside(ctx, p, traces, of, q)
}

func routedBy(t *testing.T, routing string) *compile.Compiled {
	t.Helper()
	run := experimenttest.Run(t)
	run.Spec.Scenario.Router = v1alpha1.Router{MetricsRefreshInterval: "50ms", Policies: &v1alpha1.Policies{
		Bundle: &v1alpha1.ManifestSource{Inline: new("apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\nrouting: " + routing)},
	}}
	return experimenttest.MustCompileRun(t, run)
}

const program = `{signals: [], starlark: {source: "def score(request, endpoints):\n  return [-e.waiting for e in endpoints]\n"}}`

// A fence is asked about programs only, and its answer must be about the same simulation.
func TestTheFenceIsAskedAboutPrograms(t *testing.T) {
	var fault *policy.Fault
	for name, tc := range map[string]struct {
		routing string
		asked   int
	}{
		"a program":        {program, 1},
		"a policy by name": {"{builtIn: {policy: random}}", 0},
	} {
		t.Run(name, func(t *testing.T) {
			c, fence := routedBy(t, tc.routing), &lying{}
			_, err := inspect.Ask(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan).At(0), inspect.Question{}, fence)
			if fence.asked != tc.asked || (tc.asked > 0) != (errors.As(err, &fault) && strings.Contains(err.Error(), "another simulation")) {
				t.Errorf("asked %d times: %v", fence.asked, err)
			}
		})
	}
}

// What is asked beside the result does not change it, on any number of cores.
func TestAQuestionChangesNoResult(t *testing.T) {
	c := routedBy(t, program)
	of := experimenttest.FirstRound(t, c.Plan).At(0)
	want, err := inspect.Inside(t.Context(), c.Plan, c.Traces, of, inspect.Question{})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, parallelism := range []int{1, 3} {
		got, err := inspect.Inside(t.Context(), c.Plan, c.Traces, of, inspect.Question{Parallelism: parallelism, Summary: &inspect.Summary{Strategy: insight.Counterfactual, Flips: 2}})
		if err != nil {
			t.Fatal(err)
		}
		if got.Simulation.Row.Key != want.Simulation.Row.Key || !cmp.Equal(got.Simulation.Row.Metrics, want.Simulation.Row.Metrics) || got.Simulation.Steps != want.Simulation.Steps {
			t.Errorf("%+v, want %+v", got.Simulation.Row, want.Simulation.Row)
		}
		if text == "" {
			text = got.Summary
		}
		if diff := cmp.Diff(text, got.Summary); diff != "" {
			t.Errorf("the summary with %d at once (-one +this):\n%s", parallelism, diff)
		}
	}
}

// A question that simulates other picks needs the memory of all that run at once.
func TestHowManySimulationsRunAtOnce(t *testing.T) {
	other := &inspect.Summary{Strategy: insight.Counterfactual}
	for name, tc := range map[string]struct {
		q    inspect.Question
		want int
	}{
		"a result":             {inspect.Question{Parallelism: 4}, 1},
		"a summary":            {inspect.Question{Summary: &inspect.Summary{Strategy: insight.IssueFocused}}, 1},
		"other picks":          {inspect.Question{Summary: other}, 8},
		"other picks, bounded": {inspect.Question{Summary: other, Parallelism: 3}, 3},
		"a request elsewhere":  {inspect.Question{Story: &inspect.Story{WhatIf: &inspect.WhatIf{}}}, 8},
		"a request":            {inspect.Question{Story: &inspect.Story{}}, 1},
	} {
		if got := tc.q.Simulations(8); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
