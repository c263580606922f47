// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// slowLink is what an all-reduce between two GPUs over PCIe takes with an engine of 2025, in
// round figures: four times that of the catalogue, which is of a newer engine.
var slowLink = []latency.AllReduceTime{
	{Bytes: 8 << 10, Microseconds: 19}, {Bytes: 256 << 10, Microseconds: 39}, {Bytes: 2 << 20, Microseconds: 158},
	{Bytes: 16 << 20, Microseconds: 1118}, {Bytes: 512 << 20, Microseconds: 35000},
}

// pcieBox are two GPUs of the RTX PRO 6000 with a peak, and with a table of the link or
// without.
func pcieBox(peak float64, link []latency.AllReduceTime) Engine {
	e := engineOf("Llama-3.1-8B", "rtx-pro-6000", 2)
	e.Accelerator.BF16FlopsPerSecond = peak
	e.Given.AllReduce = link
	return e
}

// Two GPUs at their true peak of 468 TFLOPS behind a slow link: with the table of that link
// the fit finds the shares. Half the peak does not explain the prompts, and the catalogue's faster
// link makes the memory look slow: both are named with what mends them.
func TestAFitOfTwoGPUsBehindASlowLink(t *testing.T) {
	truth := coefficients{memoryShare: 0.8, flopsShare: 0.6, layerOverhead: 28e3, tokenOverhead: 1e3, sequenceOverhead: 11e3}
	box := pcieBox(468e12, slowLink)
	made := madeOf(t, box, requestsOf(60, 100, 30*time.Millisecond), box.Given.Over(truth.roofline(box.Instance)))
	for name, tc := range map[string]struct {
		engine  Engine
		warning string
	}{
		"as it is":                {box, ""},
		"half the peak":           {pcieBox(250e12, slowLink), "all of the accelerator's FLOP/s is used, or more: the peak in its entry is too low"},
		"the catalogue's link":    {pcieBox(468e12, nil), "With several GPUs that is mostly a link slower than the all-reduce of the catalogue. Measure the all-reduce"},
		"both of the catalogue's": {pcieBox(250e12, nil), "With several GPUs that is mostly a link slower"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := *made
			run.Engine = tc.engine
			fitted, err := Fit(t.Context(), []*Run{&run}, Options{Workers: 2, Generations: 60})
			if err != nil {
				t.Fatal(err)
			}
			warnings := strings.Join(fitted.Warnings(), "\n")
			if tc.warning != "" {
				if !strings.Contains(warnings, tc.warning) {
					t.Errorf("warnings %q, want %q", warnings, tc.warning)
				}
				return
			}
			c := fitted.First()
			if warnings != "" || math.Abs(c.MemoryEfficiency/0.8-1) > 0.05 || math.Abs(c.PrefillEfficiency/0.6-1) > 0.08 {
				t.Errorf("shares %v and %v, want 0.8 and 0.6; warnings %q", c.MemoryEfficiency, c.PrefillEfficiency, warnings)
			}
			judged, err := run.Judge(t.Context(), c, false, 2)
			if err != nil {
				t.Fatal(err)
			}
			for m, e := range judged[0].Errors() {
				if math.Abs(e[Mean]) > 0.01 {
					t.Errorf("mean %v is off by %.2f %%", Metric(m), 100*e[Mean])
				}
			}
		})
	}
}

// Runs of two models on one, two and four GPUs make one entry: the shares and the overheads
// are those of all, and each number of GPUs has its own latency of collectives.
func TestSeveralRunsMakeOneEntry(t *testing.T) {
	truth := coefficients{memoryShare: 0.76, flopsShare: 0.66, layerOverhead: 31e3, tokenOverhead: 1.5e3, sequenceOverhead: 15e3, linkShare: 0.5}
	latencyOf := map[int]float64{1: 0, 2: 20e3, 4: 40e3}
	var runs []*Run
	for _, e := range []Engine{
		engineOf("Llama-3.1-8B", "rtx-4090", 1), engineOf("Llama-3.1-8B", "rtx-4090", 2),
		engineOf("Qwen3-14B", "rtx-4090", 2), engineOf("Qwen3-14B", "rtx-4090", 4),
	} {
		c := truth
		c[allReduceLatency] = latencyOf[e.TensorParallelism]
		runs = append(runs, madeOf(t, e, requestsOf(15, 35, 40*time.Millisecond), c.roofline(e.Instance)))
	}
	fitted, err := Fit(t.Context(), runs, Options{Workers: 2, Generations: 50})
	if err != nil {
		t.Fatal(err)
	}
	c := fitted.First()
	for name, v := range map[string]float64{
		"memory share": c.MemoryEfficiency / 0.76, "FLOP/s share": c.PrefillEfficiency / 0.66, "share of the link": fitted.Of(runs[1]).LinkEfficiency / 0.5,
		"latency on two": float64(fitted.Of(runs[1]).AllReduceLatency) / 20e3, "latency on four": float64(fitted.Of(runs[3]).AllReduceLatency) / 40e3,
	} {
		if math.Abs(v-1) > 0.1 {
			t.Errorf("the %s is %.2f of what the runs were made with", name, v)
		}
	}
	var b bytes.Buffer
	if err := fitted.WriteEntry(&b, "four runs", FittedOn(runs, nil)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# and with tensorParallelism 1, model meta-llama/Llama-3.1-8B-Instruct\n#   latency:\n#     roofline:\n",
		"# and with tensorParallelism 2, model meta-llama/Llama-3.1-8B-Instruct; tensorParallelism 2, model Qwen/Qwen3-14B\n",
		"# and with tensorParallelism 4, model Qwen/Qwen3-14B\n", "allReduceLatencyMicroseconds",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the entry does not say %q:\n%s", want, b.String())
		}
	}
	if entries, errs := latency.ParseEntries(b.Bytes(), nil); len(errs) > 0 || len(entries.Accelerators) != 1 {
		t.Errorf("the entry is no catalogue: %v", errs.ToAggregate())
	}
}
