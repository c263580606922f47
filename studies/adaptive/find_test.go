// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// smallScale is enough to tell a collapse from none.
func smallScale() scale {
	return scale{
		seeds: []int64{1, 2}, publishedSeeds: 8,
		rates: []float64{1000, 2000}, requests: 1000, steady: 3000,
		models: []v1alpha1.LatencyModel{v1alpha1.LinearModel, v1alpha1.RooflineModel}, shares: []float64{0.8, 1.1}, lasting: "5s",
		capacityRun: "5s", rolloutsRun: "22s", toolsRun: "30s",
	}
}

// The published figures hold, and so do the findings that the page states in words.
func TestWhatThePageSays(t *testing.T) {
	s, err := readSamples("../../config/samples")
	if err != nil {
		t.Fatal(err)
	}
	f, err := find(t.Context(), s, smallScale(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	first, collapse := &f.published[0], &f.published[5]
	if !first.within("ttft.p99", first.all/1000, 0.06) || !first.within("completionRate", first.completed, 0.03) || !collapse.within("ttft.p99", collapse.worst/1000, 0.05) {
		t.Errorf("4:3 has a P99 of %v and completes %v; 4:2 has %v", first.here.mean("ttft.p99"), first.here.mean("completionRate"), collapse.here.mean("ttft.p99"))
	}
	for _, o := range f.outcomes {
		claims := o.claims()
		if claims[0].passes || !claims[1].passes || claims[2].passes || claims[3].passes {
			t.Errorf("%s: the claims are %+v", o.name, claims)
		}
	}
	o := f.outcomes[0]
	goodput := func(rows []row, name string) float64 { return named(rows, name).mean("goodput") }
	if bad, free := goodput(o.onRollouts, "5:2"), goodput(o.onRollouts, stepFree.name); bad > 0.2 || free < 0.8 {
		t.Errorf("a hot prefix that changes: 5:2 has a goodput of %v, the step rule without a cap %v", bad, free)
	}
	if good, driven := goodput(o.onTools, "2:1"), goodput(o.onTools, "step rule from 2:1"); good < 0.9 || driven > 0.8 {
		t.Errorf("many prefixes: 2:1 has a goodput of %v, the step rule from there %v", good, driven)
	}
	page := filepath.Join(t.TempDir(), "adaptive.md")
	if err := f.write(page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"](adaptive.svg)", "| H15-5 |", "| step rule, no cap |"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
