// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/preset"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

func presetRun(edit func(*v1alpha1.Client)) *v1alpha1.SimulationRun {
	run := builder.MakeRun("preset", "ns").Seeds(1).Obj()
	c := v1alpha1.Client{Name: "neighbour", Preset: &v1alpha1.Preset{Name: v1alpha1.ChatbotPreset, Rate: "0.5"}}
	edit(&c)
	run.Spec.Scenario.Workload.Clients = append(run.Spec.Scenario.Workload.Clients, c)
	manifest.Default(run)
	return run
}

// A client with each preset is that client with the fields spelled out: plans are equal.
func TestAPresetIsItsFields(t *testing.T) {
	for _, name := range preset.Names() {
		run := presetRun(func(c *v1alpha1.Client) { c.Preset.Name = name })
		if errs := manifest.Validate(run); len(errs) > 0 {
			t.Fatalf("%s: %v", name, errs.ToAggregate())
		}
		spelled := run.DeepCopy()
		spelled.Spec.Scenario = *preset.Expand(&run.Spec.Scenario)
		if errs := manifest.Validate(spelled); len(errs) > 0 {
			t.Fatalf("%s, spelled out: %v", name, errs.ToAggregate())
		}
		got, want := experimenttest.MustCompileRun(t, run).Plan, experimenttest.MustCompileRun(t, spelled).Plan
		if diff := cmp.Diff(string(want.Encode()), string(got.Encode())); diff != "" {
			t.Errorf("%s: plans (-spelled out +preset):\n%s", name, diff)
		}
		if diff := cmp.Diff([]string{"neighbour"}, got.Expanded); diff != "" {
			t.Errorf("%s: expanded clients (-want +got):\n%s", name, diff)
		}
	}
}

func TestFaultsOfClientsWithPresetsHaveTheirPath(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*v1alpha1.Client)
		want string
	}{
		"prompts beside a preset's sessions": {
			func(c *v1alpha1.Client) { c.Prompts = &v1alpha1.Prompts{Count: 3, Order: v1alpha1.CycleOrder} },
			"spec.scenario.workload.clients[1].prompts: Invalid value: prompts excludes sessions",
		},
		"sessions without concurrent and thinkTime": {
			func(c *v1alpha1.Client) {
				c.Preset = &v1alpha1.Preset{Name: v1alpha1.ReasoningPreset, Rate: "1"}
				c.Prefix = &v1alpha1.Prefix{Group: "g", Tokens: 5}
				c.Sessions = &v1alpha1.Sessions{Turns: v1alpha1.Lengths{Mean: "3"}}
			},
			"spec.scenario.workload.clients[1].sessions: Invalid value: sessions take concurrent, or thinkTime",
		},
	} {
		_, errs, err := compile.Run(t.Context(), presetRun(test.edit), experimenttest.TraceInputs(t))
		if err != nil || len(errs) != 1 || !strings.Contains(errs[0].Error(), test.want) || !strings.Contains(errs[0].Error(), "the fields of its preset") {
			t.Errorf("%s: %v, %v; want %q", name, errs, err, test.want)
		}
	}
}

// Parameters reach the fields of a preset, and not the preset.
func TestParametersVaryFieldsOfPresets(t *testing.T) {
	for path, want := range map[string]string{
		"workload.clients[neighbour].arrivals.rate":    "",
		"workload.clients[neighbour].inputTokens.mean": "",
		"workload.clients[neighbour].preset.rate":      "vary a field, such as workload.clients[neighbour].arrivals.rate",
	} {
		sweep := builder.MakeSweep("presets", "ns").Values("p", path, "1", "2").Objective("e2e.mean", v1alpha1.Minimize).Seeds(1).Obj()
		sweep.Spec.Scenario = presetRun(func(*v1alpha1.Client) {}).Spec.Scenario
		c, errs, err := compile.Sweep(t.Context(), sweep, experimenttest.TraceInputs(t))
		switch {
		case err != nil:
			t.Fatal(err)
		case want == "" && len(errs) > 0, want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), want)):
			t.Errorf("%s: %v, want %q", path, errs, want)
		case want == "" && len(c.Plan.Parameters) != 1:
			t.Errorf("%s: %d parameters", path, len(c.Plan.Parameters))
		}
	}
}
