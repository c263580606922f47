// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

const twoConfigs = `kind: ConfigMap
metadata: {name: epp}
data:
  old.yaml: |
    apiVersion: llm-d.ai/v1alpha1
    kind: EndpointPickerConfig
    plugins:
    - type: queue-scorer
    - type: kv-cache-scorer
  new.yaml: |
    apiVersion: llm-d.ai/v1alpha1
    kind: EndpointPickerConfig
    plugins:
    - type: prefix-cache-scorer
`

func mustRead(t *testing.T, content string, options Options) Report {
	t.Helper()
	r, err := Read("epp.yaml", []byte(content), options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFindingsHaveTheirPlaceInTheFile(t *testing.T) {
	r := mustRead(t, twoConfigs, Options{Versions: []string{"router-v0.10.0"}})
	var got []string
	for _, c := range r.Configs {
		for _, f := range c.Findings {
			line := strings.Split(twoConfigs, "\n")[f.Line-1]
			got = append(got, f.Config+": "+f.Rule+" at "+line[f.Column-1:])
		}
	}
	want := []string{
		"ConfigMap epp, data[old.yaml]: unknown-type at type: kv-cache-scorer",
		"ConfigMap epp, data[new.yaml]: affinity-only at apiVersion: llm-d.ai/v1alpha1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
	if e := r.Configs[0].Findings[0].Edits; len(e) != 1 || e[0].Line != 9 || e[0].Column != 13 || e[0].EndColumn != 28 {
		t.Errorf("edits are %+v", e)
	}
}

func TestVersionsThatAreChecked(t *testing.T) {
	const gone = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: kv-cache-scorer\n"
	const fits = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: active-request-scorer\n"
	manifest := "kind: SimulationRun\nrouter:\n  endpointPickerConfig:\n    version: router-v0.10\n    inline: |\n      " + strings.ReplaceAll(fits, "\n", "\n      ")
	for name, tc := range map[string]struct {
		text  string
		asked []string
		want  []string
	}{
		"the newest that accepts":         {fits, nil, []string{"router-main"}},
		"the same by its name":            {fits, []string{"auto"}, []string{"router-main"}},
		"the default one where none does": {gone, nil, []string{"router-v0.10.0"}},
		"the one of the manifest":         {manifest, nil, []string{"router-v0.10.0"}},
		"those that are asked for":        {manifest, []string{"router-main", "auto", "router-v0.10.0"}, []string{"router-main", "router-v0.10.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := mustRead(t, tc.text, Options{Versions: tc.asked}).Configs[0].Versions
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

func TestFindingsOfSeveralVersionsAreOne(t *testing.T) {
	r := mustRead(t, twoConfigs, Options{Versions: []string{"router-v0.10.0", "router-main"}})
	found := r.Configs[1].Findings
	if len(found) != 1 || !slices.Equal(found[0].Versions, []string{"router-v0.10.0", "router-main"}) {
		t.Errorf("findings are %+v", found)
	}
}

func TestReadRefusesWhatHoldsNoConfiguration(t *testing.T) {
	if _, err := Read("a.yaml", []byte("kind: Service\n"), Options{}); !errors.Is(err, ErrNoConfig) {
		t.Errorf("error is %v", err)
	}
	if _, err := Read("a.yaml", []byte("a: ["), Options{}); err == nil || errors.Is(err, ErrNoConfig) {
		t.Errorf("error is %v", err)
	}
}

func TestParseVersions(t *testing.T) {
	got, err := ParseVersions([]string{"auto", "router-v0.10", "router-main"})
	if diff := cmp.Diff([]string{"auto", "router-v0.10.0", "router-main"}, got); err != nil || diff != "" {
		t.Errorf("%v, −want +got:\n%s", err, diff)
	}
	if _, err := ParseVersions([]string{"router-v9"}); err == nil {
		t.Error("an unknown version is accepted")
	}
}

func TestSeverities(t *testing.T) {
	reports := []Report{{Configs: []ConfigReport{{Findings: []Finding{{Severity: Info}, {Severity: Warning}, {Severity: Error}}}}}}
	for severity, want := range map[Severity]int{Info: 3, Warning: 2, Error: 1, Never: 0} {
		if got := Worst(reports, severity); got != want {
			t.Errorf("%s: %d findings, want %d", severity, got, want)
		}
	}
	if _, err := ParseSeverity("fatal"); err == nil {
		t.Error("an unknown severity is accepted")
	}
}

func TestTextNamesFindingAndVerdicts(t *testing.T) {
	var out bytes.Buffer
	if err := WriteText(&out, []Report{mustRead(t, twoConfigs, Options{Versions: []string{"router-v0.10.0"}})}, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"epp.yaml:9:7: error unknown-type: plugins[1].type: ",
		"    why: ", "    fix: ",
		"epp.yaml, ConfigMap epp, data[old.yaml]:\n",
		"> router-v0.10.0 ", "refused in loading",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
}

func TestSummaryCountsVerdicts(t *testing.T) {
	var out bytes.Buffer
	r := mustRead(t, twoConfigs, Options{})
	if err := WriteSummary(&out, []Report{r, r}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "4 configurations in 2 files\n") {
		t.Errorf("summary is\n%s", out.String())
	}
	for line := range strings.Lines(out.String()) {
		if fields := strings.Fields(line); fields[0] == "router-main" && !slices.Equal(fields[1:], []string{"2", "0", "0", "2", "0"}) {
			t.Errorf("counts are %s", line)
		}
	}
}

// TestSARIFHasWhatTheSchemaRequires checks the properties that the schema of
// SARIF 2.1.0 lists as required, and the limits that it sets on the others.
func TestSARIFHasWhatTheSchemaRequires(t *testing.T) {
	var out bytes.Buffer
	if err := WriteSARIF(&out, []Report{mustRead(t, twoConfigs, Options{Versions: []string{"router-v0.10.0"}})}, "1"); err != nil {
		t.Fatal(err)
	}
	log := jsontest.Decode[map[string]any](t, out.Bytes())
	if log["version"] != "2.1.0" || log["$schema"] == "" {
		t.Errorf("version %v, schema %v", log["version"], log["$schema"])
	}
	run := log["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	if driver["name"] == "" {
		t.Error("the driver has no name")
	}
	described := driver["rules"].([]any)
	levels := []string{"error", "warning", "note"}
	for i, r := range described {
		rule := r.(map[string]any)
		level := rule["defaultConfiguration"].(map[string]any)["level"].(string)
		if rule["id"] != rules[i].ID || !slices.Contains(levels, level) || rule["help"].(map[string]any)["text"] == "" {
			t.Errorf("rule %d is %v", i, rule)
		}
	}
	results := run["results"].([]any)
	if len(results) != 2 {
		t.Fatalf("%d results", len(results))
	}
	for _, r := range results {
		result := r.(map[string]any)
		index := int(result["ruleIndex"].(float64))
		if described[index].(map[string]any)["id"] != result["ruleId"] {
			t.Errorf("rule %v has index %d", result["ruleId"], index)
		}
		if result["message"].(map[string]any)["text"] == "" || !slices.Contains(levels, result["level"].(string)) {
			t.Errorf("result is %v", result)
		}
		location := result["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		region := location["region"].(map[string]any)
		if location["artifactLocation"].(map[string]any)["uri"] != "epp.yaml" || region["startLine"].(float64) < 1 || region["startColumn"].(float64) < 1 {
			t.Errorf("location is %v", location)
		}
	}
	fix := results[0].(map[string]any)["fixes"].([]any)[0].(map[string]any)["artifactChanges"].([]any)[0].(map[string]any)
	replacement := fix["replacements"].([]any)[0].(map[string]any)
	if replacement["deletedRegion"] == nil || replacement["insertedContent"].(map[string]any)["text"] != "kv-cache-utilization-scorer" {
		t.Errorf("fix is %v", fix)
	}
}

func TestJSONIsStable(t *testing.T) {
	var out bytes.Buffer
	r := mustRead(t, "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: kv-cache-scorer\n", Options{Versions: []string{"router-v0.10"}})
	r.Configs[0].Verdicts = r.Configs[0].Verdicts[:0]
	if err := WriteJSON(&out, []Report{r}); err != nil {
		t.Fatal(err)
	}
	log := jsontest.Decode[struct{ Reports []map[string]any }](t, out.Bytes())
	config := log.Reports[0]["configs"].([]any)[0].(map[string]any)
	finding := config["findings"].([]any)[0].(map[string]any)
	for object, names := range map[string][]string{
		"configs":  {"findings", "line", "verdicts", "versions"},
		"findings": {"column", "edits", "file", "fix", "line", "message", "path", "rule", "severity", "versions", "why"},
	} {
		fields := config
		if object == "findings" {
			fields = finding
		}
		var got []string
		for name := range fields {
			got = append(got, name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("%s have other fields (−want +got):\n%s", object, diff)
		}
	}
}

func TestExplainedRulesHaveTheirExamples(t *testing.T) {
	var out bytes.Buffer
	if err := WriteRules(&out); err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		if !strings.Contains(out.String(), rule.ID) {
			t.Errorf("%s is not listed", rule.ID)
		}
		var text bytes.Buffer
		if err := rule.Write(&text); err != nil {
			t.Fatal(err)
		}
		if rule.BadExample() != "" && !strings.Contains(text.String(), "Found:\n\n    ") {
			t.Errorf("%s is explained as\n%s", rule.ID, text.String())
		}
	}
	if Lookup("no-such-rule") != nil {
		t.Error("a rule that is not there was found")
	}
}

func TestContextComesFromTheManifest(t *testing.T) {
	const manifest = "kind: SimulationRun\nmetadata: {name: a}\nspec:\n  scenario:\n    pools:\n    - engine: {blockSize: 16}\n    router:\n      replicas: 2\n" +
		"      metricsRefreshInterval: 150ms\n      endpointPickerConfig:\n        version: router-v0.10\n        inline: |\n" +
		"          apiVersion: llm-d.ai/v1alpha1\n          kind: EndpointPickerConfig\n          plugins:\n          - type: active-request-scorer\n          - type: prefix-cache-scorer\n"
	r := mustRead(t, manifest, Options{})
	want := []string{"in-flight-with-replicas", "index-over-remembers", "staleness-below-scrape"}
	got := rulesOf(r.Configs[0].Findings)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
	r = mustRead(t, manifest, Options{Context: Context{Replicas: 1, ScrapeInterval: 1, BlockTokens: 64}})
	if got := rulesOf(r.Configs[0].Findings); len(got) > 0 {
		t.Errorf("what is known otherwise does not win: %v", got)
	}
}

// Each of several routers has the settings of its own, and the engines of its model.
func TestContextIsThatOfTheRouterOfAModel(t *testing.T) {
	const picker = "      endpointPickerConfig:\n        version: router-v0.10\n        inline: |\n" +
		"          apiVersion: llm-d.ai/v1alpha1\n          kind: EndpointPickerConfig\n          plugins:\n          - type: active-request-scorer\n          - type: prefix-cache-scorer\n"
	const manifest = "kind: SimulationRun\nmetadata: {name: a}\nspec:\n  scenario:\n    pools:\n" +
		"    - {model: x, engine: {blockSize: 64}}\n    - {model: y, engine: {blockSize: 16}}\n    routers:\n" +
		"    - model: x\n      replicas: 2\n" + picker + "    - model: y\n" + picker
	r := mustRead(t, manifest, Options{})
	var got [][]string
	for i := range r.Configs {
		got = append(got, rulesOf(r.Configs[i].Findings))
	}
	if diff := cmp.Diff([][]string{{"in-flight-with-replicas"}, {"index-over-remembers"}}, got); diff != "" {
		t.Errorf("findings by router (−want +got):\n%s", diff)
	}
}

func TestAlphaPluginsMayBeAllowed(t *testing.T) {
	text := []byte(withHeader(alphaPlugin.BadExample()))
	if got := rulesOf(Check(text, "", Context{Experimental: true})); len(got) > 0 {
		t.Errorf("found %v", got)
	}
}

func rulesOf(found []Finding) []string {
	var names []string
	for _, f := range found {
		names = append(names, f.Rule)
	}
	return names
}
