// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// TestPageListsModes keeps the table of docs/api.md equal to the modes.
func TestPageListsModes(t *testing.T) {
	page := testfile.Read(t, "../../docs/api.md")
	if want := modesTable(v1alpha1.SweepModes); !strings.Contains(string(page), want) {
		t.Errorf("docs/api.md has not the table of modes:\n%s", want)
	}
}

func modesTable(modes []v1alpha1.SweepMode) string {
	var table strings.Builder
	table.WriteString("| mode | it is chosen | what the sweep finds out | needs | must not have |\n|---|---|---|---|---|\n")
	for _, m := range modes {
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", m.Name, m.Fields, m.Answers, fieldCells(m.Needs), excluded(m))
	}
	return table.String()
}

func excluded(m v1alpha1.SweepMode) string {
	fields := fieldCells(m.Excludes)
	if m.OnlyGrid {
		fields += ", an algorithm other than `Grid`"
	}
	return fields
}

// fieldCells are fields in code, and a choice of two as such.
func fieldCells(fields []string) string {
	var cells []string
	for _, field := range fields {
		cells = append(cells, "`"+strings.ReplaceAll(field, "|", "` or `")+"`")
	}
	return strings.Join(cells, ", ")
}
