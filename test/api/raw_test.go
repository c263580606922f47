// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"strings"
	"testing"
)

// rawDocument is a small valid run with places to put text in: metadata and
// scenario hold whole lines, indented as the document is.
func rawDocument(metadata, spec, end string) string {
	return `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata:
  name: raw
` + metadata + `spec:
  scenario:
    horizon: {requests: 10}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm}
    router:
      endpointPickerConfig: {inline: "kind: EndpointPickerConfig"}
    workload:
      trace: {format: Azure, file: trace.csv}
` + spec + end
}

// rawCases are about what happens before the schema: how text becomes an
// object, and what becomes of metadata and status.
var rawCases = map[string]struct {
	text     string
	accepted bool
}{
	"a plain document":                           {rawDocument("", "", ""), true},
	"no document at all":                         {"[]", false},
	"text that is no YAML":                       {rawDocument("", "  - x: [", ""), false},
	"a tab for indentation":                      {rawDocument("", "\treplications: {}\n", ""), false},
	"a comment and an anchor":                    {rawDocument("  labels: &l {a: b}\n  annotations: *l\n", "", "# end\n"), true},
	"a merge key":                                {rawDocument("  labels: &l {a: b}\n  annotations: {<<: *l, c: d}\n", "", ""), true},
	"a field twice":                              {rawDocument("", "  replications: {seed: 1}\n  replications: {seed: 2}\n", ""), false},
	"fields twice, deep down":                    {rawDocument("", "  execution: {shards: 1, shards: 2, resources: {limits: {cpu: 1, cpu: 1}}}\n", ""), false},
	"a field twice beside an unknown one":        {rawDocument("", "  replications: {seed: 1, seed: 2}\n  replicas: 3\n", ""), false},
	"a field in another case":                    {rawDocument("", "  Replications: {seed: 1}\n", ""), false},
	"an unknown field at the root":               {rawDocument("", "", "extra: 1\n"), false},
	"an unknown field of metadata":               {rawDocument("  nam: x\n", "", ""), false},
	"an unknown field beside an invalid one":     {rawDocument("", "  replications: {seed: -1}\n  nonsense: true\n", ""), false},
	"a label that is a number":                   {rawDocument("  labels: {a: 1}\n", "", ""), false},
	"metadata that is a list":                    {strings.Replace(rawDocument("", "", ""), "metadata:\n  name: raw", "metadata: []", 1), false},
	"a name with capitals":                       {strings.Replace(rawDocument("", "", ""), "name: raw", "name: Raw", 1), false},
	"a name with a dot":                          {strings.Replace(rawDocument("", "", ""), "name: raw", "name: r.aw", 1), true},
	"the longest name":                           {strings.Replace(rawDocument("", "", ""), "name: raw", "name: "+letters(253), 1), true},
	"too long a name":                            {strings.Replace(rawDocument("", "", ""), "name: raw", "name: "+letters(254), 1), false},
	"no name":                                    {strings.Replace(rawDocument("", "", ""), "name: raw", "name: \"\"", 1), false},
	"no metadata":                                {strings.Replace(rawDocument("", "", ""), "metadata:\n  name: raw\n", "", 1), false},
	"a label key that is none":                   {rawDocument("  labels: {\"a b\": c}\n", "", ""), false},
	"a label value that is none":                 {rawDocument("  labels: {a: \"-\"}\n", "", ""), false},
	"an annotation key that is none":             {rawDocument("  annotations: {\"a b\": c}\n", "", ""), false},
	"a finalizer that is none":                   {rawDocument("  finalizers: [\"a b\"]\n", "", ""), false},
	"metadata and spec both invalid":             {rawDocument("  labels: {\"a b\": c}\n", "  replications: {seed: -1}\n", ""), false},
	"fields that the server sets":                {rawDocument("  creationTimestamp: null\n  generation: 7\n  uid: abc\n  selfLink: x\n", "", ""), true},
	"a status":                                   {rawDocument("", "", "status: {observedGeneration: 3}\n"), true},
	"a status of the wrong type":                 {rawDocument("", "", "status: {observedGeneration: soon}\n"), true},
	"a status with an unknown field":             {rawDocument("", "", "status: {done: true}\n"), false},
	"no spec":                                    {"apiVersion: sim.windtunnel.dev/v1alpha1\nkind: SimulationRun\nmetadata: {name: raw}\n", false},
	"a spec that is null":                        {"apiVersion: sim.windtunnel.dev/v1alpha1\nkind: SimulationRun\nmetadata: {name: raw}\nspec:\n", false},
	"a spec that is text":                        {"apiVersion: sim.windtunnel.dev/v1alpha1\nkind: SimulationRun\nmetadata: {name: raw}\nspec: text\n", false},
	"a decimal without quotes":                   {rawDocument("", "", ""), true},
	"an exponent where a whole number is wanted": {strings.Replace(rawDocument("", "", ""), "requests: 10", "requests: 1e3", 1), true},
	"a whole number with a point":                {strings.Replace(rawDocument("", "", ""), "requests: 10", "requests: 10.0", 1), true},
	"a number with a fraction":                   {strings.Replace(rawDocument("", "", ""), "requests: 10", "requests: 10.5", 1), false},
	"an octal number":                            {strings.Replace(rawDocument("", "", ""), "requests: 10", "requests: 010", 1), true},
	"a number with underscores":                  {strings.Replace(rawDocument("", "", ""), "requests: 10", "requests: 1_000", 1), true},
	"a number beyond 64 bits":                    {strings.Replace(rawDocument("", "", ""), "requests: 10", "requests: 99999999999999999999", 1), false},
	"yes where text is wanted":                   {strings.Replace(rawDocument("", "", ""), "trace.csv", "yes", 1), false},
	"a null in a list":                           {rawDocument("", "  replications: {seeds: [1, null]}\n", ""), false},
	"nulls where defaults are":                   {rawDocument("", "  replications: null\n  execution: {shards: null, suspend: null}\n", ""), true},
	"a key that is a number":                     {rawDocument("", "  1: x\n", ""), false},
	"quantities as numbers":                      {rawDocument("", "  execution: {resources: {limits: {cpu: 2, memory: 1e9}}}\n", ""), true},
	"quantities as text":                         {rawDocument("", "  execution: {resources: {limits: {cpu: 500m, memory: 1.5Gi}}}\n", ""), true},
}

func TestManifestReadsRawDocuments(t *testing.T) {
	for name, c := range rawCases {
		t.Run(name, func(t *testing.T) {
			if got := localVerdict(t, []byte(c.text)); got.accepted() != c.accepted {
				t.Errorf("accepted %t, want %t: %v", got.accepted(), c.accepted, got.faults)
			}
		})
	}
}

func TestServerAndManifestAgreeOnRawDocuments(t *testing.T) {
	s := server(t)
	for name, c := range rawCases {
		t.Run(name, func(t *testing.T) {
			body := []byte(c.text)
			compare(t, serverVerdict(t, s, "SimulationRun", yamlType, body), localVerdict(t, body))
		})
	}
}
