// SPDX-License-Identifier: Apache-2.0

package start_test

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// indented is text that is put below a field of so many blanks.
func indented(text, blanks string) string {
	return blanks + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+blanks)
}

// importedRun is the file of a run of what import prints for a profile.
func importedRun(t *testing.T, name string) string {
	t.Helper()
	traffic := mustRun(t, "import", name)
	return cmdtest.TempFile(t, "run.yaml", `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: imported}
spec:
  scenario:
    pools: [{name: a, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}]
    router: {policies: {routing: {policy: round-robin}}}
`+indented(traffic, "    ")+"\n")
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
			run := importedRun(t, name)
			if out := mustRun(t, "run", "-f", run, "--dry-run"); !strings.Contains(out, "SimulationRun imported") {
				t.Errorf("run --dry-run prints\n%s", out)
			}
			if out := mustRun(t, "run", "-f", run); !strings.Contains(out, "SimulationRun imported") {
				t.Errorf("run prints\n%s", out)
			}
		})
	}
}

// A folder of ServeGen is a trace once it is packed as the notes say.
func TestAnImportedFolderOfServeGenRuns(t *testing.T) {
	folder := t.TempDir()
	day := filepath.Join(folder, "day")
	packed, err := os.Create(day + ".tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(packed)
	archive := tar.NewWriter(z)
	if err := archive.AddFS(os.DirFS("../../pkg/workload/servegen/testdata/day")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []io.Closer{archive, z, packed} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	spec := cmdtest.TempFile(t, "blis.yaml", "version: '2'\nnum_requests: 40\nservegen_data: {path: "+day+"}\n")
	if out := mustRun(t, "run", "-f", importedRun(t, spec), "--dry-run"); !strings.Contains(out, "SimulationRun imported") {
		t.Errorf("run --dry-run prints\n%s", out)
	}
}

func TestImportErrors(t *testing.T) {
	const good = "../../pkg/profile/testdata/guidellm-flat.yaml"
	long := cmdtest.TempFile(t, "long.yaml", strings.Repeat("#", 1<<20+1))
	bad := cmdtest.TempFile(t, "bad.yaml", "clients: []\naggregate_rate: 0\ncohorts: []\nversion: null\n")
	sparse := cmdtest.TempFile(t, "sparse.yaml", `version: "2"
horizon: 9000000
clients:
- {id: a, rate_fraction: 1, arrival: {process: poisson}, input_distribution: {type: constant, params: {value: 1}}, output_distribution: {type: constant, params: {value: 1}}, lifecycle: {windows: [{end_us: 9, trace_rate: 0}]}}
`)
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no profile":                          {nil, "import needs one profile"},
		"no such file":                        {[]string{"/nowhere.yaml"}, "no such file"},
		"a file too long":                     {[]string{long}, "longer than 1048576 bytes"},
		"a negative stage":                    {[]string{good, "--stage", "-1"}, "--stage must not be negative"},
		"a saturation that is none":           {[]string{good, "--saturation", "-1"}, "--saturation must be between 0 and 1e+09 requests/s, got -1"},
		"no such data set":                    {[]string{good, "--dataset", "/nowhere.json"}, "no such file"},
		"another stage":                       {[]string{good, "--stage", "2"}, "rate: Forbidden: a workload is one benchmark"},
		"several errors, each in a line":      {[]string{bad}, "bad.yaml is invalid:\n  - version: Required value: only version 2 is known\n  - horizon: Required value: state horizon"},
		"a workload that no simulation takes": {[]string{sparse}, "sparse.yaml becomes an invalid workload:\n  - spec.scenario.workload.clients[0].arrivals.stages: "},
		"another format":                      {[]string{good, "--format", "Locust"}, `supported values: "AIPerf", "BLIS", "GuideLLM", "InferencePerf", "VLLMBench"`},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, append([]string{"import"}, tc.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || out != "" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d, %v, want %s\n%s", cli.ExitCode(err), err, tc.want, out)
			}
		})
	}
}
