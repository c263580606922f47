// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// indented is text that is put below a field of so many blanks.
func indented(text, blanks string) string {
	return blanks + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+blanks)
}

// What import prints is the traffic of a run.
func TestImportedProfilesRun(t *testing.T) {
	names, err := filepath.Glob("../../pkg/profile/testdata/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no profiles: %v", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".golden.yaml") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			traffic := mustRun(t, "import", name)
			run := tempFile(t, "run.yaml", `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: imported}
spec:
  scenario:
    pools: [{name: a, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}]
    router: {policies: {routing: {policy: round-robin}}}
`+indented(traffic, "    ")+"\n")
			if out := mustRun(t, "run", "-f", run); !strings.Contains(out, "SimulationRun imported") {
				t.Errorf("run prints\n%s", out)
			}
		})
	}
}

func TestImportErrors(t *testing.T) {
	const good = "../../pkg/profile/testdata/guidellm-flat.yaml"
	long := tempFile(t, "long.yaml", strings.Repeat("#", 1<<20+1))
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no profile":       {nil, "one profile is required"},
		"no such file":     {[]string{"/nowhere.yaml"}, "no such file"},
		"a file too long":  {[]string{long}, "longer than 1048576 bytes"},
		"a negative stage": {[]string{good, "--stage", "-1"}, "--stage must not be negative"},
		"another stage":    {[]string{good, "--stage", "2"}, "rate: Forbidden: a workload is one benchmark"},
		"another format":   {[]string{good, "--format", "Locust"}, `supported values: "BLIS", "GuideLLM", "InferencePerf"`},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, append([]string{"import"}, tc.args...)...)
			if exitCode(err) != exitBadInput || out != "" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d, %v, want %s\n%s", exitCode(err), err, tc.want, out)
			}
		})
	}
}
