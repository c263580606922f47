// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/setup"
)

const leafScenario = `{
  "horizon": {"requests": 10},
  "pools": [{"name": "llama", "replicas": 2, "engine": {"maxNumSeqs": 8}, "kvCache": {}}],
  "router": {"endpointPickerConfig": {
    "version": "router-v0.10",
    "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "queue-scorer", "weight": 2}]}],
    "plugins": [{"name": "queue-scorer", "type": "queue-scorer"},
                {"name": "p", "type": "t", "parameters": {"autoTune": true, "capacity": 31250, "bounds": [1, 2.5]}}],
    "flowControl": {"priorityBands": [{"priority": 10, "maxRequests": "9"}, {"priority": 0}]}
  }},
  "workload": {"trace": {"format": "Azure"}, "clients": [
    {"name": "chat", "arrivals": {"rate": "5", "stages": [{"rate": "1", "duration": "5s"}, {"rate": "2", "duration": "5s"}]},
     "inputTokens": {"components": [{"weight": 1, "distribution": "Constant", "mean": "5"}], "histogram": []},
     "retry": {"max": 1, "after": ["Failed", "TimedOut"]}},
    {"name": "0", "arrivals": {"rate": "7"}}]}
}`

func TestResolve(t *testing.T) {
	tests := map[string]struct {
		path    string
		want    valueKind
		wantErr string
	}{
		"a whole number that is there":        {path: "pools[llama].replicas", want: integerValue},
		"a whole number that is absent":       {path: "pools[llama].kvCache.blocks", want: integerValue},
		"a field of an absent object":         {path: "pools[llama].latency.roofline.memoryEfficiency", want: decimalValue},
		"a decimal":                           {path: "workload.clients[chat].arrivals.rate", want: decimalValue},
		"a duration":                          {path: "router.metricsRefreshInterval", want: durationValue},
		"an enumeration":                      {path: "pools[llama].engine.prefixCaching", want: stringValue},
		"a scorer's weight":                   {path: "router.endpointPickerConfig.schedulingProfiles[default].plugins[queue-scorer].weight", want: numberValue},
		"a plugin's parameter":                {path: "router.endpointPickerConfig.plugins[p].parameters.capacity", want: numberValue},
		"a plugin's switch":                   {path: "router.endpointPickerConfig.plugins[p].parameters.autoTune", want: booleanValue},
		"a scheduler's parameter":             {path: "pools[llama].engine.schedulerParameters.error", want: parameterValue},
		"a tenant's parameter":                {path: "pools[llama].engine.schedulerParameters.weight:free", want: parameterValue},
		"parameters are not a leaf":           {path: "pools[llama].engine.schedulerParameters", wantErr: "leads to an object; go on to one of its fields"},
		"the EPP's version":                   {path: "router.endpointPickerConfig.version", want: stringValue},
		"an entry without a name":             {path: "workload.clients[chat].arrivals.stages[1].rate", want: decimalValue},
		"an absent field of such an entry":    {path: "workload.clients[chat].arrivals.stages[0].rampTo", want: decimalValue},
		"the only entry without a name":       {path: "workload.clients[chat].inputTokens.components[0].mean", want: decimalValue},
		"a text of a list of texts":           {path: "workload.clients[chat].retry.after[1]", want: stringValue},
		"a name that is a number":             {path: "workload.clients[0].arrivals.rate", want: decimalValue},
		"a document's entry without a name":   {path: "router.endpointPickerConfig.flowControl.priorityBands[0].maxRequests", want: stringValue},
		"a number of a document's list":       {path: "router.endpointPickerConfig.plugins[p].parameters.bounds[1]", want: numberValue},
		"the sample of a trace":               {path: "workload.trace.sample", want: decimalValue},
		"the slice of a trace":                {path: "workload.trace.slice.to", want: durationValue},
		"the number of a named entry":         {path: "workload.clients[1].arrivals.rate", wantErr: `there is no entry [1]; there are "chat", "0"`},
		"a number past the last entry":        {path: "workload.clients[chat].arrivals.stages[2].rate", wantErr: `at "workload.clients[chat].arrivals.stages[2]": there is no entry [2]; there are [0] to [1], since the entries have no names`},
		"a number in another spelling":        {path: "workload.clients[chat].arrivals.stages[01].rate", wantErr: "there are [0] to [1]"},
		"a number with a sign":                {path: "workload.clients[chat].arrivals.stages[-1].rate", wantErr: "there are [0] to [1]"},
		"a name where there are none":         {path: "workload.clients[chat].inputTokens.components[first].mean", wantErr: "there are [0], since the entry has no name"},
		"an entry of an empty list":           {path: "workload.clients[chat].inputTokens.histogram[0].tokens", wantErr: "the list is empty"},
		"a list says what it has":             {path: "workload.clients[chat].arrivals.stages", wantErr: "leads to a list; name one of its entries in brackets: there are [0] to [1]"},
		"the format of a trace":               {path: "workload.trace.format", wantErr: "names an input"},
		"an unknown field names the known":    {path: "pools[llama].engine.maxSeqs", wantErr: `"maxNumSeqs"`},
		"an unknown field like a known one":   {path: "pools[llama].replica", wantErr: `; did you mean "replicas"?`},
		"a plugin's parameter like another":   {path: "router.endpointPickerConfig.plugins[p].parameters.capacty", wantErr: `; did you mean "capacity"?`},
		"an unknown entry names the known":    {path: "pools[mistral].replicas", wantErr: `there are "llama"`},
		"an unknown plugin names the known":   {path: "router.endpointPickerConfig.schedulingProfiles[default].plugins[x].weight", wantErr: `there are "queue-scorer"`},
		"an unknown parameter":                {path: "router.endpointPickerConfig.plugins[p].parameters.x", wantErr: `there are "autoTune", "bounds", "capacity"`},
		"an object is not a leaf":             {path: "pools[llama].engine", wantErr: "leads to an object"},
		"a list is not a leaf":                {path: "pools", wantErr: "leads to a list"},
		"a list's entry is not a leaf":        {path: "pools[llama]", wantErr: "leads to an object"},
		"an absent list has no entries":       {path: "slos[critical].ttft", wantErr: "the list is empty"},
		"a list is not stepped into by dot":   {path: "pools.replicas", wantErr: "no such field"},
		"an object is not stepped into by []": {path: "horizon[requests]", wantErr: "does not follow a list"},
		"a leaf has no fields":                {path: "pools[llama].replicas.x", wantErr: "no such field"},
		"a document's leaf has no fields":     {path: "router.endpointPickerConfig.version.x", wantErr: "not an object's field"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			scenario, err := parseTree([]byte(leafScenario))
			if err != nil {
				t.Fatal(err)
			}
			path, err := parsePath(tc.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := resolve(scenario, path)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Fatalf("resolve(%s): error %v, want one with %q", tc.path, err, tc.wantErr)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Errorf("resolve(%s) = %v, %v; want %v", tc.path, got, err, tc.want)
			}
		})
	}
}

func TestEncodeLeaf(t *testing.T) {
	tests := map[string]struct {
		kind    valueKind
		value   string
		refused bool
	}{
		"a whole number":                     {kind: integerValue, value: "12"},
		"a fraction is no whole number":      {kind: integerValue, value: "1.5", refused: true},
		"a number":                           {kind: numberValue, value: "-0.5"},
		"a number that JSON does not know":   {kind: numberValue, value: "NaN", refused: true},
		"a number with a plus sign":          {kind: numberValue, value: "+1", refused: true},
		"text is no number":                  {kind: decimalValue, value: "many", refused: true},
		"true":                               {kind: booleanValue, value: "true"},
		"yes is not true":                    {kind: booleanValue, value: "yes", refused: true},
		"a duration":                         {kind: durationValue, value: "50ms"},
		"a number is no duration":            {kind: durationValue, value: "50", refused: true},
		"anything is a string, even nothing": {kind: stringValue, value: ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := tc.kind.Encode(tc.value); (err != nil) != tc.refused {
				t.Errorf("encode(%q) as %s: error %v, refused: %v", tc.value, tc.kind, err, tc.refused)
			}
		})
	}
}

func TestAssignReachesEntriesWithoutNames(t *testing.T) {
	for text, value := range map[string]any{
		"workload.clients[chat].arrivals.stages[1].rate":                    "9",
		"workload.clients[chat].arrivals.stages[0].rampTo":                  "9",
		"workload.clients[chat].retry.after[0]":                             "Rejected",
		"router.endpointPickerConfig.plugins[p].parameters.bounds[1]":       json.Number("3"),
		"router.endpointPickerConfig.flowControl.priorityBands[1].priority": json.Number("4"),
	} {
		scenario, err := parseTree([]byte(leafScenario))
		if err != nil {
			t.Fatal(err)
		}
		path, err := parsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		before := string(setup.TreeJSON(scenario))
		if err := Assign(scenario, path, value); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := Lookup(scenario, path); got != value || string(setup.TreeJSON(scenario)) == before {
			t.Errorf("%s is %v, want %v", text, got, value)
		}
	}
}

func TestAssignMakesAbsentObjects(t *testing.T) {
	scenario, err := parseTree([]byte(leafScenario))
	if err != nil {
		t.Fatal(err)
	}
	path, err := parsePath("pools[llama].latency.roofline.memoryEfficiency")
	if err != nil {
		t.Fatal(err)
	}
	if err := Assign(scenario, path, "0.7"); err != nil {
		t.Fatal(err)
	}
	pool := scenario["pools"].([]any)[0].(Tree)
	got := pool["latency"].(Tree)["roofline"].(Tree)["memoryEfficiency"]
	if got != "0.7" {
		t.Errorf("memoryEfficiency = %v, want 0.7", got)
	}
}
