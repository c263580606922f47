// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
)

func TestAReplayGivesTheTimesOfEachRequest(t *testing.T) {
	run := ownRun(t)
	c := ownCoefficients.roofline(run.Engine.Instance)
	got, err := run.Replay(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range run.Measured() {
		// The log is written in microseconds.
		if math.Abs(got[i].TTFT-want.TTFT) > 2e-6 || math.Abs(got[i].E2E-want.E2E) > 2e-6 {
			t.Fatalf("request %d: %+v, and the log made of the same replay has %+v; if the engine was changed, TestWriteOwnRun with -update writes it anew", i, got[i], want)
		}
	}
}

func TestPromptsShareTheBlocksOfEqualIdentities(t *testing.T) {
	e := ownEngine()
	ttft := func(first, second []uint64) float64 {
		run := NewRun("two", e, []Request{
			{InputTokens: 1600, OutputTokens: 1, Blocks: first, BlockTokens: 16, FirstToken: 1},
			{InputTokens: 1600, OutputTokens: 1, Blocks: second, BlockTokens: 16, Queued: 10e9},
		})
		all, err := run.Replay(t.Context(), ownCoefficients.roofline(e.Instance), 0)
		if err != nil {
			t.Fatal(err)
		}
		return all[1].TTFT
	}
	ids := func(from uint64) (all []uint64) {
		for i := range uint64(100) {
			all = append(all, from+i)
		}
		return all
	}
	shared, own, none := ttft(ids(0), ids(0)), ttft(ids(0), ids(500)), ttft(nil, nil)
	if shared > own/2 || own != none {
		t.Errorf("TTFT is %v after an equal prompt, %v after another, %v where nothing is known", shared, own, none)
	}
}

func TestJitterChangesStepsALittleAndTheirMeanNot(t *testing.T) {
	timer := latency.Linear{BaseMicroseconds: 10_000}
	if got := newJitter(timer, 0); got != latency.StepTimer(timer) {
		t.Errorf("replay 0 has the timer %v", got)
	}
	const steps = 10_000
	sum, squares := 0.0, 0.0
	for i := range steps {
		s := latency.Step{Sequences: 1, ContextTokens: int64(i)}
		d := newJitter(timer, 1).StepTime(s)
		if again := newJitter(timer, 1).StepTime(s); again != d {
			t.Fatalf("step %d lasts %v and %v", i, d, again)
		}
		off := float64(d)/float64(10*time.Millisecond) - 1
		sum += off
		squares += off * off
	}
	if mean := sum / steps; math.Abs(mean) > 5*jitterShare/math.Sqrt(steps) {
		t.Errorf("mean change %v", mean)
	}
	if got := math.Sqrt(squares / steps); math.Abs(got/jitterShare-1) > 0.05 {
		t.Errorf("standard deviation %v, want %v", got, jitterShare)
	}
}

func TestReplaysDifferByNumberOnly(t *testing.T) {
	run := ownRun(t)
	c := ownCoefficients.roofline(run.Engine.Instance)
	one, err := run.replays(t.Context(), c, 1, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	three, err := run.replays(t.Context(), c, 1, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one, three); diff != "" {
		t.Errorf("side by side (−one by one):\n%s", diff)
	}
	if cmp.Equal(one[0], one[1]) {
		t.Error("two replays are equal")
	}
}

func TestAJudgementIsOfWhatWasHeldBackAndOfTheRest(t *testing.T) {
	run := ownRun(t)
	c := ownCoefficients.roofline(run.Engine.Instance)
	type part struct {
		Name     string
		HeldBack bool
		Requests int
	}
	for name, tc := range map[string]struct {
		fitted   int
		heldBack bool
		want     []part
	}{
		"all was fitted":        {0, false, []part{{"own", false, 140}}},
		"a part was":            {100, false, []part{{"own, first 100 requests", false, 100}, {"own, other 40 requests", true, 40}}},
		"nothing was":           {100, true, []part{{"own", true, 140}}},
		"more than there is is": {1000, false, []part{{"own", false, 140}}},
	} {
		t.Run(name, func(t *testing.T) {
			run.Fitted = tc.fitted
			judgements, err := run.Judge(t.Context(), c, tc.heldBack, 2)
			if err != nil {
				t.Fatal(err)
			}
			var got []part
			for _, j := range judgements {
				got = append(got, part{j.Name, j.HeldBack, len(j.PredictedTimes)})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("judgements (−want +got):\n%s", diff)
			}
		})
	}
}
