// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"windtunnel.dev/windtunnel/studies/manifests"
)

// The ratio at which a search finds that the backlog grows is the bound that
// follows from the workload, which the compiler states.
func TestSearchesFindTheBound(t *testing.T) {
	sample, err := manifests.Sweep("../../config/samples/policysweep-affinity.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sample.Spec.Search.Capacity.Precision = "4%"
	f, err := find(t.Context(), sample, scale{
		workloads: []workload{
			{"0.5", 320, 320, 320}, {"0.8", 512, 128, 128}, {"0.5, spread", 320, 160, 480},
		},
		requests: 4000, seeds: 3,
		ratios: []string{"1", "3"}, burst: []string{"0", "2"}, sustained: 2000,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range f.workloads {
		least, most := w.shares()
		holds, grows := f.searched[i].bracket()
		if holds == nil || grows == nil {
			t.Fatalf("%s: no bracket", w.name)
		}
		if least == most && (holds.ratio*most > 1.001 || grows.ratio*most < 0.999 || grows.ratio > 1.05*holds.ratio) {
			t.Errorf("%s: holds at %v, grows at %v, and 1/m is %v", w.name, holds.ratio, grows.ratio, 1/most)
		}
		if holds.ratio*most < 0.95 || grows.ratio*least > 1.05 {
			t.Errorf("%s: holds at %v, grows at %v, and 1/m is %v to %v", w.name, holds.ratio, grows.ratio, 1/most, 1/least)
		}
	}
	if want := "Below prefix/load = 2 (1/m)"; !strings.Contains(f.searched[0].finding, want) {
		t.Errorf("the compiler does not say %q: %s", want, f.searched[0].finding)
	}
	page := filepath.Join(t.TempDir(), "affinity.md")
	if err := f.write(page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"](affinity.svg)", "| 0.8 | 0.8 | 1.250 |", f.charted[2].finding} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
