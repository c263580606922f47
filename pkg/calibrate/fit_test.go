// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
)

func TestAFitFindsTheCoefficientsThatMadeTheLog(t *testing.T) {
	run := ownRun(t)
	fitted, err := Fit(t.Context(), []*Run{run}, Options{Workers: 2, Generations: 80})
	if err != nil {
		t.Fatal(err)
	}
	c := fitted.First()
	truth := ownCoefficients.roofline(run.Engine.Instance)
	closeTo := func(what string, got, want, tolerance float64) {
		t.Helper()
		if d := got/want - 1; math.Abs(d) > tolerance {
			t.Errorf("%s: %v, want %v; it is off by %.1f %%", what, got, want, 100*d)
		}
	}
	closeTo("memory efficiency", c.MemoryEfficiency, truth.MemoryEfficiency, 0.06)
	closeTo("prefill efficiency", c.PrefillEfficiency, truth.PrefillEfficiency, 0.06)
	// Coefficients trade against each other; what they make of a step does not.
	found, made := run.Engine.Roofline(c), run.Engine.Roofline(truth)
	for name, s := range map[string]latency.Step{
		"one decode":            {Sequences: 1, DecodeTokens: 1, SampledTokens: 1, ContextTokens: 500, AttentionPairs: 500, DecodePairs: 500},
		"a full batch decoding": {Sequences: 40, DecodeTokens: 40, SampledTokens: 40, ContextTokens: 18000, AttentionPairs: 18000, DecodePairs: 18000},
		"a chunk of a prompt":   {Sequences: 1, PrefillTokens: 1024, ContextTokens: 1024, AttentionPairs: 1024 * 1025 / 2},
	} {
		closeTo(name, float64(found.StepTime(s)), float64(made.StepTime(s)), 0.02)
	}
	judgements, err := run.Judge(t.Context(), c, false, 2)
	if err != nil {
		t.Fatal(err)
	}
	for m, statistics := range judgements[0].Errors() {
		if e := statistics[Mean]; math.Abs(e) > 0.005 {
			t.Errorf("mean %v is off by %.2f %%", Metric(m), 100*e)
		}
	}
}

func TestAFitDoesNotDependOnItsWorkers(t *testing.T) {
	run := ownRun(t)
	run.Requests = run.Requests[:40]
	var results []latency.RooflineCoefficients
	for _, workers := range []int{0, 1, 5} {
		fitted, err := Fit(t.Context(), []*Run{run}, Options{Workers: workers, Generations: 3})
		if err != nil {
			t.Fatal(err)
		}
		c := fitted.First()
		results = append(results, c)
	}
	if diff := cmp.Diff(results[0], results[1]) + cmp.Diff(results[0], results[2]); diff != "" {
		t.Errorf("coefficients differ:\n%s", diff)
	}
}

func TestAFitDoesNotSeeWhatIsHeldBack(t *testing.T) {
	fit := func(change func(*Run)) latency.RooflineCoefficients {
		run := ownRun(t)
		run.Requests = run.Requests[:40]
		run.Fitted = 30
		change(run)
		fitted, err := Fit(t.Context(), []*Run{run}, Options{Generations: 3})
		if err != nil {
			t.Fatal(err)
		}
		c := fitted.First()
		return c
	}
	slower := func(from, to int) func(*Run) {
		return func(run *Run) {
			for i := from; i < to; i++ {
				run.Requests[i].LastToken += 5e9
			}
		}
	}
	as := fit(func(*Run) {})
	if diff := cmp.Diff(as, fit(slower(30, 40))); diff != "" {
		t.Errorf("other times of requests that are held back give other coefficients:\n%s", diff)
	}
	if cmp.Equal(as, fit(slower(0, 30))) {
		t.Error("other times of requests that are seen give the same coefficients")
	}
}

func TestAFitTellsOfItsProgress(t *testing.T) {
	run := ownRun(t)
	run.Requests = run.Requests[:5]
	var seen []int
	_, err := Fit(t.Context(), []*Run{run}, Options{Workers: 3, Generations: 2, Progress: func(done, total int) {
		if want := generationSize * (earlyReplays + lateReplays); total != want {
			t.Fatalf("%d replays in all, want %d", total, want)
		}
		seen = append(seen, done)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(seen); n != 2*generationSize || seen[n-1] != generationSize*(earlyReplays+lateReplays) {
		t.Errorf("progress was %v", seen)
	}
}

func TestWhatCannotBeFitted(t *testing.T) {
	if _, err := Fit(t.Context(), nil, Options{}); err == nil {
		t.Error("a fit without runs is no error")
	}
	if _, err := Fit(t.Context(), []*Run{NewRun("empty", ownEngine(), nil)}, Options{}); err == nil || !strings.Contains(err.Error(), "empty: a run without requests") {
		t.Errorf("a run without requests: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Fit(cancelled, []*Run{ownRun(t)}, Options{Generations: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled fit: %v", err)
	}
	small := ownRun(t)
	small.Engine.KVBlocks = 50
	if _, err := Fit(t.Context(), []*Run{small}, Options{Generations: 1}); err == nil || !strings.Contains(err.Error(), "check the KV blocks and the model length") {
		t.Errorf("an engine that refuses requests: %v", err)
	}
}

func TestSharesBeyondTheirBoundsAreHeldAndPaidFor(t *testing.T) {
	c := ownCoefficients
	if got, outside := at(c.point(five), five); outside != 0 || math.Abs(got[memoryShare]-c[memoryShare]) > 1e-12 {
		t.Errorf("inside: %v, %v", got, outside)
	}
	c[flopsShare] = 1.1
	if got, outside := at(c.point(five), five); outside <= 0 || got[flopsShare] != 1 {
		t.Errorf("outside: %v, %v", got, outside)
	}
}
