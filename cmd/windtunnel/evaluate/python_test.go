// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// frameworks are stand-ins with no more than what the real packages give to the shims.
var frameworks = map[string]string{
	"openevolve/__init__.py": "",
	"openevolve/evaluation_result.py": `
from dataclasses import dataclass, field

@dataclass
class EvaluationResult:
    metrics: dict
    artifacts: dict = field(default_factory=dict)
`,
	"gepa/__init__.py":      "",
	"gepa/core/__init__.py": "",
	"gepa/core/adapter.py": `
from dataclasses import dataclass

@dataclass
class EvaluationBatch:
    outputs: list
    scores: list
    trajectories: list = None
    objective_scores: list = None
    num_metric_calls: int = None
`,
}

// A shimmed is what a script of a test prints in JSON.
type shimmed struct {
	Metrics    map[string]float64
	Artifacts  map[string]string
	Outputs    []map[string]any
	Scores     []float64
	Objectives []map[string]float64
	Calls      int
	Untraced   bool
	Dataset    map[string][]map[string]any
}

// python runs a script beside the shims.
func python(t *testing.T, script string, withFrameworks bool, env ...string) (shimmed, error) {
	t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	shims, err := filepath.Abs("../../python")
	if err != nil {
		t.Fatal(err)
	}
	paths := shims
	if withFrameworks {
		folder := t.TempDir()
		for name, text := range frameworks {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			testfile.Write(t, filepath.Join(folder, name), []byte(text))
		}
		paths += string(os.PathListSeparator) + folder
	}
	cmd := exec.CommandContext(t.Context(), interpreter, "-B", "-c", script)
	cmd.Env = append(append(os.Environ(), "PYTHONPATH="+paths, "PYTHONDONTWRITEBYTECODE=1"), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return shimmed{}, fmt.Errorf("%w: %s", err, stderr.String())
	}
	var s shimmed
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s, nil
}

// commandFile builds the command.
func commandFile(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "windtunnel")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

const evolve = `
import json, openevolve_evaluator as e
r = e.evaluate(%q)
print(json.dumps({"Metrics": getattr(r, "metrics", r), "Artifacts": getattr(r, "artifacts", {})}))
`

const adapt = `
import json, gepa_adapter
batch = [{"scenario": %[1]q, "seed": 1}, {"scenario": %[1]q, "seed": 2}]
candidate = {"routing": open(%[2]q).read(), "priority": "def prioritize(request, gateway, tenant, endpoints):\n  return 1\n"}
a = gepa_adapter.Adapter()
r = a.evaluate(batch, candidate, capture_traces=True)
print(json.dumps({
    "Outputs": r.outputs, "Scores": r.scores, "Objectives": r.objective_scores, "Calls": r.num_metric_calls,
    "Dataset": a.make_reflective_dataset(candidate, r, ["routing"]),
    "Untraced": a.evaluate(batch[:1], candidate).trajectories is None,
}))
`

// The shims have one result by the command and by the server.
func TestThePythonShims(t *testing.T) {
	command := commandFile(t)
	url := startServer(t, "--scenario", sampleScenario)
	faulty := cmdtest.TempFile(t, "p.star", "def score(request, endpoints):\n  return [1 // 0]\n")
	for name, env := range map[string][]string{
		"command": {"WINDTUNNEL=" + command, "WINDTUNNEL_SCENARIOS=" + sampleScenario, "WINDTUNNEL_SEEDS=1,2"},
		"server":  {"WINDTUNNEL_URL=" + url, "WINDTUNNEL_SCENARIOS=poisson", "WINDTUNNEL_SEEDS=1,2"},
	} {
		scenario := strings.TrimPrefix(env[1], "WINDTUNNEL_SCENARIOS=")
		t.Run("OpenEvolve by the "+name, func(t *testing.T) {
			for _, present := range []bool{true, false} {
				got, err := python(t, fmt.Sprintf(evolve, samplePolicy), present, env...)
				if err != nil || got.Metrics["combined_score"] <= 0.9 || got.Metrics["cacheHit.gpu"] <= 0 || len(got.Metrics) != 6 {
					t.Errorf("%+v %v", got, err)
				}
				if text := got.Artifacts["poisson, seed 2"]; present != (strings.Contains(text, "goodput 0.9") && strings.Contains(text, "## Outcome")) {
					t.Errorf("artifacts %v", got.Artifacts)
				}
			}
			got, err := python(t, fmt.Sprintf(evolve, faulty), true, env...)
			if err != nil || got.Metrics["combined_score"] != 0 || len(got.Metrics) != 6 || !strings.Contains(got.Artifacts["poisson, seed 1"], "line 2: floored division") {
				t.Errorf("a faulty policy: %+v %v", got, err)
			}
		})
		t.Run("GEPA by the "+name, func(t *testing.T) {
			for _, present := range []bool{true, false} {
				got, err := python(t, fmt.Sprintf(adapt, scenario, samplePolicy), present, env...)
				if err != nil || len(got.Outputs) != 2 || len(got.Scores) != 2 || got.Scores[1] <= 0.9 || got.Objectives[0]["goodput"] != got.Scores[0] || got.Calls != 2 || !got.Untraced {
					t.Fatalf("%+v %v", got, err)
				}
				records := got.Dataset["routing"]
				told := fmt.Sprint(records[0]["Inputs"].(map[string]any)["interface"])
				for _, want := range []string{"def score(request, endpoints):", "- request.tokens: the tokens of the prompt", "- endpoints[i].waiting: requests in the engine's queue", "- endpoints[i].prefix_affinity: a signal: "} {
					if !strings.Contains(told, want) {
						t.Errorf("the interface has no %q:\n%s", want, told)
					}
				}
				if len(records) < 4 || records[0]["Inputs"] == nil || records[0]["Generated Outputs"] == nil || !strings.Contains(records[0]["Feedback"].(string), "## Outcome") || !strings.Contains(records[1]["Inputs"].(string), "waiting") {
					t.Errorf("%v", got.Dataset)
				}
			}
			got, err := python(t, fmt.Sprintf(adapt, scenario, faulty), true, env...)
			if err != nil || got.Scores[0] != 0 || !strings.Contains(got.Dataset["routing"][1]["Feedback"].(string), "line 2: floored division") {
				t.Errorf("a faulty policy: %+v %v", got, err)
			}
		})
	}
}

// An evaluation that takes too long has the score 0. Other failures are exceptions.
func TestThePythonShimsWithoutAnAnswer(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { time.Sleep(2 * time.Second) }))
	t.Cleanup(slow.Close)
	got, err := python(t, fmt.Sprintf(evolve, samplePolicy), true, "WINDTUNNEL_URL="+slow.URL, "WINDTUNNEL_SECONDS=0.2")
	if score, is := got.Metrics["combined_score"]; err != nil || !is || score != 0 || !strings.Contains(fmt.Sprint(got.Artifacts), "took too long") {
		t.Errorf("%+v %v", got, err)
	}
	sleeps := filepath.Join(t.TempDir(), "windtunnel")
	if err := os.WriteFile(sleeps, []byte("#!/bin/sh\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	patience := strings.Replace(fmt.Sprintf(adapt, "a.yaml", samplePolicy), "Adapter()", "Adapter(seconds=0.2)", 1)
	if got, err = python(t, patience, true, "WINDTUNNEL="+sleeps); err != nil || len(got.Scores) != 2 || got.Scores[0] != 0 || !strings.Contains(fmt.Sprint(got.Dataset), "took too long") {
		t.Errorf("%+v %v", got, err)
	}
	for name, env := range map[string]string{
		"no such command": "WINDTUNNEL=/no/such/command",
		"no server":       "WINDTUNNEL_URL=http://127.0.0.1:1",
	} {
		if _, err := python(t, fmt.Sprintf(evolve, samplePolicy), true, env); err == nil || !strings.Contains(err.Error(), "windtunnel.Failure") {
			t.Errorf("%s: %v", name, err)
		}
	}
	spent := startServer(t, "--scenario", sampleScenario, "--budget", "1")
	if _, err := python(t, fmt.Sprintf(evolve, samplePolicy), true, "WINDTUNNEL_URL="+spent, "WINDTUNNEL_SEEDS=1,2"); err == nil || !strings.Contains(err.Error(), "status 429") {
		t.Errorf("a spent budget: %v", err)
	}
}
