// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// comparedRun writes a small run, and the sweep that it comes from in JSON.
func comparedRun(t *testing.T) (run, sweep string) {
	t.Helper()
	file, folder := cmdtest.GatesSample(t), filepath.Join(t.TempDir(), "best")
	out := mustRun(t, "sweep", "-f", file, "--follow", folder, "-o", "json")
	return filepath.Join(folder, "gates-best-1.yaml"), cmdtest.TempFile(t, "sweep.json", out)
}

const otherPicker = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: random-picker\n"

func TestCompareSetsSidesAgainstEachOther(t *testing.T) {
	run, sweep := comparedRun(t)
	raw := cmdtest.TextOf(t, run)
	slower := cmdtest.TempFile(t, "slower.yaml", strings.Replace(raw, "replicas: 4", "replicas: 2", 1))
	result := cmdtest.TempFile(t, "run.json", mustRun(t, "run", "-f", run, "-o", "json"))
	random := cmdtest.TempFile(t, "epp.yaml", otherPicker)
	for name, tc := range map[string]struct {
		args     []string
		requests bool
	}{
		"two manifests":              {[]string{run, slower}, true},
		"a file and a manifest":      {[]string{result, slower}, false},
		"two points of a sweep":      {[]string{sweep + "#0", sweep + "#2"}, false},
		"two configurations":         {[]string{random, random, "--scenario", run}, true},
		"the same twice":             {[]string{run, run}, true},
		"a file and a configuration": {[]string{result, random, "--scenario", run}, false},
	} {
		out := mustRun(t, append([]string{"compare", "-o", "json"}, tc.args...)...)
		var c struct {
			Contrast struct {
				Seeds     []int64
				Differing []struct{ Means [2]float64 }
				Equal     int
			}
			Requests *struct {
				Groups []struct{ Requests, Slower, Faster int }
			}
		}
		if err := json.Unmarshal([]byte(out), &c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(c.Contrast.Seeds) < 3 || (c.Requests != nil) != tc.requests {
			t.Errorf("%s: seeds %v, requests %v", name, c.Contrast.Seeds, c.Requests)
		}
		alike := tc.args[0] == tc.args[1]
		if alike != (len(c.Contrast.Differing) == 0) {
			t.Errorf("%s: %d metrics differ", name, len(c.Contrast.Differing))
		}
		if tc.requests && alike && c.Requests.Groups[0].Slower+c.Requests.Groups[0].Faster != 0 {
			t.Errorf("%s: requests differ: %+v", name, c.Requests.Groups)
		}
		if tc.requests && !alike && c.Requests.Groups[0].Slower == 0 {
			t.Errorf("%s: with half the replicas no request is slower: %+v", name, c.Requests.Groups)
		}
	}
	table := mustRun(t, "compare", run, slower)
	for _, want := range []string{"e2e.mean ms", "Holm's correction", "Slowed down most"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
}

func TestCompareRefusesWhatItCannotCompare(t *testing.T) {
	run, sweep := comparedRun(t)
	epp := cmdtest.TempFile(t, "epp.yaml", "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\n")
	if _, err := windtunnel(t, "compare", epp, epp); err == nil || !strings.Contains(err.Error(), "--scenario") {
		t.Errorf("EPP files alone do not tell what they lack: %v", err)
	}
	for name, args := range map[string][]string{
		"one file":                 {run},
		"a sweep without a point":  {sweep, run},
		"no such point":            {sweep + "#99", run},
		"no number":                {sweep + "#x", run},
		"no such file":             {"nowhere.yaml", run},
		"EPP files alone":          {epp, epp},
		"a sweep's manifest":       {cmdtest.GatesSample(t), run},
		"a flag of the other verb": {run, run, "-f", run},
	} {
		if _, err := windtunnel(t, append([]string{"compare"}, args...)...); cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%s: exit code %d, %v", name, cli.ExitCode(err), err)
		}
	}
}
