// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

// TestDryRunSaysWhatIsSimulated: a sweep that does not learn has the simulations
// that its plan says, under the same hash.
func TestDryRunSaysWhatIsSimulated(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{"run.yaml": cmdtest.TinyRun("r", "2"), "sweep.yaml": cmdtest.TinySweep("s", "2") + "  replications: {seed: 7, count: 3}\n", "epp.yaml": cmdtest.SmallPicker})
	type plan struct {
		Hash                string
		Points, Simulations int64
		Seeds               []int64
		Shards, Parallelism int
		CPUSeconds          float64
		MemoryBytes         int64
		ConfigMaps          int64
	}
	for verb, want := range map[string]plan{
		"run":   {Points: 1, Simulations: 1, Seeds: []int64{42}},
		"sweep": {Points: 2, Simulations: 6, Seeds: []int64{7, 8, 9}},
	} {
		t.Run(verb, func(t *testing.T) {
			file := filepath.Join(folder, verb+".yaml")
			got := jsontest.Decode[struct{ Plan plan }](t, []byte(mustRun(t, verb, "-f", file, "--dry-run", "-o", "json")))
			var done struct {
				Status struct{ PlanHash string }
				Rows   []any
			}
			if err := json.Unmarshal([]byte(mustRun(t, verb, "-f", file, "-o", "json")), &done); err != nil {
				t.Fatal(err)
			}
			p := got.Plan
			if p.Hash != done.Status.PlanHash || p.Simulations != int64(len(done.Rows)) {
				t.Errorf("plan %s of %d simulations, and what was simulated is %s of %d", p.Hash, p.Simulations, done.Status.PlanHash, len(done.Rows))
			}
			if p.CPUSeconds <= 0 || p.MemoryBytes <= 0 || p.Shards < 1 || p.Parallelism < 1 || p.ConfigMaps != 1 {
				t.Errorf("the plan lacks something: %+v", p)
			}
			if diff := cmp.Diff(want, plan{Points: p.Points, Simulations: p.Simulations, Seeds: p.Seeds}); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

func TestDryRunSimulatesNothing(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{"a.yaml": cmdtest.TinySweep("a", "2"), "b.yaml": cmdtest.TinySweep("b", "4"), "epp.yaml": cmdtest.SmallPicker})
	files := map[string]string{"--state": "state", "--promote": "epp", "--report": "report.md", "--follow": "best"}
	args := []string{"sweep", "-f", folder, "--name", "a", "--dry-run"}
	for flag, name := range files {
		args = append(args, flag, filepath.Join(folder, name))
	}
	table := mustRun(t, args...)
	for _, want := range []string{"PolicySweep a: nothing is simulated.", "points", "seeds", "simulations", "shards", "CPU time", "memory", "ConfigMaps"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	if want := "\ninfo: spec.scenario.router.endpointPickerConfig.file: approx-prefix-cache-producer remembers"; !strings.Contains(table, want) {
		t.Errorf("the table lacks %q:\n%s", want, table)
	}
	for flag, name := range files {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s is written", flag)
		}
	}
	var list struct{ Items []any }
	if err := json.Unmarshal([]byte(mustRun(t, "sweep", "-f", folder, "--dry-run", "-o", "json")), &list); err != nil || len(list.Items) != 2 {
		t.Errorf("%v, %v, want two objects", list.Items, err)
	}
	sample := mustRun(t, "sweep", "-f", filepath.Join("..", "..", "config", "samples", "policysweep-workloads.yaml"), "--dry-run")
	if want := "workloads    3 "; !strings.Contains(sample, want) {
		t.Errorf("the table lacks %q:\n%s", want, sample)
	}
	grid := mustRun(t, "sweep", "-f", filepath.Join(folder, "a.yaml"), "--dry-run")
	if strings.Contains(grid, "at most") {
		t.Errorf("a grid has as many simulations as it says, and not at most:\n%s", grid)
	}
	learning := mustRun(t, "sweep", "-f", filepath.Join("..", "..", "config", "samples", "policysweep-search.yaml"), "--dry-run")
	for _, want := range []string{"at most: the search learns", "at most, ", "for one core and all simulations, at the loads of the first"} {
		if !strings.Contains(learning, want) {
			t.Errorf("the table lacks %q:\n%s", want, learning)
		}
	}
	broken := cmdtest.TempFile(t, "broken.yaml", strings.Replace(cmdtest.TinySweep("a", "2"), "pools[llama]", "pools[other]", 1))
	if _, err := windtunnel(t, "sweep", "-f", broken, "--dry-run"); cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("a path that leads nowhere: %v", err)
	}
}
