// SPDX-License-Identifier: Apache-2.0

package preset_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/config/crd"
	"windtunnel.dev/windtunnel/pkg/experiment/preset"
)

// The schema, the list and the files have the same presets.
func TestEachPresetHasAFile(t *testing.T) {
	var names, slugs, files []string
	for _, name := range preset.Names() {
		names, slugs = append(names, string(name)), append(slugs, preset.Slug(name)+".yaml")
		if _, err := preset.Text(name); err != nil {
			t.Error(err)
		}
	}
	entries, err := os.ReadDir("clients")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	slices.Sort(names)
	slices.Sort(slugs)
	if diff := cmp.Diff(slugs, files); diff != "" {
		t.Errorf("files (-presets +files):\n%s", diff)
	}
	if diff := cmp.Diff(schemaNames(t), names); diff != "" {
		t.Errorf("presets (-schema +list):\n%s", diff)
	}
}

// schemaNames are the presets that the definition of a SimulationRun knows, sorted.
func schemaNames(t *testing.T) []string {
	t.Helper()
	raw, err := fs.ReadFile(crd.Bases, "bases/sim.windtunnel.dev_simulationruns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var def apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(raw, &def); err != nil {
		t.Fatal(err)
	}
	at := *def.Spec.Versions[0].Schema.OpenAPIV3Schema
	for _, name := range []string{"spec", "scenario", "workload", "clients", "", "preset", "name"} {
		if name == "" {
			at = *at.Items.Schema
			continue
		}
		at = at.Properties[name]
	}
	var names []string
	for _, value := range at.Enum {
		names = append(names, strings.Trim(string(value.Raw), `"`))
	}
	slices.Sort(names)
	return names
}

func client(edit func(*v1alpha1.Client)) *v1alpha1.Scenario {
	c := v1alpha1.Client{Name: "chat", Tenant: "t", Class: "c", Preset: &v1alpha1.Preset{Name: v1alpha1.ChatbotPreset, Rate: "0.5"}}
	edit(&c)
	return &v1alpha1.Scenario{Workload: v1alpha1.Workload{Clients: []v1alpha1.Client{{Name: "other"}, c}}}
}

func TestFieldsOfTheClientReplaceThoseOfThePreset(t *testing.T) {
	plain := client(func(*v1alpha1.Client) {})
	got := preset.Expand(plain).Workload.Clients[1]
	if got.Preset != nil || plain.Workload.Clients[1].Preset == nil {
		t.Error("the expanded client has a preset, or the original has lost it")
	}
	if got.Name != "chat" || got.Tenant != "t" || got.Class != "c" || got.Prefix.Group != "chat" {
		t.Errorf("names of the client: %+v", got)
	}
	if got.Arrivals.Rate != "0.5" || got.Arrivals.Process != v1alpha1.PoissonArrivals || got.InputTokens.Mean != "256" || got.OutputTokens.Min != 1 || got.Sessions.Context != v1alpha1.AccumulateContext {
		t.Errorf("fields of the preset and their defaults: %+v", got)
	}

	got = preset.Expand(client(func(c *v1alpha1.Client) {
		c.Preset.Rate = ""
		c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.ConstantArrivals, Rate: "3"}
		c.OutputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: "7", Min: 1}
	})).Workload.Clients[1]
	if diff := cmp.Diff(v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: "7", Min: 1}, got.OutputTokens); diff != "" {
		t.Errorf("a field of the client (-client +expanded):\n%s", diff)
	}
	if got.Arrivals.Rate != "3" || got.InputTokens.Mean != "256" {
		t.Errorf("arrivals of the client: %+v", got)
	}

	got = preset.Expand(client(func(c *v1alpha1.Client) {
		c.Preset.Rate = ""
		c.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: 4}
	})).Workload.Clients[1]
	if got.Arrivals.Rate != "" || got.Arrivals.Process != "" || got.ClosedLoop.Concurrency != 4 {
		t.Errorf("a closed loop: %+v", got)
	}
}

func TestAScenarioWithoutPresetsStaysItself(t *testing.T) {
	in := &v1alpha1.Scenario{Workload: v1alpha1.Workload{Clients: []v1alpha1.Client{{Name: "a"}}}}
	if preset.Expand(in) != in {
		t.Error("a scenario without presets was copied")
	}
}
