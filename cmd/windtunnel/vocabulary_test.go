// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/cluster"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/gate"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

const (
	vocabularyScenario = `
  replications: {seed: 42, count: %s}
  scenario:
    horizon: {requests: 60}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}
    router:
      endpointPickerConfig:
        inline: |
          %s
    workload:
      clients:
      - name: chat
        arrivals: {rate: "60"}
        inputTokens: {distribution: Normal, mean: "900", stdDev: "100", max: 2048}
        outputTokens: {distribution: Exponential, mean: "60", max: 256}
        prefix: {group: assistant, tokens: 512}
`
	vocabularyPicker     = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n- type: prefix-cache-scorer\n"
	vocabularyParameters = `
  parameters: [{name: replicas, path: "pools[llama].replicas", values: ["1", "4"]}]
  objectives: [{metric: ttft.p99, direction: Minimize}]
  baseline: {parameters: [{name: replicas, value: "%s"}]}
`
	gatesOfRun = `  gates: [{name: fast, metric: ttft.p99, operator: AtMost, value: "%s", confidence: "0.95"}]`
	gatesOfTwo = `  gates:
  - {name: fast, metric: ttft.p99, operator: AtMost, value: "%s", confidence: "0.95"}
  - {name: done, metric: e2e.p99, operator: AtMost, value: "%s", confidence: "0.95"}`
	relativeGate = `  gates: [{name: no-worse, metric: ttft.p99, operator: AtMost, versusBaseline: "+0%", confidence: "0.95"}]`
)

// vocabularyObjects are ten objects whose outcomes follow from their gates: a time below a
// nanosecond is not met and one of an hour is, one seed decides nothing, and four replicas are
// faster than one.
var vocabularyObjects = []struct {
	name, kind, seeds, baseline, gates string
	want                               verdict.Outcome
}{
	{"a run that passes", v1alpha1.SimulationRunKind, "3", "", fmt.Sprintf(gatesOfRun, "1h"), verdict.Pass},
	{"a run that passes two", v1alpha1.SimulationRunKind, "3", "", fmt.Sprintf(gatesOfTwo, "1h", "1h"), verdict.Pass},
	{"a run that fails", v1alpha1.SimulationRunKind, "3", "", fmt.Sprintf(gatesOfRun, "1us"), verdict.Fail},
	{"a run that fails two", v1alpha1.SimulationRunKind, "3", "", fmt.Sprintf(gatesOfTwo, "1us", "1us"), verdict.Fail},
	{"a run of one seed", v1alpha1.SimulationRunKind, "1", "", fmt.Sprintf(gatesOfRun, "1h"), verdict.Undecided},
	{"a sweep that passes", v1alpha1.PolicySweepKind, "3", "1", fmt.Sprintf(gatesOfRun, "1h"), verdict.Pass},
	{"a sweep with a better point", v1alpha1.PolicySweepKind, "3", "1", relativeGate, verdict.Pass},
	{"a sweep that fails", v1alpha1.PolicySweepKind, "3", "1", fmt.Sprintf(gatesOfRun, "1us"), verdict.Fail},
	{"a sweep of one seed", v1alpha1.PolicySweepKind, "1", "1", fmt.Sprintf(gatesOfRun, "1h"), verdict.Undecided},
	{"a sweep with the best baseline", v1alpha1.PolicySweepKind, "3", "4", relativeGate, verdict.Fail},
}

// vocabularyPlaces are the places that print a verdict, in the order of the table.
var vocabularyPlaces = []string{"run", "sweep", "compare", "explain", "report", "page", "dashboard", "endpoint", "condition"}

// Whoever reads of the same object in two places meets the same words: all print the outcome's
// word, and those that say why give the same reason.
func TestOneVocabulary(t *testing.T) {
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "object\t%s\texit code\twhy\n", strings.Join(vocabularyPlaces, "\t"))
	for _, o := range vocabularyObjects {
		text := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: x, namespace: a}\nspec:", v1alpha1.GroupVersion, o.kind) + fmt.Sprintf(vocabularyScenario, o.seeds, strings.ReplaceAll(vocabularyPicker, "\n", "\n          "))
		if o.kind == v1alpha1.PolicySweepKind {
			text += fmt.Sprintf(vocabularyParameters, o.baseline)
		}
		said, why, code := askEveryPlace(t, o.kind, text+o.gates+"\n")
		if code != o.want.ExitCode() {
			t.Errorf("%s: exit code %d, want %d", o.name, code, o.want.ExitCode())
		}
		fmt.Fprintf(w, "%s", o.name)
		for _, place := range vocabularyPlaces {
			word, asked := said[place]
			if asked && word != o.want.Word() {
				t.Errorf("%s: %s says %q, want %q", o.name, place, word, o.want.Word())
			}
			if !asked {
				word = "–"
			}
			fmt.Fprintf(w, "\t%s", word)
		}
		for place, got := range why {
			if got != why["condition"] {
				t.Errorf("%s: %s gives the reason %q, and the condition %q", o.name, place, got, why["condition"])
			}
		}
		fmt.Fprintf(w, "\t%d\t%.60s\n", code, why["condition"])
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &table)
}

// askEveryPlace returns the word that each place has for an object, the reason that each gives,
// and the exit code of the command.
func askEveryPlace(t *testing.T, kind, text string) (said, why map[string]string, code int) {
	t.Helper()
	said, why = map[string]string{}, map[string]string{}
	object := endedObject(t, text)
	c := object.Status().Conditions[2]
	said["condition"], why["condition"] = verdict.OfCondition(string(c.Status)).Word(), c.Message
	hear := func(place, pattern, in string) {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(in)
		if found == nil {
			t.Fatalf("%s has no verdict:\n%.2000s", place, in)
		}
		said[place] = strings.ToLower(found[1])
		if len(found) > 2 {
			// A heading begins the reason in upper case, and a line may go on with what to do next.
			got := html.UnescapeString(strings.ReplaceAll(found[2], `\`, ""))
			if len(got) >= len(c.Message) && strings.EqualFold(got[:len(c.Message)], c.Message) {
				got = c.Message
			}
			why[place] = got
		}
	}
	file, report, page := cmdtest.TempFile(t, "x.yaml", text), filepath.Join(t.TempDir(), "x.md"), filepath.Join(t.TempDir(), "x.html")
	verb := map[string]string{v1alpha1.SimulationRunKind: "run", v1alpha1.PolicySweepKind: "sweep"}[kind]
	out, err := windtunnel(t, verb, "-f", file, "--report", report)
	code = cli.ExitCode(err)
	hear(verb, `(?m)^verdict: ([a-z ]+): (.*)$`, out)
	hear("report", `\*\*([A-Za-z ]+)\*\*: (.*)\.\n`, read(t, report))
	_, _ = windtunnel(t, verb, "-f", file, "--report", page)
	hear("page", `<h1 class="verdict [a-z]+"><span[^>]*>.</span> ([A-Za-z ]+)</h1>\s*<p class="why">(.*)\.</p>`, read(t, page))
	if kind == v1alpha1.SimulationRunKind {
		before := strings.Replace(vocabularyPicker, "- type: queue-scorer\n", "", 1)
		out, _ := windtunnel(t, "compare", cmdtest.TempFile(t, "before.yaml", before), cmdtest.TempFile(t, "after.yaml", vocabularyPicker), "--scenario", file)
		hear("compare", `(?m)^verdict: ([a-z ]+): (.*)$`, out)
	}
	var explained bytes.Buffer
	kubectl.WriteVerdict(&explained, object)
	hear("explain", `a/x: ([a-z ]+): (.*)\n`, explained.String())
	hear("dashboard", `Gates: ([a-z ]+)</p>`, served(t, object, "GET", "/namespaces/a/"+strings.ToLower(kind)+"s/x/status"))
	hear("endpoint", ` is ([a-z ]+)$`, served(t, object, "POST", "/flagger/pre-rollout"))
	return said, why, code
}

// endedObject is an object with the status that the manager writes when its work has ended.
func endedObject(t *testing.T, text string) kubectl.Object {
	t.Helper()
	set, err := manifest.Read(strings.NewReader(text), "x")
	if err != nil {
		t.Fatal(err)
	}
	var object kubectl.Object
	var ended *execute.LocalRun
	if len(set.Runs) > 0 {
		object.Run = set.Runs[0]
		ended = experimenttest.MustRunLocally(t, experimenttest.MustCompileRun(t, object.Run), execute.Options{})
		err = study.FillRun(&object.Run.Status, ended.Study)
	} else {
		object.Sweep = set.Sweeps[0]
		ended = experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, object.Sweep), execute.Options{})
		err = study.FillSweep(&object.Sweep.Status, ended.Study)
	}
	if err != nil {
		t.Fatal(err)
	}
	judged, err := ended.Verdict()
	if err != nil {
		t.Fatal(err)
	}
	object.Meta().Annotations = map[string]string{gate.OpenAnnotation: "true"}
	object.Status().Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonComplete},
		{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonComplete},
		judged.Passed(),
	}
	object.Status().ObservedGeneration = object.Meta().Generation
	for i := range object.Status().Conditions {
		object.Status().Conditions[i].ObservedGeneration = object.Meta().Generation
	}
	return object
}

// served is what the manager's web servers answer about an object.
func served(t *testing.T, object kubectl.Object, method, path string) string {
	t.Helper()
	name := func(o client.Object) []string { return []string{o.GetName()} }
	reader := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(object.Object()).
		WithIndex(&v1alpha1.PolicySweep{}, "metadata.name", name).WithIndex(&v1alpha1.SimulationRun{}, "metadata.name", name).Build()
	var body string
	var handler http.Handler
	if method == "GET" {
		handler = dashboard.New(dashboard.Options{Source: &cluster.Source{Objects: reader, ConfigMaps: reader}, Guard: dashboard.Everyone{}, Log: logr.Discard()}).Handler()
	} else {
		mux := http.NewServeMux()
		gate.Flagger{Live: reader}.Mount(mux)
		of := map[bool]string{true: "sweep", false: "run"}[object.Sweep != nil]
		handler, body = mux, fmt.Sprintf(`{"name":"epp","namespace":"a","metadata":{%q:"x"}}`, of)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w.Body.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
