// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// spec is where the scenarios of the tests stand.
var spec = field.NewPath("spec", "scenario")

// builtScenario is what a scenario was made into.
type builtScenario struct {
	in      *v1alpha1.Scenario
	routing *Routing
	config  simulator.Config
}

// build makes the scenario of testdata/run.yaml, edited, into a simulation, and returns
// what stands in the way.
func build(t *testing.T, edit func(*v1alpha1.Scenario)) (m builtScenario, faults []string) {
	t.Helper()
	root, errs := resolved(t, edit)
	if len(errs) == 0 {
		m.in, m.routing, errs = Decode(root, spec)
	}
	if len(errs) == 0 {
		m.config, errs = new(Builder).Build(m.in, m.routing, nil, 1, spec)
	}
	for _, err := range errs {
		faults = append(faults, err.Error())
	}
	return m, faults
}

func buildValid(t *testing.T, edit func(*v1alpha1.Scenario)) builtScenario {
	t.Helper()
	m, faults := build(t, edit)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return m
}

func mustBuild(t *testing.T, edit func(*v1alpha1.Scenario)) simulator.Config {
	t.Helper()
	return buildValid(t, edit).config
}

// resolved is the edited scenario as a plan holds it.
func resolved(t *testing.T, edit func(*v1alpha1.Scenario)) (Tree, field.ErrorList) {
	t.Helper()
	file := testfile.Open(t, "testdata/run.yaml")
	set, err := manifest.Read(file, "run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in := &set.Runs[0].Spec.Scenario
	edit(in)
	root := asTree(t, in)
	if in.Router.Policies != nil {
		return root, nil
	}
	version := in.Router.EndpointPickerConfig.Version
	picker, faults := epp.Load([]byte(*in.Router.EndpointPickerConfig.Inline), version, spec.Child("router", "endpointPickerConfig"))
	if len(faults) > 0 {
		return nil, faults
	}
	document := asTree(t, picker)
	document[VersionField] = version
	root["router"].(Tree)["endpointPickerConfig"] = document
	return root, nil
}

func asTree(t *testing.T, v any) (root Tree) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(TreeJSON(v)))
	decoder.UseNumber()
	if err := decoder.Decode(&root); err != nil {
		t.Fatal(err)
	}
	return root
}

// wantFault wants one among faults: at a path, with a text.
func wantFault(t *testing.T, faults []string, path, text string) {
	t.Helper()
	if !slices.ContainsFunc(faults, func(f string) bool {
		return strings.HasPrefix(f, path+": ") && strings.Contains(f, text)
	}) {
		t.Errorf("faults are %q, want one at %s with %q", faults, path, text)
	}
}
