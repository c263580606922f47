// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/access"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/cluster"
	"windtunnel.dev/windtunnel/pkg/dashboard/dashboardtest"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/gate"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

const vocabularyScenario = `
  replications: {seed: 42, count: %s}
  scenario:
    horizon: {requests: 90}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: %s, replicas: 4}
    router:
      endpointPickerConfig:
        inline: %q
    workload:
      clients:
      - name: chat
        arrivals: {rate: "90"}
        inputTokens: {distribution: Normal, mean: "900", stdDev: "100", max: 2048}
        outputTokens: {distribution: Exponential, mean: "60", max: 256}%s
`

// vocabularyPicker is an EPP configuration with a weight of prefixes against the queue's of 1.
func vocabularyPicker(weight string) string {
	return `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: prefix-cache-scorer
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 1}
  - {pluginRef: prefix-cache-scorer, weight: ` + weight + "}\n"
}

const (
	sharedPrefix = "\n        prefix: {group: assistant, tokens: 512}"
	oneGate      = `  gates: [{name: fast, metric: ttft.p99, operator: AtMost, confidence: "0.95", `
	twoGates     = `  gates: [{name: done, metric: e2e.p99, operator: AtMost, confidence: "0.95", value: %[1]s}, {name: fast, metric: ttft.p99, operator: AtMost, confidence: "0.95", value: %[1]s}]`
)

// A vocabularyObject is an EPP configuration that is to replace another one. A run simulates it, a
// sweep proposes it, and compare takes both.
type vocabularyObject struct {
	name, seeds, accelerator, prefix string
	// before and after are the weights of prefixes.
	before, after string
	gates         string
	want          verdict.Outcome
	reason        verdict.Reason
}

// vocabularyObjects are ten objects whose outcomes follow from their gates: a time below a
// microsecond is not met and one of an hour is, one seed decides nothing, no prediction was checked on
// an MI300X, a weight of 100 sends all requests with one prefix to one of four replicas, and without
// prefixes no weight of them counts.
var vocabularyObjects = []vocabularyObject{
	{"a limit that is met", "3", "h100-sxm", sharedPrefix, "100", "1", oneGate + "value: 1h}]", verdict.Pass, verdict.GatesPassed},
	{"two limits that are met", "3", "h100-sxm", sharedPrefix, "100", "1", fmt.Sprintf(twoGates, "1h"), verdict.Pass, verdict.GatesPassed},
	{"a limit that is missed", "3", "h100-sxm", sharedPrefix, "100", "1", oneGate + "value: 1us}]", verdict.Fail, verdict.GateFailed},
	{"two limits that are missed", "3", "h100-sxm", sharedPrefix, "100", "1", fmt.Sprintf(twoGates, "1us"), verdict.Fail, verdict.GateFailed},
	{"one seed", "1", "h100-sxm", sharedPrefix, "100", "1", oneGate + "value: 1h}]", verdict.Undecided, verdict.TooFewSeeds},
	{"an unchecked accelerator", "3", "mi300x", sharedPrefix, "100", "1", oneGate + "value: 1h, modelError: Include}]", verdict.Undecided, verdict.WithinModelError},
	{"no gates", "3", "h100-sxm", sharedPrefix, "100", "1", "", verdict.NotJudged, verdict.NoGates},
	{"better than the baseline", "3", "h100-sxm", sharedPrefix, "100", "1", oneGate + `versusBaseline: "-1%"}]`, verdict.Pass, verdict.GatesPassed},
	{"worse than the baseline", "3", "h100-sxm", sharedPrefix, "1", "100", oneGate + `versusBaseline: "+0%", subject: Best}]`, verdict.Fail, verdict.BaselineIsBest},
	{"a change without effect", "3", "h100-sxm", "", "1", "2", oneGate + `versusBaseline: "+5%"}]`, verdict.Undecided, verdict.ChangeNotExercised},
}

// manifest is the object as a run or as a sweep; "" where a run cannot state the gates.
func (o *vocabularyObject) manifest(kind string) string {
	picker := vocabularyPicker(o.after)
	more := ""
	if kind == v1alpha1.PolicySweepKind {
		picker = vocabularyPicker(o.before)
		more = fmt.Sprintf("  objectives: [{metric: ttft.p99, direction: Minimize}]\n  proposal: {endpointPickerConfig: {inline: %q}}\n", vocabularyPicker(o.after))
	} else if strings.Contains(o.gates, "versusBaseline") {
		return ""
	}
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: x, namespace: a}\nspec:", v1alpha1.GroupVersion, kind) +
		fmt.Sprintf(vocabularyScenario, o.seeds, o.accelerator, picker, o.prefix) + more + o.gates + "\n"
}

// vocabularyPlaces are the places that print a verdict, in the order of the table.
var vocabularyPlaces = []string{"run", "sweep", "compare", "kubectl", "report", "page", "dashboard", "endpoint", "condition"}

// Whoever reads of the same object in two places meets the same words: all print the outcome's
// word, and those that say why give the same reason.
func TestOneVocabulary(t *testing.T) {
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "object\t%s\treason\n", strings.Join(vocabularyPlaces, "\t"))
	for _, o := range vocabularyObjects {
		said := map[string]string{}
		for _, kind := range []string{v1alpha1.SimulationRunKind, v1alpha1.PolicySweepKind} {
			if o.manifest(kind) != "" {
				askEveryPlace(t, &o, kind, said)
			}
		}
		fmt.Fprint(w, o.name)
		for _, place := range vocabularyPlaces {
			word := said[place]
			if word == "" {
				word = "–" // a run has no baseline
			}
			fmt.Fprintf(w, "\t%s", word)
		}
		fmt.Fprintf(w, "\t%s\n", o.reason)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &table)
}

// askEveryPlace adds the word that each place has for an object, and checks it, the reason that
// the place gives, and the exit codes.
func askEveryPlace(t *testing.T, o *vocabularyObject, kind string, said map[string]string) {
	t.Helper()
	text := o.manifest(kind)
	object := endedObject(t, text)
	why := verdict.Ungated().Message
	said["condition"] = verdict.NotJudged.Word()
	if conditions := object.Status().Conditions; len(conditions) > 2 {
		why, said["condition"] = conditions[2].Message, verdict.OfCondition(string(conditions[2].Status)).Word()
		if got := verdict.Reason(conditions[2].Reason); got != o.reason {
			t.Errorf("%s of %s: reason %s, want %s", kind, o.name, got, o.reason)
		}
	}
	// hear finds the word, and the reason if the pattern has one, in what a place says.
	hear := func(place, pattern, in string) {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(in)
		if found == nil {
			t.Fatalf("%s of %s: %s has no verdict:\n%.2000s", kind, o.name, place, in)
		}
		said[place] = strings.ToLower(found[1])
		if said[place] != o.want.Word() {
			t.Errorf("%s of %s: %s says %q, want %q", kind, o.name, place, said[place], o.want.Word())
		}
		if len(found) < 3 {
			return
		}
		// A heading begins the reason in upper case, and a line may go on with what to do next.
		got := html.UnescapeString(strings.ReplaceAll(found[2], `\`, ""))
		if len(got) < len(why) || !strings.EqualFold(got[:len(why)], why) {
			t.Errorf("%s of %s: %s gives the reason %q, and the condition %q", kind, o.name, place, got, why)
		}
	}
	ends := func(place string, err error) {
		t.Helper()
		if code := cli.ExitCode(err); code != o.want.ExitCode() {
			t.Errorf("%s of %s: %s ends with %d, want %d: %v", kind, o.name, place, code, o.want.ExitCode(), err)
		}
	}
	file, report, page := cmdtest.TempFile(t, "x.yaml", text), filepath.Join(t.TempDir(), "x.md"), filepath.Join(t.TempDir(), "x.html")
	verb := map[string]string{v1alpha1.SimulationRunKind: "run", v1alpha1.PolicySweepKind: "sweep"}[kind]
	out, err := windtunnel(t, verb, "-f", file, "--report", report)
	hear(verb, `(?m)^verdict: ([a-z ]+): (.*)$`, out)
	ends(verb, err)
	hear("report", `\*\*([A-Za-z ]+)\*\*: (.*)\.\n`, read(t, report))
	_, _ = windtunnel(t, verb, "-f", file, "--report", page)
	hear("page", `<h1 class="verdict [a-z]+"><span[^>]*>.</span> ([A-Za-z ]+)</h1>\s*<p class="why">(.*)\.</p>`, read(t, page))
	// The reason of compare names no point, as it has two sides.
	out, err = windtunnel(t, "compare", cmdtest.TempFile(t, "before.yaml", vocabularyPicker(o.before)), cmdtest.TempFile(t, "after.yaml", vocabularyPicker(o.after)), "--scenario", file)
	hear("compare", `(?m)^verdict: ([a-z ]+): .*$`, out)
	ends("compare", err)
	var explained bytes.Buffer
	kubectl.WriteVerdict(&explained, object)
	hear("kubectl", `a/x: ([a-z ]+): (.*)\n`, explained.String())
	hear("dashboard", `Gates: ([a-z ]+)</p>`, served(t, object, "GET", "/namespaces/a/"+strings.ToLower(kind)+"s/x/status"))
	hear("endpoint", ` is ([a-z ]+)$`, served(t, object, "POST", "/flagger/pre-rollout"))
	answer := jsontest.Decode[struct{ Result, Message string }](t, []byte(served(t, object, "GET", "/apis/"+v1alpha1.GroupVersion.String()+"/namespaces/a/"+strings.ToLower(kind)+"s/x/verdict")))
	// Programs wait for a person without gates, too.
	if want := map[bool]verdict.Outcome{true: verdict.Undecided, false: o.want}[o.want == verdict.NotJudged]; answer.Result != string(want) || answer.Message != why {
		t.Errorf("%s of %s: the endpoint answers %+v, want %s: %s", kind, o.name, answer, want, why)
	}
}

// endedObject is an object with the status that the manager writes when its work has ended.
func endedObject(t *testing.T, text string) kubectl.Object {
	t.Helper()
	set := experimenttest.ReadSet(t, []byte(text))
	var object kubectl.Object
	var ended *execute.LocalRun
	var err error
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
	}
	if judged != nil {
		object.Status().Conditions = append(object.Status().Conditions, judged.Passed())
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
	shown := client.Object(object.Run)
	if object.Sweep != nil {
		shown = object.Sweep
	}
	name := func(o client.Object) []string { return []string{o.GetName()} }
	reader := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(shown).
		WithIndex(&v1alpha1.PolicySweep{}, "metadata.name", name).WithIndex(&v1alpha1.SimulationRun{}, "metadata.name", name).Build()
	held := dashboardtest.Held{shown}
	mux := http.NewServeMux()
	gate.Flagger{Live: reader}.Mount(mux)
	gate.Handler{Guard: trusting(t), Live: reader}.Mount(mux)
	mux.Handle("/namespaces/", dashboard.New(dashboard.Options{Source: &cluster.Source{Objects: held, ConfigMaps: held.ConfigMap}, Guard: dashboard.Everyone{}, Log: logr.Discard()}).Handler())
	of := map[bool]string{true: "sweep", false: "run"}[object.Sweep != nil]
	r := httptest.NewRequest(method, path, strings.NewReader(fmt.Sprintf(`{"name":"epp","namespace":"a","metadata":{%q:"x"}}`, of)))
	r.Header.Set("Authorization", "Bearer anyone")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w.Body.String()
}

// trusting is a guard whose API server lets any token read anything.
func trusting(t *testing.T) *access.Guard {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var review any = &authorizationv1.SubjectAccessReview{TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SubjectAccessReview"}, Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}
		if strings.HasSuffix(r.URL.Path, "/tokenreviews") {
			review = &authenticationv1.TokenReview{TypeMeta: metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "TokenReview"}, Status: authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: "anyone"}}}
		}
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	api, err := kube.New(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return access.New(api)
}

func read(t *testing.T, file string) string {
	t.Helper()
	return cmdtest.TextOf(t, file)
}
