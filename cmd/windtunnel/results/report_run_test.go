// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

const busyRun = "testdata/explain.yaml"

// A run with a report prints what it prints without, and its page is whole.
func TestRunWritesItsReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	plain := mustRun(t, "run", "-f", busyRun, "-o", "json")
	if mustRun(t, "run", "-f", busyRun, "-o", "json", "--report", file) != plain {
		t.Error("a report changes what is printed")
	}
	html := cmdtest.TextOf(t, file)
	for _, want := range []string{
		"<!doctype html>", "SimulationRun busy", `id="curves"`, `id="lines"`, `id="map"`, "the first one that is rejected", "Why it went there",
		"windtunnel run -f testdata/explain.yaml --name busy --explain ", "<dt>Plan</dt>", "</html>\n",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	markdown := filepath.Join(t.TempDir(), "report.md")
	mustRun(t, "run", "-f", busyRun, "--report", markdown)
	if text := cmdtest.TextOf(t, markdown); !strings.HasPrefix(text, "# SimulationRun busy\n") || !strings.Contains(text, "## What went wrong") {
		t.Errorf("the report is\n%s", text)
	}
}

// A command at a request of a page explains that request.
func TestTheCommandOfAWorstRequestExplainsIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.md")
	mustRun(t, "run", "-f", busyRun, "--report", file)
	command := regexp.MustCompile("`windtunnel (.*?)` explains it").FindStringSubmatch(cmdtest.TextOf(t, file))
	if command == nil {
		t.Fatal("there is no command")
	}
	words := strings.Fields(command[1])
	out := mustRun(t, words...)
	if story := strings.TrimPrefix(out, "SimulationRun busy\n\n"); !strings.Contains(cmdtest.TextOf(t, file), strings.TrimSpace(story)) {
		t.Errorf("the report does not have\n%s", story)
	}
}

func TestReportOfAPrintedRun(t *testing.T) {
	file := cmdtest.TempFile(t, "run.json", mustRun(t, "run", "-f", busyRun, "-o", "json"))
	html := mustRun(t, "report", file)
	if !strings.Contains(html, "SimulationRun busy") || !strings.Contains(html, "run --report FILE.html makes a page with them") {
		t.Error("the page lacks its title, or does not say what it lacks")
	}
	if markdown := mustRun(t, "report", file, "-o", "markdown"); !strings.Contains(markdown, "**Not judged**: no gates are stated.") {
		t.Errorf("the report is\n%s", markdown)
	}
	data := jsontest.Decode[page.RunData](t, []byte(mustRun(t, "report", file, "-o", "json")))
	if diff := cmp.Diff([]int64{42, 43}, data.Seeds); diff != "" || len(data.Figures) == 0 || data.Series != nil {
		t.Errorf("seeds (-want +got):\n%s; %d figures", diff, len(data.Figures))
	}
}

// runOnCluster is a run with its results as the operator leaves them.
func runOnCluster(t *testing.T, trace string) []client.Object {
	t.Helper()
	set, err := manifest.Read(strings.NewReader(strings.Replace(cmdtest.TextOf(t, busyRun), "  replications:", "  trace: "+trace+"\n  replications:", 1)), busyRun)
	if err != nil {
		t.Fatal(err)
	}
	run := set.Runs[0]
	compiled, errs, err := compile.Run(t.Context(), run, local.Inputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	st, err := study.New(compiled.Plan)
	if err != nil {
		t.Fatal(err)
	}
	round := st.Round()
	simulations, err := execute.Simulate(t.Context(), compiled.Plan, compiled.Traces, round, round.All().Indices(), execute.Options{Parallelism: 1, KeepDecisions: true, Series: compiled.Plan.Series})
	if err != nil {
		t.Fatal(err)
	}
	chunks, err := store.Chunks(simulations)
	if err != nil {
		t.Fatal(err)
	}
	index := store.Index{SchemaVersion: store.IndexSchemaVersion}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "n"} }
	run.ObjectMeta = meta("r")
	study.FillStatus(&run.Status.CommonStatus, compiled.Plan)
	objects := []client.Object{run}
	for i, c := range chunks {
		name := "chunk-" + string(rune('a'+i))
		index.Chunks = append(index.Chunks, store.Reference{Name: name, Rows: c.Rows, SHA256: c.SHA256()})
		objects = append(objects, &corev1.ConfigMap{ObjectMeta: meta(name), Data: c.Data, BinaryData: c.Binary})
	}
	raw := index.Encode()
	run.Status.Results = &v1alpha1.ResultsStatus{Index: "index", Chunks: int64(len(chunks)), Rows: int64(len(simulations)), SHA256: experiment.Digest(raw)}
	return append(objects, &corev1.ConfigMap{ObjectMeta: meta("index"), Data: map[string]string{store.IndexKey: string(raw)}})
}

func reportFrom(t *testing.T, objects []client.Object, format cli.Format) (string, error) {
	t.Helper()
	c := cmdtest.Client(t, objects...)
	of, err := kubectl.Find(t.Context(), c, v1alpha1.SimulationRunKind, types.NamespacedName{Namespace: "n", Name: "r"})
	if err != nil {
		return "", err
	}
	p, err := (&reportOptions{}).clusterReport(t.Context(), c, of)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = format.WriteReport(&text, p)
	return text.String(), err
}

// The page of a run on a cluster has the numbers of the same run here.
func TestReportOfARunOnACluster(t *testing.T) {
	objects := runOnCluster(t, "{level: Decisions, series: {}}")
	got, err := reportFrom(t, objects, cli.JSON)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	mustRun(t, "run", "-f", busyRun, "--report", file)
	_, after, _ := strings.Cut(cmdtest.TextOf(t, file), `id="data">`)
	here, _, _ := strings.Cut(after, "</script>")
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(here), &a), json.Unmarshal([]byte(got), &b)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("numbers (-here +cluster):\n%s", diff)
	}
	html, err := reportFrom(t, objects, cli.HTML)
	for _, want := range []string{`id="lines"`, "Why it went there", "kubectl get simulationrun r -n n -o yaml | windtunnel run -f - --explain"} {
		if err != nil || !strings.Contains(html, want) {
			t.Errorf("error %v, or the page lacks %q", err, want)
		}
	}
}

func TestReportSaysWhatARunLacks(t *testing.T) {
	html, err := reportFrom(t, runOnCluster(t, "{level: Minimal}"), cli.HTML)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"spec.trace.series: {}", "spec.trace.level: Decisions", "--reflect issue_focused"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(html, `id="lines"`) || strings.Contains(html, `id="curves"`) {
		t.Error("the page has charts without numbers")
	}
}

func TestReportsOfRunsOnAClusterAreRefused(t *testing.T) {
	chunk := func(o []client.Object) *corev1.ConfigMap { return o[1].(*corev1.ConfigMap) }
	run := func(o []client.Object) *v1alpha1.SimulationRun { return o[0].(*v1alpha1.SimulationRun) }
	// reissued has the index vouch for a chunk as it is now.
	reissued := func(o []client.Object) {
		c := store.Chunk{Data: chunk(o).Data, Binary: chunk(o).BinaryData}
		index := store.Index{SchemaVersion: store.IndexSchemaVersion, Chunks: []store.Reference{{Name: chunk(o).Name, Rows: 2, SHA256: c.SHA256()}}}
		raw := index.Encode()
		o[len(o)-1].(*corev1.ConfigMap).Data[store.IndexKey] = string(raw)
		run(o).Status.Results.SHA256 = experiment.Digest(raw)
	}
	half := func(o []client.Object, key string) {
		packed := chunk(o).BinaryData[key]
		chunk(o).BinaryData[key] = packed[:len(packed)/2]
	}
	for name, test := range map[string]struct {
		spoil func([]client.Object)
		want  string
	}{
		"no results yet":      {func(o []client.Object) { run(o).Status.Results = nil }, "has no results yet"},
		"another spec":        {func(o []client.Object) { run(o).Generation++ }, "the results are those of another spec"},
		"a chunk cut short":   {func(o []client.Object) { half(o, store.RowsKey) }, "its digest is"},
		"rows cut short":      {func(o []client.Object) { half(o, store.RowsKey); reissued(o) }, "unexpected EOF"},
		"series cut short":    {func(o []client.Object) { half(o, store.SeriesKey); reissued(o) }, "unexpected EOF"},
		"decisions cut short": {func(o []client.Object) { half(o, store.DecisionsKey); reissued(o) }, "decisions: unexpected EOF"},
		"no documents":        {func(o []client.Object) { delete(chunk(o).Data, store.DocumentsKey); reissued(o) }, "there are no results"},
		"a document cut short": {func(o []client.Object) {
			d := chunk(o).Data
			d[store.DocumentsKey] = d[store.DocumentsKey][:500]
			reissued(o)
		}, "unexpected EOF"},
		"two engines": {func(o []client.Object) {
			d := chunk(o).Data
			d[store.DocumentsKey] = strings.Replace(d[store.DocumentsKey], `"engineVersion":"`, `"engineVersion":"0.`, 1)
			reissued(o)
		}, "several versions of the engine"},
		"another name": {func(o []client.Object) { o[0].SetName("other") }, "there is no SimulationRun r in namespace n"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := runOnCluster(t, "{level: Decisions, series: {}}")
			test.spoil(objects)
			text, err := reportFrom(t, objects, cli.HTML)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || text != "" {
				t.Errorf("exit code %d, error %v; want a sentence with %q and no output", cli.ExitCode(err), err, test.want)
			}
		})
	}
}

func TestReportsOfPrintedRunsAreRefused(t *testing.T) {
	whole := mustRun(t, "run", "-f", busyRun, "-o", "json")
	for name, test := range map[string]struct{ text, want string }{
		"no rows":         {`{"kind": "SimulationRun", "metadata": {"name": "a"}, "rows": [], "results": []}`, "there are no results"},
		"no documents":    {regexp.MustCompile(`(?s)"results": \[.*`).ReplaceAllString(whole, `"results": []}`), "there are no results"},
		"two engines":     {strings.Replace(whole, `"engineVersion": "`, `"engineVersion": "0.`, 2), "several versions of the engine"},
		"a later version": {strings.ReplaceAll(whole, "windtunnel.dev/result/v1", "windtunnel.dev/result/v9"), "another schemaVersion"},
		"cut off":         {whole[:len(whole)/2], "is not the output of run or sweep -o json"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, "report", cmdtest.TempFile(t, "run.json", test.text))
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) || out != "" {
				t.Errorf("exit code %d, error %v, output %.80q; want %q", cli.ExitCode(err), err, out, test.want)
			}
		})
	}
}

// A report that cannot be made, or that nobody can write, leaves no file.
func TestRunRefusesReports(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "report.html")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"beside an explanation": {[]string{"--explain", "1"}, "use it without --report"},
		"beside a reflection":   {[]string{"--reflect", "issue_focused"}, "use it without --report"},
		"of a dry run":          {[]string{"--dry-run"}, "use it without --report"},
		"of two runs":           {[]string{"-f", cmdtest.PoissonSample}, "--report needs one SimulationRun"},
		"into no folder":        {[]string{"--report", filepath.Join(folder, "none", "report.html")}, "none"},
	} {
		_, err := windtunnel(t, append([]string{"run", "-f", busyRun, "--report", file}, test.args...)...)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: exit code %d, error %v, want %q", name, cli.ExitCode(err), err, test.want)
		}
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
		t.Errorf("there are %v, %v", files, err)
	}
}

func TestReportReflects(t *testing.T) {
	file := cmdtest.TempFile(t, "reflection.json", mustRun(t, "run", "-f", busyRun, "--reflect", "issue_focused", "-o", "json"))
	for _, strategy := range []string{"issue_focused", "decision_audit", "pattern_mining"} {
		want := mustRun(t, "run", "-f", busyRun, "--reflect", strategy, "--max-tokens", "300")
		if diff := cmp.Diff(want, mustRun(t, "report", file, "--reflect", strategy, "--max-tokens", "300")); diff != "" {
			t.Errorf("%s (-run +report):\n%s", strategy, diff)
		}
	}
	printed := cmdtest.TempFile(t, "run.json", mustRun(t, "run", "-f", busyRun, "-o", "json"))
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"of a printed run":        {[]string{printed, "--reflect", "issue_focused"}, "windtunnel run -f MANIFEST --reflect issue_focused simulates a seed again"},
		"of a cluster":            {[]string{"my-run", "--reflect", "issue_focused", "-n", "a"}, "kubectl get simulationrun/my-run -n a -o yaml | windtunnel run -f - --reflect issue_focused simulates"},
		"of a type and a context": {[]string{"simrun/my-run", "--reflect", "issue_focused", "-n", "a", "--context", "b"}, "kubectl get simulationrun/my-run -n a --context b -o yaml | windtunnel run"},
		"of a sweep":              {[]string{"sweep/s", "--reflect", "issue_focused"}, "sweep/s is a PolicySweep"},
		"of a mistyped file":      {[]string{"runn.json", "--reflect", "issue_focused"}, "there is no file runn.json"},
		"an unknown strategy":     {[]string{file, "--reflect", "blame"}, "must be issue_focused"},
		"a length without one":    {[]string{file, "--max-tokens", "300"}, "--max-tokens needs --reflect"},
		"fewer tokens than it is": {[]string{file, "--reflect", "issue_focused", "--max-tokens", "9"}, "must be at least 100"},
	} {
		out, err := windtunnel(t, append([]string{"report"}, test.args...)...)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) || out != "" {
			t.Errorf("%s: exit code %d, error %v, want %q", name, cli.ExitCode(err), err, test.want)
		}
	}
}
