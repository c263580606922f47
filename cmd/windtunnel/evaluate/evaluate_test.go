// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/evaluate"
)

var (
	samplePolicy   = filepath.Join(cmdtest.Samples, "policies", "prefix-and-load.star")
	sampleScenario = filepath.Join(cmdtest.Samples, "simulationrun-poisson.yaml")
	wallTime       = regexp.MustCompile(`"sim_wall_ms": \d+`)
)

func TestEvaluatePrintsAnAnswer(t *testing.T) {
	args := []string{"evaluate", "--policy", samplePolicy, "--scenario", sampleScenario, "--seed", "42", "-o", "json"}
	out := mustRun(t, args...)
	var a evaluate.Answer
	if err := json.Unmarshal([]byte(out), &a); err != nil || !a.OK || a.Scenario != "poisson" || a.CombinedScore <= 0.9 {
		t.Errorf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(wallTime.ReplaceAllString(out, ""), wallTime.ReplaceAllString(mustRun(t, args...), "")); diff != "" {
		t.Errorf("the same command (-once +again):\n%s", diff)
	}
}

// Several scenarios or seeds give a list, in a fixed order.
func TestEvaluatePrintsAListOfSeveral(t *testing.T) {
	small := filepath.Join("testdata", "policies.yaml")
	args := []string{"evaluate", "--policy", samplePolicy, "--scenario", sampleScenario + "," + small, "--seed", "1,2", "--objective", "completionRate", "-o", "json"}
	one := mustRun(t, append(args, "--parallelism", "1")...)
	var all []evaluate.Answer
	if err := json.Unmarshal([]byte(one), &all); err != nil || len(all) < 4 || all[0].Seed != 1 || all[1].Seed != 2 || all[1].Scenario != "poisson" {
		t.Errorf("%v\n%s", err, one)
	}
	if diff := cmp.Diff(wallTime.ReplaceAllString(one, ""), wallTime.ReplaceAllString(mustRun(t, append(args, "--parallelism", "3")...), "")); diff != "" {
		t.Errorf("three at once (-one +three):\n%s", diff)
	}
}

// A fault of the policy is no fault of the command.
func TestEvaluateAFaultyPolicy(t *testing.T) {
	faulty := cmdtest.TempFile(t, "p.star", "def score(request, endpoints):\n  return [1 // 0 for e in endpoints]\n")
	out := mustRun(t, "evaluate", "--policy", faulty, "--scenario", sampleScenario, "--seed", "42")
	for _, want := range []string{"combined score", "0.0000", "poisson, seed 42: error fault of the routing program at stage call, line 2: floored division by zero"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestEvaluateRefusesBadInput(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"nothing":              {nil, "a policy is required: --policy FILE"},
		"no scenario":          {[]string{"--policy", samplePolicy}, "a scenario is required: --scenario FILE"},
		"no file":              {[]string{"--policy", "no.star", "--scenario", sampleScenario}, "no.star"},
		"another language":     {[]string{"--policy", "p.lua", "--scenario", sampleScenario}, "must end with .star"},
		"no such component":    {[]string{"--policy", samplePolicy, "--component", "x", "--scenario", sampleScenario}, `component "x"`},
		"a negative seed":      {[]string{"--policy", samplePolicy, "--scenario", sampleScenario, "--seed=-1"}, "--seed -1: must be at least 0"},
		"two bad objectives":   {[]string{"--policy", samplePolicy, "--scenario", sampleScenario, "--objective", "a,b", "--objective", "c=0"}, "\n"},
		"no target":            {[]string{"--policy", samplePolicy, "--scenario", sampleScenario, "--objective", "e2e.p99"}, "--objective[0]: Invalid value"},
		"no run in a scenario": {[]string{"--policy", samplePolicy, "--scenario", filepath.Join(cmdtest.Samples, "kustomization.yaml")}, "kustomization.yaml"},
		"a sweep's objective":  {[]string{"--policy", samplePolicy, "--scenario", filepath.Join(cmdtest.Samples, "policysweep-random.yaml")}, "PolicySweep random-weights is invalid:\n  - spec.objectives[1]: Invalid value"},
		"which model":          {[]string{"--policy", samplePolicy, "--scenario", filepath.Join(cmdtest.Samples, "simulationrun-two-models.yaml")}, "--model: Required value"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, append([]string{"evaluate"}, tc.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) || out != "" {
				t.Errorf("exit code %d, %v, want %q in it; output %q", cli.ExitCode(err), err, tc.want, out)
			}
		})
	}
}

// TestThePageOnEvaluate types the commands of docs/bundles.md, which shows what they print.
func TestThePageOnEvaluate(t *testing.T) {
	page := testfile.Read(t, "../../docs/bundles.md")
	_, shown, found := strings.Cut(string(page), "$ windtunnel evaluate")
	if !found {
		t.Fatal("it has no command")
	}
	command, shown, _ := strings.Cut(shown, "\n")
	shown, _, _ = strings.Cut(shown, "```")
	t.Chdir("../..")
	if diff := cmp.Diff(shown, mustRun(t, append([]string{"evaluate"}, strings.Fields(command)...)...)); diff != "" {
		t.Errorf("windtunnel evaluate%s (-docs/bundles.md +printed):\n%s", command, diff)
	}
	sample := testfile.Read(t, filepath.Join("config", "samples", "policies", "prefix-and-load.star"))
	programs := strings.Split(string(page), "```\ndef ")
	source, _, _ := strings.Cut(programs[len(programs)-1], "```")
	if !strings.Contains(string(sample), "def "+source) {
		t.Errorf("the sample is not the program of the page:\n%s", source)
	}
}

// TestEvaluateBoundsPolicies: the maximum of the flag is that of bundles, and the limit of a
// bundle that states none. The program takes far more than 100 steps a call.
func TestEvaluateBoundsPolicies(t *testing.T) {
	const program = "def score(request, endpoints):\n  n = 0\n  for i in range(1000):\n    n += i\n  return [n for e in endpoints]\n"
	policy := cmdtest.TempFile(t, "slow.star", program)
	bundled := cmdtest.TempFile(t, "bundle.yaml", "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\nlimits: {callSteps: 101}\nrouting:\n  starlark:\n    source: |\n      "+strings.ReplaceAll(strings.TrimSpace(program), "\n", "\n      ")+"\n")
	scenario := filepath.Join(cmdtest.Samples, "simulationrun-poisson.yaml")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a program":          {[]string{"--policy", policy}, "steps"},
		"a bundle above it":  {[]string{"--policy", bundled}, "bundle.limits.callSteps"},
		"a limit of 0":       {[]string{"--policy", policy, "--program-limits", "cpuSeconds=0"}, "cpuSeconds must be at least 1"},
		"no limit of a name": {[]string{"--policy", policy, "--program-limits", "steps=5"}, "callSteps"},
	} {
		args := append([]string{"evaluate", "--scenario", scenario, "--program-limits", "callSteps=100", "-o", "json"}, tc.args...)
		out, err := windtunnel(t, args...)
		if text := fmt.Sprint(out, err); !strings.Contains(text, tc.want) {
			t.Errorf("%s: no %q in\n%s", name, tc.want, text)
		}
	}
}
