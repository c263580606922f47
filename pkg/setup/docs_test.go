// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// snippet returns the first YAML of docs/api.md that begins with a key.
func snippet(t *testing.T, key string) string {
	t.Helper()
	page := testfile.Read(t, "../../docs/api.md")
	_, rest, found := strings.Cut(string(page), "```yaml\n"+key+":")
	if !found {
		t.Fatalf("docs/api.md has no YAML that begins with %s", key)
	}
	text, _, _ := strings.Cut(rest, "```")
	return key + ":" + text
}

func TestDocumentedTableIsValid(t *testing.T) {
	table, errs := latency.ParseTable([]byte(snippet(t, "prefill")), nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if at, want := table.Prefill.Microseconds[2][1], 56200.; at != want {
		t.Errorf("2048 tokens after 8192 take %v µs, want %v", at, want)
	}
}

func TestDocumentedRequestCostIsPublishedOne(t *testing.T) {
	var pool v1alpha1.Pool
	if err := yaml.UnmarshalStrict([]byte(snippet(t, "requestCost")), &pool); err != nil {
		t.Fatal(err)
	}
	if got := buildRequestCost(pool.RequestCost); got != latency.PhysicsRequestCost() {
		t.Errorf("it is %+v", got)
	}
}

func TestDocumentedCatalogueIsValid(t *testing.T) {
	var scenario v1alpha1.Scenario
	if err := yaml.UnmarshalStrict([]byte(snippet(t, "catalogue")), &scenario); err != nil {
		t.Fatal(err)
	}
	if len(scenario.Catalogue) != 2 || scenario.Catalogue[0].Model == "" || scenario.Catalogue[1].File == nil {
		t.Errorf("it is %+v", scenario.Catalogue)
	}
}
