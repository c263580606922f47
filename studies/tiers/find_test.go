// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

func generated(t *testing.T) *trace.Trace {
	t.Helper()
	var text bytes.Buffer
	if err := trace.WriteMooncake(&text, 300, 7); err != nil {
		t.Fatal(err)
	}
	recorded, err := trace.Read(trace.Mooncake, &text, "generated")
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

func smallScale() scale {
	return scale{
		gpu: doubling(128, 1<<12), clusterGPU: doubling(4096, 1<<16),
		cpu: 512, storage: 4096, clusterCPU: 8192, clusterStorage: 1 << 18, policyGPU: 4096,
	}
}

func TestFindings(t *testing.T) {
	f, err := find(generated(t), smallScale())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("more memory finds more", f.testMemory)
	t.Run("the page has it", f.testPage)
}

// More memory finds more, up to what a cache without bounds finds, and no more
// than that wherever it is.
func (f *findings) testMemory(t *testing.T) {
	most := f.trace.ReusableShare
	last := len(f.one) - 1
	for tiers, one := range ones {
		for i := 1; i <= last; i++ {
			if f.one[i][tiers].all() < f.one[i-1][tiers].all()-0.005 {
				t.Errorf("one cache, %s: %.4f with %d blocks, %.4f with %d", one.name,
					f.one[i][tiers].all(), f.scale.gpu[i], f.one[i-1][tiers].all(), f.scale.gpu[i-1])
			}
		}
	}
	if got := f.one[last][0].all(); got < most-0.001 {
		t.Errorf("one cache that never evicts: %.4f, without bounds %.4f", got, most)
	}
	if small, large := f.cluster[0][0].all(), f.cluster[len(f.cluster)-1][0].all(); large <= small || large > most {
		t.Errorf("the cluster finds %.4f with little and %.4f with much, of %.4f", small, large, most)
	}
}

func (f *findings) testPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := f.write(path); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 4 096 |", "| threshold |", "page.svg", percent(f.trace.ReusableShare)} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
	if svg, err := os.ReadFile(strings.TrimSuffix(path, "md") + "svg"); err != nil || !bytes.Contains(svg, []byte("eight replicas, with CPU")) {
		t.Errorf("chart: %v, %.80s", err, svg)
	}
}

func reusableShare(t *testing.T, recorded *trace.Trace) float64 {
	t.Helper()
	s, err := recorded.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	return s.ReusableShare
}

func TestTooManyHitsAreAnError(t *testing.T) {
	recorded := generated(t)
	if _, err := simulate(oneCache(recorded, setup{gpu: 1 << 12}), reusableShare(t, recorded)/2); err == nil || !strings.Contains(err.Error(), "without bounds") {
		t.Errorf("%v", err)
	}
}

// The published trace: a cache that never evicts finds all that one without
// bounds serves, 37.3 % of the prompt tokens.
func TestAllThatIsThereIsFound(t *testing.T) {
	testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl")
	recorded, err := conversation()
	if err != nil {
		t.Fatal(err)
	}
	most := reusableShare(t, recorded)
	h, err := simulate(oneCache(recorded, setup{gpu: 1 << 18}), most)
	if err != nil {
		t.Fatal(err)
	}
	if h.all() < most-0.0001 || h.all() < 0.373 || h.all() > 0.374 {
		t.Errorf("%.5f found, of %.5f", h.all(), most)
	}
}
