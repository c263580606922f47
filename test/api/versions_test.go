// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/previous"
)

// A second version shares the stored schema and needs no webhook, as
// docs/adr/0010-v1beta1-migration.md has it.
func TestDefinitionsNeedNoConversion(t *testing.T) {
	for kind := range files {
		spec := definitionOf(t, kind).Spec
		if c := spec.Conversion; c != nil && c.Strategy != apiextensionsv1.NoneConverter {
			t.Errorf("%s has the conversion strategy %s, want None", kind, c.Strategy)
		}
		for _, version := range spec.Versions[1:] {
			if diff := cmp.Diff(spec.Versions[0].Schema, version.Schema); diff != "" {
				t.Errorf("schemas of %s (-%s +%s):\n%s", kind, spec.Versions[0].Name, version.Name, diff)
			}
		}
	}
}

// The Go types hold what the schema lets users write. The documents have every field.
func TestEveryFieldSurvivesItsGoType(t *testing.T) {
	for name, doc := range documents(t) {
		t.Run(name, func(t *testing.T) {
			typed := decodeObject(t, kindOf(doc), jsontest.Encode(t, doc))
			again := jsontest.Decode[object](t, jsontest.Encode(t, typed))
			if diff := cmp.Diff(leaves(t, doc), leaves(t, again)); diff != "" {
				t.Errorf("spec (-written +read):\n%s", diff)
			}
		})
	}
}

// leaves are the values of a document's spec by their places, as text: 2 CPUs may
// come back as "2".
func leaves(t *testing.T, doc object) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, n := range nodes(t, doc) {
		switch n.value.(type) {
		case object, []any:
		default:
			all[n.at.String()] = fmt.Sprint(n.value)
		}
	}
	return all
}

// addedDefaults are the defaults that the schema has and the previous release's lacks.
// Each is the value that the code used, and still uses, if the field is not set: the
// behaviour of stored objects stays.
var addedDefaults = map[string]string{
	"spec.scenario.pools[0].adapters.loadTime":         `"0s"`,
	"spec.scenario.router.kvEvents.lag":                `"0s"`,
	"spec.scenario.router.latencyPrediction.error":     `"0"`,
	"spec.scenario.router.latencyPrediction.lag":       `"0s"`,
	"spec.scenario.router.tokenEstimate.bytesPerToken": `"4"`,
}

// What users stored with the previous release still has its place and its type.
func TestFieldsOfThePreviousReleaseStay(t *testing.T) {
	for kind, definition := range previous.Definitions(t) {
		current := map[string]*props{}
		note := func(at place, s *props) { current[at.String()] = s }
		walkSchema(place{}, definitionOf(t, kind).Spec.Versions[0].Schema.OpenAPIV3Schema, note)
		walkSchema(place{}, definition.Spec.Versions[0].Schema.OpenAPIV3Schema, func(at place, was *props) {
			is, ok := current[at.String()]
			if !ok {
				t.Errorf("%s of a %s is gone", at, kind)
				return
			}
			if is.Type != was.Type {
				t.Errorf("%s of a %s is of type %s, and was of type %s", at, kind, is.Type, was.Type)
			}
			want := was.Default
			if added, ok := addedDefaults[at.String()]; ok && want == nil {
				want = &apiextensionsv1.JSON{Raw: []byte(added)}
			}
			if diff := cmp.Diff(want, is.Default); diff != "" {
				t.Errorf("default of %s of a %s (-was +is):\n%s", at, kind, diff)
			}
			for _, name := range is.Required {
				if !slices.Contains(was.Required, name) {
					t.Errorf("%s of a %s requires %s, which it did not", at, kind, name)
				}
			}
			for _, value := range was.Enum {
				if len(is.Enum) > 0 && !slices.ContainsFunc(is.Enum, func(v apiextensionsv1.JSON) bool { return string(v.Raw) == string(value.Raw) }) {
					t.Errorf("%s of a %s may not be %s any more", at, kind, value.Raw)
				}
			}
		})
	}
}
