// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

const gatesManifest = "../../config/samples/policysweep-gates.yaml"

// A report of the output of sweep -o json has its verdict and its numbers.
func TestAReportOfAFile(t *testing.T) {
	file := cmdtest.TempFile(t, "sweep.json", mustRun(t, "sweep", "-f", gatesManifest, "-o", "json"))
	html := mustRun(t, "report", file)
	for _, want := range []string{"<!doctype html>", "</span> Pass</h1>", "All 2 gates pass", "<dt>Plan</dt>", "</html>\n"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if markdown := mustRun(t, "report", file, "-o", "markdown"); !strings.Contains(markdown, "**Pass**: all 2 gates pass.") {
		t.Errorf("the report lacks its verdict:\n%s", markdown)
	}
	data := jsontest.Decode[page.SweepData](t, []byte(mustRun(t, "report", file, "-o", "json")))
	if data.Best < 0 || data.Baseline < 0 || len(data.Points.ID) != data.All {
		t.Errorf("best %d, baseline %d, %d of %d points", data.Best, data.Baseline, len(data.Points.ID), data.All)
	}
}

// A report in Markdown is short enough for a comment, and says what it lacks.
func TestAReportThatFits(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "report.md")
	printed := mustRun(t, "sweep", "-f", gatesManifest, "-o", "json", "--report", file, "--report-max-characters", "900")
	written := cmdtest.TextOf(t, file)
	output := cmdtest.TempFile(t, "sweep.json", printed)
	for name, text := range map[string]string{
		"the one of sweep": written, "the one of report": mustRun(t, "report", output, "-o", "markdown", "--max-characters", "900"),
	} {
		if n := utf8.RuneCountInString(text); n > 900 || !strings.Contains(text, "**Pass**: all 2 gates pass.") || !strings.Contains(text, "It lacks ") {
			t.Errorf("%s has %d characters:\n%s", name, n, text)
		}
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a page":               {[]string{"report", output, "--max-characters", "900"}, "--max-characters needs a report in Markdown"},
		"below the verdict":    {[]string{"report", output, "-o", "markdown", "--max-characters", "9"}, "the title and the verdict of the report have"},
		"below nothing":        {[]string{"report", output, "-o", "markdown", "--max-characters", "-1"}, "--max-characters must not be negative"},
		"a sweep's page":       {[]string{"sweep", "-f", gatesManifest, "--report", file + ".html", "--report-max-characters", "9"}, "--report-max-characters needs a report in Markdown"},
		"a sweep's below 0":    {[]string{"sweep", "-f", gatesManifest, "--report", file, "--report-max-characters", "-9"}, "--report-max-characters must not be negative"},
		"a sweep with no file": {[]string{"sweep", "-f", gatesManifest, "--report-max-characters", "9"}, "--report-max-characters needs --report"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := windtunnel(t, tc.args...); cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q and exit code 2", err, tc.want)
			}
		})
	}
}

// A report of a cluster has the figures of the same sweep on this machine, and the changed lines.
func TestAReportOfACluster(t *testing.T) {
	report := func(o reportOptions, objects []client.Object) (string, error) {
		c := cmdtest.Client(t, objects...)
		of, err := kubectl.Find(t.Context(), c, v1alpha1.PolicySweepKind, types.NamespacedName{Namespace: "n", Name: "s"})
		if err != nil {
			return "", err
		}
		p, err := o.clusterReport(t.Context(), c, of)
		if err != nil {
			return "", err
		}
		var text bytes.Buffer
		err = o.Output.WriteReport(&text, p)
		return text.String(), err
	}
	objects, _ := cmdtest.StoredSweep(t, mustRun)
	numbers, err := report(reportOptions{Output: cli.JSON}, objects)
	if err != nil {
		t.Fatal(err)
	}
	file := cmdtest.TempFile(t, "sweep.json", mustRun(t, "sweep", "-f", cmdtest.GatesSample(t), "-o", "json"))
	if diff := cmp.Diff(mustRun(t, "report", file, "-o", "json"), numbers); diff != "" {
		t.Errorf("numbers (-here +cluster):\n%s", diff)
	}
	if html, err := report(reportOptions{Output: cli.HTML}, objects); err != nil || !strings.Contains(html, `<span class="added">`) {
		t.Errorf("error %v, or the page has no changed lines", err)
	}
	for name, tc := range map[string]struct {
		spoil func([]client.Object)
		want  string
	}{
		"another spec": {func(o []client.Object) { o[0].(*v1alpha1.PolicySweep).Spec.Search.Seed++ }, "the results are those of another spec"},
		"no chunk":     {func(o []client.Object) { o[2].SetName("elsewhere") }, "there is no ConfigMap chunk"},
		"a cut chunk":  {func(o []client.Object) { o[2].(*corev1.ConfigMap).BinaryData = nil }, "its digest is"},
		"no results":   {func(o []client.Object) { o[0].(*v1alpha1.PolicySweep).Status.Results = nil }, "has no results yet"},
		"another name": {func(o []client.Object) { o[0].SetName("other") }, "there is no PolicySweep s in namespace n"},
	} {
		objects, _ := cmdtest.StoredSweep(t, mustRun)
		tc.spoil(objects)
		if _, err := report(reportOptions{Output: cli.HTML}, objects); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: exit code %d, error %v, want %q", name, cli.ExitCode(err), err, tc.want)
		}
	}
}

func TestReportRefuses(t *testing.T) {
	whole := mustRun(t, "sweep", "-f", gatesManifest, "-o", "json")
	mixed := strings.Replace(whole, `"engineVersion": "`, `"engineVersion": "0.`, 1)
	later := strings.Replace(whole, `"schemaVersion": "windtunnel.dev/leaderboard/v2"`, `"schemaVersion": "windtunnel.dev/leaderboard/v9"`, 1)
	for name, test := range map[string]struct{ text, want string }{
		"a manifest":           {"kind: PolicySweep\n", "is not the output of run or sweep -o json"},
		"an output cut off":    {whole[:len(whole)/2], "is not the output of run or sweep -o json"},
		"neither of both":      {`{"kind": "Pod", "rows": []}`, "the object is neither a SimulationRun nor a PolicySweep"},
		"two engines":          {mixed, "simulate all of the sweep with one version"},
		"a later version":      {later, "reads \"windtunnel.dev/leaderboard/v2\""},
		"an empty file":        {"", "is empty, and a report is of the output of run or sweep -o json"},
		"a sweep without rows": {`{"kind": "PolicySweep", "metadata": {"name": "a"}, "rows": [], "leaderboard": {"schemaVersion": "windtunnel.dev/leaderboard/v2", "candidates": []}}`, "no point has all of its results"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, "report", cmdtest.TempFile(t, "sweep.json", test.text))
			if err == nil || cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), test.want) || out != "" {
				t.Errorf("error %v, output %q; want exit code 2, %q and no output", err, out, test.want)
			}
		})
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no such file":            {[]string{"report", "none.json"}, "there is no file none.json"},
		"a pod":                   {[]string{"report", "pod/a"}, "the type must be policysweep or simulationrun"},
		"an object not in a file": {[]string{"report", cmdtest.TempFile(t, "sweep.json", whole), "--name", "other"}, `the file has no object "other"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := windtunnel(t, test.args...); err == nil || cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want exit code 2 and %q", err, test.want)
			}
		})
	}
}
