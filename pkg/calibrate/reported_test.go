// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
)

func TestDrawnRequestsHaveTheSharesOfTheLoad(t *testing.T) {
	l := Load{
		Requests: 1000, Rate: 4, Arrivals: PoissonArrivals,
		Input:  func(share float64) float64 { return 100 + 1000*share },
		Output: func(share float64) float64 { return 50 * share },
	}
	requests := l.draw()
	var inputs, outputs []float64
	for _, r := range requests {
		inputs, outputs = append(inputs, float64(r.InputTokens)), append(outputs, float64(r.OutputTokens))
	}
	if slices.IsSorted(inputs) {
		t.Error("prompts come in order of their length")
	}
	slices.Sort(inputs)
	slices.Sort(outputs)
	got := []float64{inputs[0], quantile(inputs, 0.25), quantile(inputs, 0.5), inputs[999], outputs[0], quantile(outputs, 0.5)}
	want := []float64{101, 350.5, 600, 1100, 1, 25} // an answer has at least one token
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1 {
			t.Errorf("lengths %v, want %v", got, want)
			break
		}
	}
	span := requests[999].Queued.Sub(0).Seconds()
	if span < 220 || span > 280 {
		t.Errorf("1000 requests at 4/s take %v s", span)
	}
	l.Arrivals = ConstantArrivals
	if at := l.draw()[999].Queued.Sub(0).Seconds(); at != 999.0/4 {
		t.Errorf("at equal distances the last request comes after %v s", at)
	}
	if diff := cmp.Diff(requests[:10], Load{Requests: 1000, Rate: 4, Arrivals: PoissonArrivals, Input: l.Input, Output: l.Output}.drawn()[:10]); diff != "" {
		t.Errorf("drawn again, requests are others:\n%s", diff)
	}
}

func (l Load) drawn() []Request { return l.draw() }

func TestDrawnPromptsShareBeginnings(t *testing.T) {
	l := Load{
		Requests: 400, Rate: 1, Arrivals: ConstantArrivals, PrefixTokens: 100, Prefixes: 3, BlockTokens: 16,
		Input: func(share float64) float64 { return 20 + 400*share }, Output: func(float64) float64 { return 5 },
	}
	first := map[uint64]int{}
	for _, r := range l.draw() {
		if want := min(100, r.InputTokens) / 16; len(r.Blocks) != want || r.BlockTokens != 16 {
			t.Fatalf("%d blocks for %d tokens, want %d", len(r.Blocks), r.InputTokens, want)
		}
		first[r.Blocks[0]]++
	}
	if len(first) != 3 {
		t.Errorf("prompts begin in %d ways", len(first))
	}
}

// A run of which only figures are known is judged by them as one of which all is known.
func TestARunOfFiguresIsJudgedAsOneOfRequests(t *testing.T) {
	whole := ownRun(t)
	figures := FiguresOf(whole.Measured())
	alone := &Run{Name: whole.Name, Engine: whole.Engine, Requests: whole.Requests, Figures: &figures}
	c := latency.DefaultRoofline(whole.Engine.Accelerator)
	a, err := whole.Judge(t.Context(), c, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := alone.Judge(t.Context(), c, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a[0].Measured != b[0].Measured || a[0].Predicted != b[0].Predicted || b[0].MeasuredTimes != nil {
		t.Errorf("judgements differ: %v and %v", a[0].Measured, b[0].Measured)
	}
	figures[TTFT][P95] = math.NaN() // no part of the loss
	p := prediction{figures: b[0].Predicted}
	if got, want := p.distance(nil, figures), p.distance(nil, FiguresOf(whole.Measured())); got != want {
		t.Errorf("without the p95 of TTFT the loss is %v, and %v with it", got, want)
	}
	figures[TTFT][P99] = math.NaN()
	if got := p.distance(nil, figures); math.IsNaN(got) {
		t.Error("a figure that was not measured spoils the loss")
	}
}

func TestARunOfFiguresHasNoFirstRequests(t *testing.T) {
	r := ownRun(t)
	r.Figures, r.Fitted = &Figures{}, 5
	if _, err := Fit(t.Context(), []*Run{r}, Options{Generations: 1}); err == nil {
		t.Error("figures of all requests are fitted as those of the first ones")
	}
}
