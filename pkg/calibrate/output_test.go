// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
)

func TestTheEntryIsOneThatACatalogueTakes(t *testing.T) {
	a := ownEngine().Accelerator
	c := ownCoefficients.roofline(ownEngine().Instance)
	var b bytes.Buffer
	on := FittedOn([]*Run{{Engine: ownEngine(), Requests: make([]Request, 140)}}, nil)
	if err := writeEntry(&b, a, c, []pool{{lines: poolLines(c, ownEngine().Instance)}}, "own.yaml", on); err != nil {
		t.Fatal(err)
	}
	entries, errs := latency.ParseEntries(b.Bytes(), nil)
	if len(errs) > 0 {
		t.Fatalf("%v\n%s", errs.ToAggregate(), b.String())
	}
	a.MemoryEfficiency, a.PrefillEfficiency, a.DecodeEfficiency = 0.78, 0.66, 0.66
	a.Provenance = &latency.Provenance{
		Shares: latency.Fitted, Models: []string{ownEngine().Model.Name}, TensorParallelism: []int{1},
		Source: "windtunnel calibrate, 140 requests",
	}
	if diff := cmp.Diff(latency.Entries{Accelerators: []latency.Accelerator{a}}, entries); diff != "" {
		t.Errorf("entry (−want +got):\n%s", diff)
	}
	for _, want := range []string{
		`layerOverheadMicroseconds: "45"`, `tokenOverheadMicroseconds: "3"`, `sequenceOverheadMicroseconds: "25"`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the overheads lack %s:\n%s", want, b.String())
		}
	}
}

func TestAnEntryNamesEachModelAndNumberOfGPUsOnce(t *testing.T) {
	run := func(model string, gpus, requests, fitted int) *Run {
		return &Run{
			Engine:   Engine{Instance: latency.Instance{Model: latency.Model{Name: model}, TensorParallelism: gpus}},
			Requests: make([]Request, requests), Fitted: fitted,
		}
	}
	want := &latency.Provenance{
		Shares: latency.Fitted, Models: []string{"b", "a"}, TensorParallelism: []int{1, 2},
		Source: "windtunnel calibrate, 60 requests",
	}
	got := FittedOn([]*Run{run("b", 2, 100, 20), run("a", 1, 10, 0), run("b", 1, 30, 40)}, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("provenance (−want +got):\n%s", diff)
	}
}

// Means of TTFT that were measured as 1 s: 1.02 s is 2 % off, 0.94 s 6 %, and both together 4 %.
// What was held back counts alone. Of TPOT nothing was measured.
func TestAnEntryHasTheErrorsOfItsFit(t *testing.T) {
	judged := func(ttft float64, heldBack bool) *Judgement {
		j := &Judgement{HeldBack: heldBack}
		j.Measured[TTFT][Mean], j.Predicted[TTFT][Mean] = 1, ttft
		j.Measured[TPOT][Mean], j.Predicted[TPOT][Mean] = math.NaN(), 1
		j.Measured[E2E][Mean], j.Predicted[E2E][Mean] = 2, 2
		return j
	}
	for name, tc := range map[string]struct {
		of   []*Judgement
		want map[latency.CheckedMetric]float64
	}{
		"two runs":        {[]*Judgement{judged(1.02, false), judged(0.94, false)}, map[latency.CheckedMetric]float64{"TTFT": 4, "E2E": 0}},
		"a run held back": {[]*Judgement{judged(1.02, false), judged(0.94, true)}, map[latency.CheckedMetric]float64{"TTFT": 6, "E2E": 0}},
		"none":            {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, FittedOn(nil, tc.of).MeanAbsoluteErrorPercent); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

func judgementOf(times ...Times) *Judgement {
	return &Judgement{Name: "few", MeasuredTimes: times, PredictedTimes: times, Measured: FiguresOf(times), Predicted: FiguresOf(times)}
}

func TestTheSVGIsWellFormed(t *testing.T) {
	j := judgementOf(times(0, 1e9, 3e9, 3), times(0, 2e9, 2e9, 1))
	held := judgementOf(times(0, 4e9, 5e9, 11))
	held.HeldBack = true
	var b bytes.Buffer
	if err := WriteSVG(&b, "a < b & c", []*Judgement{j, held}); err != nil {
		t.Fatal(err)
	}
	dots := map[string]int{}
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			for _, a := range e.Attr {
				if a.Name.Local == "fill" {
					dots[a.Value]++
				}
			}
		}
	}
	// One dot a request and metric, no TPOT of one token, and the legend.
	want := map[string]int{svgFitted: 5 + 1, svgHeldBack: 3 + 1}
	if diff := cmp.Diff(want, dots); diff != "" {
		t.Errorf("dots by colour (−want +got):\n%s", diff)
	}
}

func TestTextPlot(t *testing.T) {
	j := judgementOf(times(0, 10e9, 20e9, 101), times(0, 5e9, 5e9, 1))
	j.HeldBack = true
	var b bytes.Buffer
	WriteTextPlot(&b, []*Judgement{j})
	lines := strings.Split(b.String(), "\n")
	if want := "TTFT predicted, up to 10 s             TPOT predicted, up to 100 ms           E2E predicted, up to 20 s"; lines[0] != want {
		t.Errorf("titles are\n%s, want\n%s", lines[0], want)
	}
	if n := strings.Count(b.String(), "x"); n != 5+1 { // the legend has one
		t.Errorf("%d marks of requests, want 5:\n%s", n-1, b.String())
	}
	for _, line := range lines {
		if len(line) > 120 {
			t.Errorf("a line of %d characters", len(line))
		}
	}
}

func TestRoundUp(t *testing.T) {
	for v, want := range map[float64]float64{0: 1, 1: 1, 1.1: 1.2, 99: 100, 137: 160, 0.032: 0.04, 6: 6, 8.1: 10} {
		if got := roundUp(v); got < want*(1-1e-9) || got > want*(1+1e-9) {
			t.Errorf("roundUp(%v) = %v, want %v", v, got, want)
		}
	}
}

func TestLabelsOfAxesAreShort(t *testing.T) {
	for _, largest := range []float64{0.0002, 0.0029, 0.021, 0.29, 2.9, 290, 290_000} {
		end := roundUp(largest)
		for i := range svgTicks + 1 {
			if text := label(end * float64(i) / svgTicks); len(text) > 7 {
				t.Errorf("an axis to %v has the label %s", largest, text)
			}
		}
	}
}
