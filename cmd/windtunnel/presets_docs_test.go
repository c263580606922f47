// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/preset"
)

// presetRow is a row of the page on presets.
type presetRow struct {
	besideRow
	Rate, Fields string
}

// TestThePageOnPresets runs the sample of each preset, in which completions share a cluster
// with a neighbour that has the preset, and holds docs/presets.md against what they say.
func TestThePageOnPresets(t *testing.T) {
	rows := []presetRow{{besideRow: besideAlone(t)}}
	for _, name := range preset.Names() {
		file := "simulationrun-preset-" + preset.Slug(name) + ".yaml"
		fields, err := preset.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		row := runBeside(t, filepath.Join(cmdtest.Samples, file))
		row.Neighbour, row.File = string(name), file
		rows = append(rows, presetRow{row, string(neighbour(t, file).Preset.Rate), fields})
	}
	comparePage(t, "presets.md", rows)
}

// neighbour is the second client of a sample.
func neighbour(t *testing.T, file string) *v1alpha1.Client {
	t.Helper()
	text := testfile.Read(t, filepath.Join(cmdtest.Samples, file))
	var run v1alpha1.SimulationRun
	if err := yaml.UnmarshalStrict(text, &run); err != nil {
		t.Fatal(err)
	}
	return &run.Spec.Scenario.Workload.Clients[1]
}
