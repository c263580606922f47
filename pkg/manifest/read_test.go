// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/manifest"
)

// runText is a small valid run; spec holds more lines of its spec.
func runText(name, spec string) string {
	return `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata:
  name: ` + name + `
spec:
  scenario:
    horizon: {requests: 10}
    pools:
    - name: llama
      model: meta-llama/Llama-3.1-8B-Instruct
      accelerator: h100-sxm
    router:
      endpointPickerConfig: {inline: "kind: EndpointPickerConfig"}
    workload:
      trace: {format: Azure, file: trace.csv}
` + spec
}

const configMapText = `apiVersion: v1
kind: ConfigMap
metadata:
  name: traces
data:
  a.csv: "1,2"
`

func read(t *testing.T, text string) *manifest.Set {
	t.Helper()
	set, err := manifest.Read(strings.NewReader(text), "file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestReadFillsInWhatAServerWould(t *testing.T) {
	set := read(t, runText("r", "")+`status: {observedGeneration: 3}`)
	run := set.Runs[0]
	pool := run.Spec.Scenario.Pools[0]
	got := []any{
		run.APIVersion, run.Kind, run.Namespace, run.Generation, run.Status.ObservedGeneration,
		pool.Replicas, pool.Engine.MaxNumSeqs, pool.Latency.Model, pool.KVCache.MemoryUtilization,
		run.Spec.Scenario.Router.EndpointPickerConfig.Version, string(run.Spec.Scenario.Horizon.Drain),
		run.Spec.Execution.Shards,
	}
	want := "[sim.windtunnel.dev/v1alpha1 SimulationRun default 1 0 1 256 roofline 0.9 router-v0.10 1h 1]"
	if diff := cmp.Diff(want, fmt.Sprint(got)); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestReadKeepsTheOrderOfAFile(t *testing.T) {
	set := read(t, strings.Join([]string{runText("b", ""), configMapText, runText("a", "")}, "---\n"))
	got := []string{set.Runs[0].Name, set.Runs[1].Name, set.ConfigMaps[0].Name, set.ConfigMaps[0].Namespace}
	if diff := cmp.Diff([]string{"b", "a", "traces", "default"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestReadTakesStreamsOfEveryForm(t *testing.T) {
	json := `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "%s"}}`
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"nothing":                        {"", 0},
		"comments only":                  {"# nothing\n---\n# at all\n", 0},
		"one document":                   {configMapText, 1},
		"separators at both ends":        {"---\n" + configMapText + "---\n", 1},
		"a comment on the separator":     {"--- # first\n" + configMapText, 1},
		"line ends of Windows":           {strings.ReplaceAll("---\n"+configMapText+"---\n", "\n", "\r\n"), 1},
		"a byte order mark":              {"\xef\xbb\xbf" + configMapText, 1},
		"no line end":                    {strings.TrimSpace(configMapText), 1},
		"JSON":                           {fmt.Sprintf(json, "a"), 1},
		"JSON objects in a row":          {fmt.Sprintf(json, "a") + "\n" + fmt.Sprintf(json, "b"), 2},
		"JSON between separators":        {fmt.Sprintf(json, "a") + "\n---\n" + fmt.Sprintf(json, "b"), 2},
		"a flow mapping":                 {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", 1},
		"separator-like text in a value": {strings.Replace(configMapText, `"1,2"`, "|\n    ---\n    x", 1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := len(read(t, c.text).ConfigMaps); got != c.want {
				t.Errorf("%d ConfigMaps, want %d", got, c.want)
			}
		})
	}
}

func TestReadReportsEveryFaultWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"invalid values of several documents": {
			runText("one", "  replications: {count: 0}\n  execution:\n    shards: 1001\n") + "---\n# nothing\n---\n" +
				configMapText + "---\n" + strings.Replace(runText("three", ""), "llama", "Llama", 1),
			`
f.yaml:16: document 1, SimulationRun one: spec.replications.count: Invalid value: 0: must be at least 1
f.yaml:18: document 1, SimulationRun one: spec.execution.shards: Invalid value: 1001: must be at most 1000
f.yaml:37: document 3, SimulationRun three: spec.scenario.pools[0].name: Invalid value: "Llama": should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'`,
		},
		"a rule": {
			runText("r", "  replications:\n    seeds: [1]\n    count: 2\n"),
			`
f.yaml:17: document 1, SimulationRun r: spec.replications.seeds: Invalid value: seeds excludes seed and count`,
		},
		"rules that could not be checked go without saying": {
			strings.Replace(runText("r", "  replications: {seeds: [1], count: 2}\n"), "requests: 10", "requests: many", 1),
			`
f.yaml:7: document 1, SimulationRun r: spec.scenario.horizon.requests: Invalid value: "many": must be a whole number`,
		},
		"fields that are unknown or there twice": {
			runText("r", "  replicas: 2\n  execution:\n    shards: 1\n    shards: 2\n    pods: 3\n"),
			`
f.yaml:16: document 1, SimulationRun r: spec.replicas: Forbidden: unknown field; there are execution, gates, metrics, replications, reuseFrom, scenario, trace
f.yaml:18: document 1, SimulationRun r: spec.execution.shards: Forbidden: duplicate field
f.yaml:20: document 1, SimulationRun r: spec.execution.pods: Forbidden: unknown field; there are activeDeadlineSeconds, live, managedBy, maxFailedShards, podOverrides, resources, retriesPerShard, shards, suspend, ttlSecondsAfterFinished`,
		},
		"a key that YAML reads as a boolean": {
			strings.Replace(runText("r", ""), "file: trace.csv", "file: trace.csv, retry: {on: [Failed], max: 1}", 1),
			`
f.yaml:15: document 1, SimulationRun r: spec.scenario.workload.trace.retry.true: Forbidden: unknown field (YAML reads y, n, yes, no, on and off as booleans: write the text in quotes); there are after, backoff, jitter, max, maxBackoff, multiplier`,
		},
		"a number where a text is": {
			strings.Replace(runText("r", ""), "file: trace.csv", "file: trace.csv, sample: 0.95", 1),
			`
f.yaml:15: document 1, SimulationRun r: spec.scenario.workload.trace.sample: Invalid value: 0.95: must be greater than 0 and at most 1, such as "0.9": write "0.95"`,
		},
		"a name that YAML reads as a boolean": {
			strings.Replace(runText("r", ""), "name: llama", "name: y", 1),
			`
f.yaml:9: document 1, SimulationRun r: spec.scenario.pools[0].name: Invalid value: y: must be a text: YAML reads y, n, yes, no, on and off as booleans: write the text in quotes`,
		},
		"a field of an object in its place": {
			strings.Replace(runText("r", ""), "file: trace.csv", "file: trace.csv, timeout: 5s", 1),
			`
f.yaml:15: document 1, SimulationRun r: spec.scenario.workload.trace.timeout: Invalid value: "5s": must be an object with fields: such as timeout: {total: 30s}`,
		},
		"an unknown field in a list's entry": {
			strings.Replace(runText("r", ""), "accelerator:", "gpu: x\n      accelerator:", 1),
			`
f.yaml:11: document 1, SimulationRun r: spec.scenario.pools[0].gpu: Forbidden: unknown field; there are accelerator, adapters, attributes, costPerReplicaHour, dataParallelBalancing, dataParallelism, drain, engine, expertParallelism, kvCache, labels, latency, model, name, nodePool, quantization, replicas, requestCost, role, startup, tensorParallelism`,
		},
		"a field of the objects beneath": {
			strings.Replace(runText("r", ""), "trace: {format", "clients: [{name: a, thinkTime: 1s}]\n      trace: {format", 1),
			`
f.yaml:15: document 1, SimulationRun r: spec.scenario.workload.clients[0].thinkTime: Forbidden: unknown field; there are adapter, arrivals, class, closedLoop, copies, headers, inputTokens, media, model, name, outputTokens, prefix, preset, priority, prompts, reasoning, retry, sessions, tenant, timeout; did you mean "closedLoop.thinkTime" or "sessions.thinkTime"?`,
		},
		"objects without a kind": {
			"kind: ConfigMap\n---\napiVersion: v1\n",
			`
f.yaml:1: document 1, ConfigMap: apiVersion: Required value: must be sim.windtunnel.dev/v1alpha1, or v1 for a ConfigMap
f.yaml:3: document 2: kind: Required value: must be SimulationRun, PolicySweep or ConfigMap`,
		},
		"items of a list": {
			"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Service}\n- apiVersion: sim.windtunnel.dev/v1alpha1\n  kind: SimulationRun\n  metadata: {name: r}\n  spec:\n    scenarios: {}\n- text\n- {}\n",
			`
f.yaml:9: document 1, List: items[1].spec.scenarios: Forbidden: unknown field; there are execution, gates, metrics, replications, reuseFrom, scenario, trace; did you mean "scenario"?
f.yaml:10: document 1, List: items[2]: Invalid value: must be an object with apiVersion and kind
f.yaml:11: document 1, List: items[3].apiVersion: Required value: must be sim.windtunnel.dev/v1alpha1, or v1 for a ConfigMap`,
		},
		"another version of ours": {
			strings.Replace(runText("r", ""), "v1alpha1", "v1", 1),
			`
f.yaml:2: document 1, SimulationRun r: kind: Unsupported value: "sim.windtunnel.dev/v1 SimulationRun": supported values: "sim.windtunnel.dev/v1alpha1 SimulationRun", "sim.windtunnel.dev/v1alpha1 PolicySweep"`,
		},
		"a document that is no object": {
			"- a\n- b\n---\njust text\n",
			`
f.yaml:1: document 1: a document must be an object with apiVersion and kind
f.yaml:4: document 2: a document must be an object with apiVersion and kind`,
		},
		"a syntax error after a good document": {
			configMapText + "---\na: b\n c: d\n",
			`
f.yaml:8: document 2: yaml: line 9: mapping values are not allowed in this context`,
		},
		"a ConfigMap": {
			strings.Replace(configMapText, "\ndata:", "\nspec: {}\ndata:", 1) + "---\n" + strings.Replace(configMapText, "a.csv", "a/b", 1),
			`
f.yaml:5: document 1, ConfigMap traces: spec: Forbidden: unknown field
f.yaml:14: document 2, ConfigMap traces: data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
		},
		"a name twice": {
			configMapText + "---\n" + configMapText,
			`
f.yaml:11: document 2, ConfigMap traces: metadata.name: Duplicate value: "traces": already in f.yaml, document 1`,
		},
		"JSON": {
			"{\n\"apiVersion\": \"v1\",\n\"kind\": \"ConfigMap\",\n\"metadata\": {\"name\": \"a\"}}\n{\n\"apiVersion\": \"v1\",\n\"kind\": \"ConfigMap\",\n\"kind\": \"ConfigMap\",\n\"metadata\": {\n\"name\": \"A b\"}}",
			`
f.yaml:7: document 2, ConfigMap A b: kind: Forbidden: duplicate field`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := manifest.Read(strings.NewReader(c.text), "f.yaml")
			if err == nil || set != nil {
				t.Fatalf("set %v, error %v; want an error alone", set, err)
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// The value of a field of another type is told as it stands in the file, with the words of the
// field's own rule.
func TestAValueOfAnotherTypeIsToldAsItIsWritten(t *testing.T) {
	of := func(replicas string) string {
		return strings.Replace(runText("r", ""), "accelerator:", "replicas: "+replicas+"\n      accelerator:", 1)
	}
	target := func(ttft string) string {
		return strings.Replace(runText("r", ""), "router:", "slos: [{class: default, ttft: "+ttft+"}]\n    router:", 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a word":             {of("four"), `11: document 1, SimulationRun r: spec.scenario.pools[0].replicas: Invalid value: "four": must be a whole number`},
		"a number in quotes": {of(`"4"`), `11: document 1, SimulationRun r: spec.scenario.pools[0].replicas: Invalid value: "4": must be a whole number: write 4 without quotes`},
		"decimals":           {of("4.5"), `11: document 1, SimulationRun r: spec.scenario.pools[0].replicas: Invalid value: 4.5: must be a whole number`},
		"a list":             {of("[4]"), `11: document 1, SimulationRun r: spec.scenario.pools[0].replicas: Invalid value: a list: must be a whole number`},
		"a boolean":          {of("yes"), `11: document 1, SimulationRun r: spec.scenario.pools[0].replicas: Invalid value: yes: must be a whole number`},
		"a number without an end": {
			of("1e300"), `11: document 1, SimulationRun r: spec.scenario.pools[0].replicas: Invalid value: 1e+300: must be at most 16384`,
		},
		"no number":        {of(".nan"), `11: document 1: spec.scenario.pools[0].replicas: Invalid value: .nan: must be a finite number`},
		"infinity":         {of("-.Inf"), `11: document 1: spec.scenario.pools[0].replicas: Invalid value: -.Inf: must be a finite number`},
		"no unit":          {target("500"), `12: document 1, SimulationRun r: spec.scenario.slos[0].ttft: Invalid value: 500: must be a duration above 0s, up to 8760h, such as 500ms: write its unit too, 500ms or 500s`},
		"no unit, quoted":  {target(`"500"`), `12: document 1, SimulationRun r: spec.scenario.slos[0].ttft: Invalid value: "500": must be a duration above 0s, up to 8760h, such as 500ms: write its unit too, 500ms or 500s`},
		"a true duration":  {target("true"), `12: document 1, SimulationRun r: spec.scenario.slos[0].ttft: Invalid value: true: must be a duration above 0s, up to 8760h, such as 500ms: ` + `YAML reads y, n, yes, no, on and off as booleans: write the text in quotes`},
		"a listed name":    {strings.Replace(runText("r", ""), "name: llama", "name: [llama]", 1), `9: document 1, SimulationRun r: spec.scenario.pools[0].name: Invalid value: a list: must be a text`},
		"a numeral's name": {strings.Replace(runText("r", ""), "name: llama", "name: 7", 1), `9: document 1, SimulationRun r: spec.scenario.pools[0].name: Invalid value: 7: must be a text: write "7"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := manifest.Read(strings.NewReader(c.text), "f.yaml")
			if diff := cmp.Diff("f.yaml:"+c.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPathLeadsIntoYAMLOfAText(t *testing.T) {
	text := strings.Replace(runText("r", ""), `{inline: "kind: EndpointPickerConfig"}`, "\n        inline: |\n          # an EPP\n          kind: EndpointPickerConfig\n          plugins:\n          - type: a\n          - type: b", 1)
	set := read(t, text)
	// The text is line 14; its comment is line 15, and type: b line 19.
	for path, want := range map[string]int{
		"spec.scenario.router.endpointPickerConfig.inline":                 14,
		"spec.scenario.router.endpointPickerConfig.inline.plugins[1].type": 19,
		"spec.scenario.router.endpointPickerConfig.inline.plugins[1].x":    19,
		"spec.scenario.router.endpointPickerConfig.inline.kind":            16,
	} {
		if got := set.LineOf(set.Runs[0], path); got != want {
			t.Errorf("%s is in line %d, want %d", path, got, want)
		}
	}
}

func TestOtherKindsArePassedOverAndListsOpened(t *testing.T) {
	indent := func(text string) string {
		return "- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
	}
	text := "apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: x, replicas: y}\n---\napiVersion: v1\nkind: List\nitems:\n" +
		indent(runText("a", "")) + "- {apiVersion: v1, kind: Service}\n" + indent(configMapText) + "---\n" + runText("b", "") + "---\napiVersion: v1\nkind: List\n"
	set := read(t, text)
	var names []string
	for _, run := range set.Runs {
		names = append(names, run.Name+" of "+set.FileOf(run))
	}
	if diff := cmp.Diff([]string{"a of file.yaml", "b of file.yaml"}, names); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"apps/v1 Deployment", "v1 Service"}, set.Others); diff != "" {
		t.Errorf("others (-want +got):\n%s", diff)
	}
	if len(set.ConfigMaps) != 1 {
		t.Errorf("%d ConfigMaps, want 1", len(set.ConfigMaps))
	}
}

func TestWhatIsNoManifestIsPassedOverInAFolderAlone(t *testing.T) {
	for text, want := range map[string]struct{ named, unnamed bool }{
		"router: {epp: {}}\n":           {true, false},
		"[1, 2]\n":                      {true, false},
		"apiVersion: v2\nname: chart\n": {true, false},
		"a: b\n c: d\n":                 {true, true},
		strings.Replace(runText("r", ""), "spec:", "spek:", 1):  {true, true},
		"apiVersion: sim.windtunnel.dev/v1alpha1\nkind: Run\n":  {true, true},
		"apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPicker\n": {false, false},
	} {
		if _, err := manifest.Read(strings.NewReader(text), "f.yaml"); (err != nil) != want.named {
			t.Errorf("named, %q: error %v", text, err)
		}
		if _, err := manifest.ReadFromFolder(strings.NewReader(text), "f.yaml"); (err != nil) != want.unnamed {
			t.Errorf("in a folder, %q: error %v", text, err)
		}
	}
}

func TestReadRefusesTextOnASeparator(t *testing.T) {
	_, err := manifest.Read(strings.NewReader(configMapText+"--- {a: b}\n"), "f.yaml")
	want := `f.yaml: line 7: only a comment may follow the separator ---, not "{a: b}"`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestReadPassesOnAnErrorOfTheReader(t *testing.T) {
	broken := errors.New("disk on fire")
	if _, err := manifest.Read(iotest.ErrReader(broken), "f.yaml"); !errors.Is(err, broken) {
		t.Errorf("error %v, want one that wraps %v", err, broken)
	}
}

// What kubectl get -o yaml prints must be fit for the local verbs.
func TestReadTakesBackWhatAServerPrints(t *testing.T) {
	text := strings.Replace(runText("r", ""), "  name: r\n", `  name: r
  namespace: team
  uid: 5c5f9b53
  resourceVersion: "123"
  generation: 4
  creationTimestamp: "2030-01-01T00:00:00Z"
  managedFields: [{manager: kubectl, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {}}]
`, 1)
	run := read(t, text).Runs[0]
	got := fmt.Sprint(run.Namespace, " ", run.UID == "", run.ResourceVersion == "", run.Generation, run.CreationTimestamp.IsZero(), len(run.ManagedFields))
	if want := "team true true 1 true 0"; got != want {
		t.Errorf("metadata %q, want %q", got, want)
	}
}

func TestMergeJoinsFilesAndRefusesNamesThatBothHave(t *testing.T) {
	a := read(t, runText("a", "")+"---\n"+configMapText)
	b := read(t, runText("b", ""))
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if len(a.Runs) != 2 || len(a.ConfigMaps) != 1 {
		t.Errorf("%d runs and %d ConfigMaps, want 2 and 1", len(a.Runs), len(a.ConfigMaps))
	}

	c, err := manifest.Read(strings.NewReader(configMapText+"---\n"+runText("c", "")+"---\n"+runText("b", "")), "c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := "c.yaml, document 3: SimulationRun default/b is already in file.yaml, document 1\n" +
		"c.yaml, document 1: ConfigMap default/traces is already in file.yaml, document 2"
	if err := a.Merge(c); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if len(a.Runs) != 2 {
		t.Errorf("%d runs after a merge that failed, want 2", len(a.Runs))
	}
	if err := a.Merge(a); err == nil {
		t.Error("a set merged with itself")
	}
}
