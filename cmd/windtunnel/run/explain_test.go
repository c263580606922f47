// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

func TestExplainPrintsATable(t *testing.T) {
	for name, args := range map[string][]string{
		"first.txt":    {"--explain", "0"},
		"dropped.txt":  {"--explain", "120"},
		"rejected.txt": {"--explain", "rejected"},
		"again.txt":    {"--explain", "167"},
		"other.txt":    {"--explain", "0", "--seed", "7"}, // not one of the run's
		"what-if.txt":  {"--explain", "0", "--what-if", "--what-if-window", "2s", "--what-if-flips", "4"},
		"alone.txt":    {"--explain", "120", "--what-if"},
	} {
		t.Run(name, func(t *testing.T) {
			cmdtest.Golden(t, filepath.Join("explain", name), mustRun(t, append([]string{"run", "-f", "testdata/explain.yaml"}, args...)...))
		})
	}
}

// Who was evicted had been routed before.
func TestExplainShowsEvictions(t *testing.T) {
	const run = "testdata/evict.yaml"
	_, err := windtunnel(t, "run", "-f", run, "--explain", "rejected")
	const want = "the router rejected none; the first evicted one is 26"
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), want) {
		t.Fatalf("%v, want %q", err, want)
	}
	if got := mustRun(t, "run", "-f", run, "--explain", "26"); !strings.HasSuffix(got, "It went to llama/0.\nIt ended evicted: the router ended it on a replica.\n") {
		t.Error(got)
	}
}

// The router scores adapters by what it sees of them, which is in the story; the
// page shows the first table.
func TestExplainShowsAdapters(t *testing.T) {
	got := mustRun(t, "run", "-f", "testdata/adapters.yaml", "--explain", "200")
	cmdtest.Golden(t, filepath.Join("explain", "adapters.txt"), got)
	page := cmdtest.TextOf(t, "../../docs/explain.md")
	if table := strings.Split(got, "\n\n")[2]; !strings.Contains(page, table) {
		t.Errorf("docs/explain.md does not show\n%s", table)
	}
}

// Policies without an EPP explain themselves as EPPs do.
func TestExplainPolicies(t *testing.T) {
	const runs = "testdata/policies.yaml"
	for _, name := range []string{"weighted", "least-loaded", "sglang-cache-aware"} {
		t.Run(name, func(t *testing.T) {
			cmdtest.Golden(t, filepath.Join("explain", name+".txt"), mustRun(t, "run", "-f", runs, "--name", name, "--explain", "150"))
		})
	}
	mustRun(t, "run", "-f", runs, "--name", "weighted", "--trace", filepath.Join(t.TempDir(), "d.jsonl"))
}

func TestExplainAsJSON(t *testing.T) {
	cmdtest.Golden(t, filepath.Join("explain", "dropped.json"), mustRun(t, "run", "-f", "testdata/explain.yaml", "--explain", "120", "-o", "json"))
}

// The output says how much better each other endpoint would have been.
func TestWhatIfAsJSON(t *testing.T) {
	var story struct {
		WhatIf struct {
			WindowSeconds float64
			Picks         []struct{ Request, Flips int }
			Answers       []struct {
				Name        string
				Own, Window struct{ TTFT, E2E struct{ Verdict string } }
			}
		}
	}
	args := []string{"run", "-f", "testdata/run.yaml", "--name", "small", "--explain", "30", "--what-if", "-o", "json"}
	alone := mustRun(t, append(args, "--parallelism", "1")...)
	if diff := cmp.Diff(alone, mustRun(t, append(args, "--parallelism", "3")...)); diff != "" {
		t.Errorf("with three simulations at once (−one +three):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(alone), &story); err != nil {
		t.Fatal(err)
	}
	got := &story.WhatIf
	if got.WindowSeconds != 10 || len(got.Picks) != 1 || got.Picks[0].Request != 30 || got.Picks[0].Flips != 8 || len(got.Answers) == 0 {
		t.Fatalf("%+v", got)
	}
	for _, a := range got.Answers {
		if a.Name == "" || a.Own.TTFT.Verdict == "" || a.Window.E2E.Verdict == "" {
			t.Errorf("%+v", a)
		}
	}
}

func TestExplainRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a number that no request has": {[]string{"--explain", "400"}, "400 is not among the 400 routed requests of seed 42"},
		"what is no number":            {[]string{"--explain", "-3"}, "from 0 in order of arrival, rejected or scaling"},
		"no rejected request":          {[]string{"-f", "testdata/run.yaml", "--name", "small", "--explain", "rejected"}, "of the 120 under seed 42 none was rejected"},
		"a seed alone":                 {[]string{"--seed", "3"}, "--seed needs --explain"},
		"metrics for Prometheus":       {[]string{"--explain", "3", "-o", "prometheus"}, "use it without -o prometheus"},
		"alternatives of nothing":      {[]string{"--what-if"}, "--what-if needs --explain"},
		"alternatives of a scaler":     {[]string{"--explain", "scaling", "--what-if"}, "--what-if is about a request"},
		"alternatives without a pick":  {[]string{"--explain", "rejected", "--what-if"}, "the router picked no endpoint, so there is none to compare with"},
		"a window without length":      {[]string{"--explain", "3", "--what-if", "--what-if-window", "0s"}, "must be greater than 0"},
		"no flips":                     {[]string{"--explain", "3", "--what-if", "--what-if-flips", "0"}, "must be at least 1"},
		"a window of nothing":          {[]string{"--explain", "3", "--what-if-window", "3s"}, "--what-if-window needs --what-if"},
		"a trace beside it":            {[]string{"--explain", "3", "--trace", "x.jsonl"}, "use it without --trace"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := windtunnel(t, append([]string{"run", "-f", "testdata/explain.yaml"}, tc.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
			}
		})
	}
}

func TestExplainIsAboutOneRun(t *testing.T) {
	raw := testfile.Read(t, "testdata/explain.yaml")
	two := cmdtest.TempFile(t, "two.yaml", string(raw)+"---\n"+strings.Replace(string(raw), "name: busy", "name: other", 1))
	for _, flag := range []string{"--explain=3", "--trace=" + filepath.Join(t.TempDir(), "d.jsonl")} {
		_, err := windtunnel(t, "run", "-f", two, flag)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "select one with --name") {
			t.Errorf("%s: exit code %d: %v", flag, cli.ExitCode(err), err)
		}
	}
	mustRun(t, "run", "-f", two, "--name", "other", "--explain", "3")
}

// The page shows what its commands print.
func TestExplainPage(t *testing.T) {
	page := testfile.Read(t, "../../docs/explain.md")
	ran := 0
	for _, block := range strings.Split(string(page), "```\n$ windtunnel ")[1:] {
		block, _, _ = strings.Cut(block, "```")
		command, want, _ := strings.Cut(block, "\n")
		args := strings.Fields(strings.ReplaceAll(command, "config/samples", cmdtest.Samples))
		if diff := cmp.Diff(want, mustRun(t, args...)); diff != "" {
			t.Errorf("windtunnel %s (−docs/explain.md +printed):\n%s", command, diff)
		}
		ran++
	}
	if ran < 2 {
		t.Errorf("the page runs %d commands", ran)
	}
}

// The page shows the end of what its command about other endpoints prints.
func TestWhatIfPage(t *testing.T) {
	page := cmdtest.TextOf(t, "../../docs/explain.md")
	const command = "run -f config/samples/simulationrun-poisson.yaml --explain 65 --what-if"
	got := mustRun(t, strings.Fields(strings.ReplaceAll(command, "config/samples", cmdtest.Samples))...)
	_, table, _ := strings.Cut(got, "\n\nWhat if ")
	if want := "```\nWhat if " + table + "```"; !strings.Contains(page, "windtunnel "+command) || !strings.Contains(page, want) {
		t.Errorf("docs/explain.md does not show\n%s", want)
	}
}

func TestDecisionsAreValidJSON(t *testing.T) {
	var story struct {
		Kind      string
		Decisions []struct{ Names []string }
	}
	if err := json.Unmarshal([]byte(mustRun(t, "run", "-f", "testdata/explain.yaml", "--explain", "1", "-o", "json")), &story); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"old/0", "new/0", "new/1"}, story.Decisions[0].Names); diff != "" || story.Kind != "SimulationRun" {
		t.Errorf("kind %s, names (−want +got):\n%s", story.Kind, diff)
	}
}

// An autoscaler follows the analyser of the workload-variant-autoscaler out and in.
func TestExplainScalingOfAnAnalyser(t *testing.T) {
	out := mustRun(t, "run", "-f", filepath.Join(cmdtest.Samples, "simulationrun-wva.yaml"), "--explain", "scaling")
	at := 0
	for _, want := range []string{
		"no value of wva_desired_replicas", "not saturated: 1 of 1 replicas, with a spare KV of",
		"WVA asks for 2: every replica with metrics is saturated, of 1", "WVA asks for 2: waits until there are as many; the pool has 1; from 1 to 2",
		"loading   1 serve", "WVA asks for 2: waits until all replicas have metrics: 1 of 2", "serving   2 serve",
		"enough with one replica fewer", "(ScaleDownStabilized)", "draining",
	} {
		next := strings.Index(out[at:], want)
		if next < 0 {
			t.Fatalf("no %q after the first %d bytes of\n%s", want, at, out)
		}
		at += next
	}
}
