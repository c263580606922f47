// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// TestReadmeSweep: the sweep of docs/first-sweep.md prints the table that the page
// shows.
func TestReadmeSweep(t *testing.T) {
	readme := cmdtest.TextOf(t, "../../docs/first-sweep.md")
	_, rest, ok := strings.Cut(readme, "```yaml\n")
	manifest, rest, closed := strings.Cut(rest, "```\n")
	_, rest, shown := strings.Cut(rest, "```\nrank ")
	table, _, ended := strings.Cut(rest, "```\n")
	if !ok || !closed || !shown || !ended {
		t.Fatal("the page has no manifest and no table after it")
	}
	out := mustRun(t, "sweep", "-f", cmdtest.TempFile(t, "sweep.yaml", manifest))
	printed := map[string]bool{}
	for line := range strings.Lines(out) {
		printed[cmdtest.Words(line)] = true
	}
	for line := range strings.Lines("rank " + table) {
		found := false
		for p := range printed {
			found = found || strings.HasPrefix(p, cmdtest.Words(line))
		}
		if !found {
			t.Errorf("the page shows\n%s\nand the sweep prints\n%s", line, out)
		}
	}
}

// TestReadmeValues: that sweep, whose router is a file of Helm values,
// writes them back with the one line changed that the page shows.
func TestReadmeValues(t *testing.T) {
	readme := cmdtest.TextOf(t, "../../docs/first-sweep.md")
	manifest := cmdtest.Between(t, readme, "```yaml\napiVersion: sim.windtunnel.dev", "```\n")
	_, recipe, ok := strings.Cut(readme, "values.yaml in, values.yaml out")
	if !ok {
		t.Fatal("the page has no recipe for a file of values")
	}
	router, shown := cmdtest.Between(t, recipe, "```yaml\n", "```\n"), cmdtest.Between(t, recipe, "```diff\n", "```\n")

	inline := cmdtest.Between(t, manifest, "    router:\n      endpointPickerConfig:\n        inline: |\n", "    workload:\n")
	manifest = "apiVersion: sim.windtunnel.dev" + manifest
	manifest = strings.Replace(manifest, "    router:\n      endpointPickerConfig:\n        inline: |\n"+inline, router, 1)
	manifest = strings.Replace(manifest, `name: prefixWeight, value: "3"`, `name: prefixWeight, value: "2"`, 1)
	values := "router:\n  epp:\n    pluginsConfigFile: own.yaml\n    pluginsCustomConfig:\n      own.yaml: |\n" +
		strings.Replace(inline, "prefix-cache-scorer, weight: 3", "prefix-cache-scorer, weight: 2", 1)

	sweep := cmdtest.TempFile(t, "sweep.yaml", manifest)
	folder := filepath.Dir(sweep)
	for _, file := range []string{"values.yaml", "promoted.yaml"} {
		testfile.Write(t, filepath.Join(folder, file), []byte(values))
	}
	promoted := filepath.Join(folder, "promoted.yaml")
	mustRun(t, "sweep", "-f", sweep, "--promote", promoted)
	after := cmdtest.TextOf(t, promoted)
	var changed []string
	before := strings.Split(values, "\n")
	for i, line := range strings.Split(after, "\n") {
		if i >= len(before) || line != before[i] {
			changed = append(changed, "-"+cmdtest.Words(before[i]), "+"+cmdtest.Words(line))
		}
	}
	var want []string
	for line := range strings.Lines(shown) {
		want = append(want, line[:1]+cmdtest.Words(line[1:]))
	}
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("the values' lines that change (−page +promoted):\n%s", diff)
	}
}
