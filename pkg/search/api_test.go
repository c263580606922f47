// SPDX-License-Identifier: Apache-2.0

package search

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/config/crd"
)

// The API takes the algorithms that have a constructor, and no others.
func TestAPIListsAlgorithms(t *testing.T) {
	raw, err := crd.Bases.ReadFile("bases/sim.windtunnel.dev_policysweeps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(raw, &definition); err != nil {
		t.Fatal(err)
	}
	schema := *definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	for _, name := range []string{"spec", "search", "algorithm"} {
		schema = schema.Properties[name]
	}
	var got []Name
	for _, value := range schema.Enum {
		got = append(got, Name(strings.Trim(string(value.Raw), `"`)))
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(constructors)), got); diff != "" {
		t.Errorf("algorithms (-constructors +API); the enum of SearchAlgorithm is in api/v1alpha1/search_types.go:\n%s", diff)
	}
}
