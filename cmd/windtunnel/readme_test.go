// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeSweep: the sweep of the README prints the table that the README
// shows.
func TestReadmeSweep(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```yaml\n")
	manifest, rest, closed := strings.Cut(rest, "```\n")
	_, rest, shown := strings.Cut(rest, "```\nrank ")
	table, _, ended := strings.Cut(rest, "```\n")
	if !ok || !closed || !shown || !ended {
		t.Fatal("the README has no manifest and no table after it")
	}
	out := mustRun(t, "sweep", "-f", tempFile(t, "sweep.yaml", manifest))
	printed := map[string]bool{}
	for line := range strings.Lines(out) {
		printed[words(line)] = true
	}
	for line := range strings.Lines("rank " + table) {
		found := false
		for p := range printed {
			found = found || strings.HasPrefix(p, words(line))
		}
		if !found {
			t.Errorf("the README shows\n%s\nand the sweep prints\n%s", line, out)
		}
	}
}

// words is a line without the widths of its columns.
func words(line string) string { return strings.Join(strings.Fields(line), " ") }
