// SPDX-License-Identifier: Apache-2.0

package fence_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// slow is a scenario in which requests miss their targets.
func slow(run *v1alpha1.SimulationRun) {
	run.Spec.Scenario.SLOs[0].TTFT = "20ms"
}

// What an inspection says does not depend on the process that it runs in.
func TestInspectionsAreThoseOfOneProcess(t *testing.T) {
	for name, text := range map[string]string{"starlark": starlarkText, "wasm": moduleText()} {
		c := bundled(t, text, slow)
		of := experimenttest.FirstRound(t, c.Plan).At(0)
		for _, strategy := range insight.Strategies {
			t.Run(name+", "+string(strategy), func(t *testing.T) {
				q := inspect.Question{Summary: &inspect.Summary{Strategy: strategy, Flips: 2}}
				want, err := inspect.Inside(t.Context(), c.Plan, c.Traces, of, q)
				if err != nil {
					t.Fatal(err)
				}
				got, err := inspect.Ask(t.Context(), c.Plan, c.Traces, of, q, &fence.Fence{Limits: few})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
					t.Errorf("(-one process +fence):\n%s", diff)
				}
				if got.Simulation.Steps == 0 || got.Summary == "" || len(got.Report.Components["routing"]) == 0 {
					t.Errorf("%d steps, %d components, summary %q", got.Simulation.Steps, len(got.Report.Components), got.Summary)
				}
			})
		}
	}
}

// A child that was taken over may not control the terminal that its texts are printed on.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]bool{"a\n\tb – c": true, "": true, "a\x1b[2J": false, "a\rb": false, "\u009b1m": false} {
		if got := fence.Printable(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
