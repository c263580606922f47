// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

func TestModelsOfTheRowsOfATrace(t *testing.T) {
	recorded, err := trace.Read(trace.Mooncake, strings.NewReader(`{"timestamp": 0, "input_length": 10, "output_length": 1, "hash_ids": [1]}`), "trace")
	if err != nil {
		t.Fatal(err)
	}
	one, two := servedModels{names: []string{"a"}}, servedModels{names: []string{"a", "b"}, several: true}
	for name, test := range map[string]struct {
		served servedModels
		all    string   // the model of the trace
		rows   []string // the models that rows name
		faults []string
		want   map[string]string // the model of requests, by that of the row
	}{
		"one model, and rows without any":      {served: one, want: map[string]string{"": ""}},
		"one model that rows name":             {served: one, rows: []string{"a"}, want: map[string]string{"a": ""}},
		"one model that rows do not name":      {served: one, rows: []string{"b"}, faults: []string{`rows of the trace name this model, which no pool serves; the pools serve "a"`}},
		"several models, and rows without any": {served: two, faults: []string{"rows of the trace name no model"}},
		"several models and one for all":       {served: two, all: "b", rows: []string{"gpt-5"}, want: map[string]string{"": "b", "gpt-5": "b"}},
		"several models, another in rows":      {served: two, rows: []string{"a", "c"}, faults: []string{"no pool serves", "rows of the trace name no model"}},
	} {
		t.Run(name, func(t *testing.T) {
			errs := test.served.validateRows(Trace{Path: field.NewPath("trace"), Trace: &v1alpha1.Trace{Model: test.all}}, recorded, test.rows)
			for _, want := range test.faults {
				if !slices.ContainsFunc(errs, func(e *field.Error) bool {
					return e.Field == "trace.model" && strings.Contains(e.Error(), want)
				}) {
					t.Errorf("faults are %v, want one with %q", errs, want)
				}
			}
			if len(errs) != len(test.faults) {
				t.Errorf("%d faults, want %d: %v", len(errs), len(test.faults), errs)
			}
			got := map[string]string{}
			for row := range test.want {
				got[row] = test.served.ofRows(test.all)(row)
			}
			if diff := cmp.Diff(test.want, got); len(test.faults) == 0 && diff != "" {
				t.Errorf("models (−want +got):\n%s", diff)
			}
		})
	}
}

// What checks of a part say is told of the fields that the user wrote.
func TestFieldsOfAPartAreWrittenAsThoseOfTheWhole(t *testing.T) {
	scenario := field.NewPath("spec", "scenario")
	in := &v1alpha1.Scenario{
		Pools:   []v1alpha1.Pool{{Name: "p", Model: "b"}, {Name: "q", Model: "a"}, {Name: "r", Model: "a"}},
		Routers: []v1alpha1.ModelRouter{{Model: "a"}, {Model: "b"}},
		Workload: v1alpha1.Workload{Clients: []v1alpha1.Client{
			{Name: "x", Model: "b"}, {Name: "y", Model: "a"}, {Name: "z", Model: "b"},
		}},
	}
	parts, errs := Parts(in, scenario)
	if len(errs) > 0 || len(parts) != 2 || parts[0].Model != "b" || parts[1].Router != 0 {
		t.Fatalf("parts %+v, errors %v", parts, errs)
	}
	for _, test := range []struct {
		part       int
		text, want string
	}{
		{0, "spec.scenario.router.replicas", "spec.scenario.routers[1].replicas"},
		{1, "spec.scenario.router", "spec.scenario.routers[0]"},
		{1, "spec.scenario.pools[1].role", "spec.scenario.pools[2].role"},
		{1, "spec.scenario.pools[0]: a note", "spec.scenario.pools[1]: a note"},
		{0, "spec.scenario.workload.clients[1].adapter", "spec.scenario.workload.clients[2].adapter"},
		{1, "spec.scenario.workload.clients[0]", "spec.scenario.workload.clients[1]"},
		{1, "spec.scenario.horizon", "spec.scenario.horizon"},
	} {
		if got := parts[test.part].Written(test.text, scenario); got != test.want {
			t.Errorf("%s of part %d is written as %s, want %s", test.text, test.part, got, test.want)
		}
	}
}
