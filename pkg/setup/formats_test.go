// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/config/crd"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// The API takes the trace formats that the loaders have, and no others.
func TestAPIListsTraceFormats(t *testing.T) {
	raw, err := crd.Bases.ReadFile("bases/sim.windtunnel.dev_simulationruns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(raw, &definition); err != nil {
		t.Fatal(err)
	}
	schema := *definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	for _, name := range []string{"spec", "scenario", "workload", "trace", "format"} {
		schema = schema.Properties[name]
	}
	var got, want []string
	for _, value := range schema.Enum {
		got = append(got, strings.Trim(string(value.Raw), `"`))
	}
	for _, f := range trace.Formats() {
		want = append(want, string(f))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("formats (-loaders +API):\n%s", diff)
	}
}
