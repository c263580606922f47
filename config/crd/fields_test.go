// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"reflect"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/config/crd"
)

// The definitions are generated from the Go types. They have each field of these.
func TestDefinitionsHaveEachField(t *testing.T) {
	for name, kind := range map[string]any{"simulationruns": v1alpha1.SimulationRun{}, "policysweeps": v1alpha1.PolicySweep{}} {
		raw, err := crd.Bases.ReadFile("bases/sim.windtunnel.dev_" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(raw, &definition); err != nil {
			t.Fatal(err)
		}
		for _, path := range missingFields(reflect.TypeOf(kind), definition.Spec.Versions[0].Schema.OpenAPIV3Schema, name) {
			t.Errorf("config/crd/bases has no field %s: run make generate manifests", path)
		}
	}
}

// A field that the schema lacks is found by its path, in lists too.
func TestMissingFields(t *testing.T) {
	schema := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.Unmarshal([]byte(`{properties: {action: {}, capacity: {properties: {load: {}, precision: {}, confidence: {}}}, features: {items: {properties: {metric: {}}}}}}`), schema); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(missingFields(reflect.TypeOf(v1alpha1.Search{}), schema, "search"), " ")
	for _, want := range []string{"search.algorithm", "search.capacity.maxSeeds", "search.features[].bins"} {
		if !strings.Contains(got+" ", want+" ") {
			t.Errorf("missing are %s, want %s among them", got, want)
		}
	}
	if strings.Contains(got, "search.capacity.load") {
		t.Errorf("missing are %s, and search.capacity.load is there", got)
	}
}

// missingFields returns the paths of the fields of a type of the API, and of those below
// it, that a schema lacks.
func missingFields(t reflect.Type, schema *apiextensionsv1.JSONSchemaProps, path string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return missingFields(t.Elem(), schema, path)
	case reflect.Slice:
		if schema.Items == nil {
			return nil
		}
		return missingFields(t.Elem(), schema.Items.Schema, path+"[]")
	case reflect.Map:
		if schema.AdditionalProperties == nil {
			return nil
		}
		return missingFields(t.Elem(), schema.AdditionalProperties.Schema, path+"[]")
	case reflect.Struct:
	default:
		return nil
	}
	if t.PkgPath() != reflect.TypeOf(v1alpha1.PolicySweep{}).PkgPath() {
		return nil
	}
	var missing []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch child, found := schema.Properties[name]; {
		case name == "-":
		case name == "":
			missing = append(missing, missingFields(f.Type, schema, path)...)
		case !found:
			missing = append(missing, path+"."+name)
		default:
			missing = append(missing, missingFields(f.Type, &child, path+"."+name)...)
		}
	}
	return missing
}
