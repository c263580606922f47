// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	prediction "windtunnel.dev/windtunnel/pkg/observe"
)

// clusterManifest is the cluster of the tests of pkg/observe.
const clusterManifest = "../../pkg/observe/testdata/cluster.yaml"

// playCluster writes samples of ten minutes of the cluster, with other values of some fields.
func playCluster(t *testing.T, settings ...string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "samples.json")
	args := []string{"observe", "-f", clusterManifest, "--play", file, "--last", "10m", "--every", "5m"}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	mustRun(t, args...)
	return file
}

func TestObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		settings []string
		cause    string
	}{
		"a cluster as predicted": {nil, ""},
		"longer prompts and answers": {[]string{
			"workload.clients[chat].inputTokens.mean=955", "workload.clients[chat].outputTokens.mean=145",
		}, prediction.Lengths},
	} {
		samples, metrics := playCluster(t, tc.settings...), filepath.Join(t.TempDir(), "windtunnel.prom")
		out, err := windtunnel(t, "observe", "-f", clusterManifest, "--samples", samples, "--every", "5m", "-o", "json", "--textfile", metrics)
		var drifts driftError
		if (tc.cause != "") != errors.As(err, &drifts) || err != nil && cli.ExitCode(err) != cli.ExitFailed {
			t.Errorf("%s: error %v", name, err)
		}
		var report prediction.Report
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%s: %v:\n%s", name, err, out)
		}
		if report.Drift != (tc.cause != "") || tc.cause != "" && report.Causes.Most() != tc.cause {
			t.Errorf("%s: drift %v, causes %+v", name, report.Drift, report.Causes)
		}
		written, err := os.ReadFile(metrics)
		if want := map[bool]string{true: "\nwindtunnel_prediction_drift{run=\"cluster\"} 1\n", false: "\nwindtunnel_prediction_drift{run=\"cluster\"} 0\n"}[report.Drift]; err != nil || !strings.Contains(string(written), want) {
			t.Errorf("%s: the metrics lack %q (%v):\n%s", name, want, err, written)
		}
	}
}

// TestObserveAPoint takes points of a sweep over the cluster's rate.
func TestObserveAPoint(t *testing.T) {
	raw := cmdtest.TextOf(t, clusterManifest)
	text := strings.NewReplacer("kind: SimulationRun", "kind: PolicySweep", "name: cluster}\nspec:\n", `name: cluster}
spec:
  parameters:
  - {name: rate, path: "workload.clients[chat].arrivals.rate", values: ["7", "14"]}
  objectives: [{metric: ttft.p99, direction: Minimize}]
`).Replace(raw)
	sweep := filepath.Join(t.TempDir(), "sweep.yaml")
	testfile.Write(t, sweep, []byte(text))
	samples := playCluster(t)
	if out, err := windtunnel(t, "observe", "-f", sweep, "--point", "1", "--samples", samples, "--every", "5m"); err != nil || !strings.HasPrefix(out, "cluster#1: as predicted. ") {
		t.Errorf("the point with the rate of the cluster: %v:\n%s", err, out)
	}
	if out, err := windtunnel(t, "observe", "-f", sweep, "--point", "0", "--samples", samples, "--every", "5m"); err == nil || !strings.HasPrefix(out, "cluster#0: drift, mainly in the traffic. ") {
		t.Errorf("the point with half of the rate: %v:\n%s", err, out)
	}
	_, err := windtunnel(t, "observe", "-f", sweep, "--point", "2", "--samples", samples)
	if err == nil || cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "--point must be from 0 to 1") {
		t.Errorf("a point that is not there: %v", err)
	}
}

func TestObserveRefuses(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		testfile.Write(t, path, []byte(text))
		return path
	}
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(closed.Close)
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`))
	}))
	t.Cleanup(empty.Close)
	foreign := file("foreign.csv", "time,metric,value\n0,up,1\n15,up,1\n30,up,1\n45,up,1\n60,up,1\n75,up,1\n")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no prediction":                          {[]string{"--samples", foreign}, "one prediction is required"},
		"two predictions":                        {[]string{"a-run", "-f", clusterManifest, "--samples", foreign}, "one prediction is required"},
		"no source":                              {[]string{"-f", clusterManifest}, "one source is required: --prometheus URL or --samples FILE"},
		"two sources":                            {[]string{"-f", clusterManifest, "--prometheus", down.URL, "--samples", foreign}, "one source is required"},
		"no time":                                {[]string{"-f", clusterManifest, "--prometheus", down.URL}, "--prometheus needs --from or --last"},
		"two beginnings":                         {[]string{"-f", clusterManifest, "--samples", foreign, "--from", "2026-01-05T08:00:00Z", "--last", "1h"}, "use only one"},
		"no time of a clock":                     {[]string{"-f", clusterManifest, "--samples", foreign, "--from", "monday"}, `--from "monday": must be a time such as`},
		"an end before its beginning":            {[]string{"-f", clusterManifest, "--prometheus", down.URL, "--from", "2026-01-05T08:00:00Z", "--to", "2026-01-05T07:00:00Z"}, "the window is empty"},
		"few seeds":                              {[]string{"-f", clusterManifest, "--samples", foreign, "--seeds", "2"}, "--seeds must be from 5 to 1000"},
		"a password in the address":              {[]string{"-f", clusterManifest, "--prometheus", "http://user:word@localhost:1", "--last", "1h"}, "must not hold a password"},
		"no token in its file":                   {[]string{"-f", clusterManifest, "--prometheus", closed.URL, "--last", "1h", "--bearer-token-file", file("token", " \n")}, "does not hold one token"},
		"no certificate in its file":             {[]string{"-f", clusterManifest, "--prometheus", closed.URL, "--last", "1h", "--ca-file", foreign}, "has no certificate in PEM"},
		"a selector of a file":                   {[]string{"-f", clusterManifest, "--samples", foreign, "--selector", `namespace="x"`}, "--selector needs --prometheus"},
		"one that is down":                       {[]string{"-f", clusterManifest, "--prometheus", down.URL, "--last", "1h"}, "connection refused"},
		"one that refuses":                       {[]string{"-f", clusterManifest, "--prometheus", closed.URL, "--last", "1h"}, `it refuses with "401 Unauthorized"`},
		"one without the metrics":                {[]string{"-f", clusterManifest, "--prometheus", empty.URL, "--last", "1h"}, "nothing was measured: none of the metrics"},
		"samples of something else":              {[]string{"-f", clusterManifest, "--samples", foreign}, "nothing was measured: none of the metrics"},
		"no file":                                {[]string{"-f", clusterManifest, "--samples", "nowhere.json"}, "no such file"},
		"a malformed file":                       {[]string{"-f", clusterManifest, "--samples", file("half.json", `{"status":"succ`)}, "half.json: answer 1: unexpected EOF"},
		"a window between two scrapes":           {[]string{"-f", clusterManifest, "--samples", foreign, "--last", "5s"}, "the window of 5s is shorter than the 15s between two samples"},
		"a point without a sweep":                {[]string{"-f", clusterManifest, "--samples", foreign, "--point", "0"}, "PolicySweep"},
		"samples that would be read and written": {[]string{"-f", clusterManifest, "--samples", foreign, "--play", "x"}, "--play writes samples"},
	} {
		metrics := filepath.Join(folder, "windtunnel.prom")
		out, err := windtunnel(t, append([]string{"observe", "--textfile", metrics}, tc.args...)...)
		if err == nil || cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tc.want)
			continue
		}
		if out != "" || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "word@") {
			t.Errorf("%s: printed %q and %q", name, out, err)
		}
		if left, _ := filepath.Glob(metrics + "*"); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// TestThePageOnObservationsWorks runs the first commands of docs/observe.md.
func TestThePageOnObservationsWorks(t *testing.T) {
	raw := testfile.Read(t, "../../docs/observe.md")
	_, rest, _ := strings.Cut(string(raw), "```sh\n")
	block, text, _ := strings.Cut(rest, "```")
	samples := filepath.Join(t.TempDir(), "samples.json")
	commands := strings.Split(strings.TrimSpace(strings.ReplaceAll(block, "\\\n", " ")), "\n")
	var out string
	var err error
	for _, command := range commands {
		words := strings.Fields(strings.NewReplacer("samples.json", samples, "config/samples", "../../config/samples").Replace(command))
		out, err = windtunnel(t, words[1:]...)
	}
	_, verdict, _ := strings.Cut(text, "The first line is the verdict: `")
	verdict, _, _ = strings.Cut(verdict, "`")
	if len(commands) != 2 || verdict == "" || !strings.HasPrefix(out, verdict) || cli.ExitCode(err) != cli.ExitFailed {
		t.Errorf("%d commands; %v; the page says %q:\n%s", len(commands), err, verdict, out)
	}
}

// TestObserveAnObjectOfTheCluster reads a run, and a point of a sweep with its results.
func TestObserveAnObjectOfTheCluster(t *testing.T) {
	objects, _ := cmdtest.StoredSweep(t, mustRun)
	raw := testfile.Read(t, clusterManifest)
	var run v1alpha1.SimulationRun
	if err := yaml.Unmarshal(raw, &run); err != nil {
		t.Fatal(err)
	}
	run.Namespace = "n"
	c := cmdtest.Client(t, append(objects, &run)...)
	for name, tc := range map[string]struct {
		kind, name string
		point      int
		want, err  string
	}{
		"a run":                     {"", "cluster", -1, "cluster", ""},
		"a run by its type":         {v1alpha1.SimulationRunKind, "cluster", -1, "cluster", ""},
		"a point of a sweep":        {"", "s", 1, "s#1", ""},
		"a point that is not there": {v1alpha1.PolicySweepKind, "s", 99, "", "--point must be from 0 to"},
		"a sweep without a point":   {v1alpha1.PolicySweepKind, "s", -1, "", "--point says which"},
		"a run that is not there":   {"", "other", -1, "", "there is no SimulationRun other in namespace n"},
		"a sweep that is not there": {"", "other", 0, "", "there is no PolicySweep other in namespace n"},
	} {
		o := observeOptions{Point: tc.point}
		of, err := o.observedObject(t.Context(), c, types.NamespacedName{Namespace: "n", Name: tc.name}, tc.kind)
		switch {
		case tc.err != "":
			if err == nil || !strings.Contains(err.Error(), tc.err) || cli.ExitCode(err) != cli.ExitBadInput {
				t.Errorf("%s: error %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case of.Name != tc.want:
			t.Errorf("%s: it is %s", name, of.Name)
		}
	}
	objects[0].(*v1alpha1.PolicySweep).Status.PlanHash = "another"
	c = cmdtest.Client(t, objects...)
	_, err := (&observeOptions{Point: 1}).observedObject(t.Context(), c, types.NamespacedName{Namespace: "n", Name: "s"}, "")
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "the results are those of another spec") {
		t.Errorf("results of another plan: exit code %d, error %v", cli.ExitCode(err), err)
	}
}
