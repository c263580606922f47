// SPDX-License-Identifier: Apache-2.0

package run

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
)

// reportSchema is the published schema, in the words of the validator at hand.
func reportSchema(t *testing.T) *validate.SchemaValidator {
	t.Helper()
	raw := testfile.Read(t, filepath.Join(cmdtest.PublishedReports(t), "schema.json"))
	root := jsontest.Decode[map[string]any](t, raw)
	schema := jsontest.Encode(t, inWordsOfDraft4(root, root["$defs"].(map[string]any)))
	s := jsontest.Decode[spec.Schema](t, schema)
	return validate.NewSchemaValidator(&s, nil, "", strfmt.Default)
}

// inWordsOfDraft4 rewrites a schema of draft 2020-12: definitions in their places, a const
// as an enum of one, an exclusive bound as a bound that is marked. Reports have no null
// where the schema describes what there is.
func inWordsOfDraft4(node any, definitions map[string]any) any {
	switch node := node.(type) {
	case []any:
		list := slices.Clone(node)
		for i := range list {
			list[i] = inWordsOfDraft4(list[i], definitions)
		}
		return list
	case map[string]any:
		if ref, is := node["$ref"].(string); is {
			return inWordsOfDraft4(definitions[strings.TrimPrefix(ref, "#/$defs/")], definitions)
		}
		node = maps.Clone(node)
		for _, word := range []string{"$defs", "discriminator", "default"} {
			// A property of that name is a schema itself.
			if schema, is := node[word].(map[string]any); !is || schema["type"] == nil {
				delete(node, word)
			}
		}
		if value, has := node["const"]; has {
			delete(node, "const")
			node["enum"] = []any{value}
		}
		if bound, is := node["exclusiveMinimum"].(float64); is {
			node["minimum"], node["exclusiveMinimum"] = bound, true
		}
		if alternatives, is := node["anyOf"].([]any); is {
			node["anyOf"] = slices.DeleteFunc(slices.Clone(alternatives), func(a any) bool { return a.(map[string]any)["type"] == "null" })
		}
		for key, value := range node {
			node[key] = inWordsOfDraft4(value, definitions)
		}
		return node
	default:
		return node
	}
}

// faultsOf are those that the schema finds in a report.
func faultsOf(t *testing.T, schema *validate.SchemaValidator, text string) []error {
	t.Helper()
	var document any
	// By way of JSON: YAML has times, for which the schema has texts.
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document).Errors
}

// The rewritten schema still refuses what the published one does, and like it takes a TTFT
// in watts and any version: our reader does not.
func TestTheSchemaIsAsStrictAsThePublishedOne(t *testing.T) {
	schema := reportSchema(t)
	raw := cmdtest.TextOf(t, "../../pkg/report/benchmark/testdata/measured.yaml")
	whole := strings.Replace(raw, ".inf", "5", 1)
	for name, tc := range map[string]struct {
		old, new string
		valid    bool
	}{
		"as it is":            {"", "", true},
		"a TTFT in watts":     {"units: ms,", "units: Watts,", true},
		"another version":     {"version: 0.2.1", "version: '9'", true},
		"no uid":              {"  uid: 5d2a7c1e\n", "", false},
		"an unknown field":    {"  eid:", "  experiment:", false},
		"a unit of no field":  {"units: ms,", "units: seconds,", false},
		"a text for a number": {"mean: 97.5", "mean: high", false},
		"a role of no pool":   {"role: replica", "role: aggregate", false},
		"no replicas":         {"replicas: 1", "replicas: 0", false},
		"a rate of 0":         {"rate_qps: 6", "rate_qps: 0", false},
		"a kind of no schema": {"kind: generic", "kind: other", false},
	} {
		if got := faultsOf(t, schema, strings.Replace(whole, tc.old, tc.new, 1)); (len(got) == 0) != tc.valid {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A run with time series has them in its report, and nothing else changes.
func TestReportsHaveSeriesOfRunsThatAskForThem(t *testing.T) {
	with := mustRun(t, "run", "-f", cmdtest.Edited(t, "testdata/run.yaml", "  replications:", "  trace: {series: {bins: 10}}\n  replications:"), "-o", "benchmark-report")
	for _, want := range []string{"request_rate:", "num_requests_waiting:", `ts: "1970-01-01T00:00:00Z"`} {
		if !strings.Contains(with, want) {
			t.Errorf("there is no %s in\n%s", want, with)
		}
	}
	if without := mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "benchmark-report"); strings.Contains(without, "time_series") {
		t.Error("there are series that nobody asked for")
	}
	if faults := faultsOf(t, reportSchema(t), with); len(faults) > 0 {
		t.Errorf("the schema finds %v", faults)
	}
	if _, err := benchmark.Read([]byte(with)); err != nil {
		t.Error(err)
	}
}
