// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func seconds(s float64) simtime.Time { return simtime.Time(s * float64(time.Second)) }

func TestAStageIsItsOwnRequestsUpToTheEndOfTheLast(t *testing.T) {
	tallies := newTallies([]v1alpha1.RateStage{
		{Rate: "2", Duration: v1alpha1.PositiveDuration("10s")},
		{Rate: "0", Duration: v1alpha1.PositiveDuration("1m")},
		{Rate: "4", Duration: v1alpha1.PositiveDuration("5s")},
	})
	for _, c := range []simulator.Completion{
		{Arrival: seconds(9), FirstToken: seconds(9.5), LastToken: seconds(30), OutputTokens: 100},
		{Arrival: seconds(70), FirstToken: seconds(71), LastToken: seconds(75), OutputTokens: 100},
		{Arrival: seconds(74), FirstToken: seconds(77), LastToken: seconds(80), OutputTokens: 100},
	} {
		stageOf(tallies, c.Arrival).add(c)
	}
	want := []stage{
		{rate: 2, seconds: 10, tokensPerSecond: 100.0 / 30, meanTTFT: 0.5, p90TTFT: 0.5},
		{rate: 4, seconds: 5, tokensPerSecond: 200.0 / 10, meanTTFT: 2, p90TTFT: 3},
	}
	for i := range want {
		if diff := cmp.Diff(want[i], tallies[i].stage(), cmp.AllowUnexported(stage{})); diff != "" {
			t.Errorf("stage %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestASampleThatIsNotWhatWasPublishedIsRefused(t *testing.T) {
	published, ours := map[string][]stage{}, map[string]measured{}
	for _, profile := range profiles {
		published[profile] = []stage{{rate: 3, seconds: 20}}
		ours[profile] = measured{stages: []stage{{rate: 3, seconds: 20}}}
	}
	if err := checkStages(published, ours); err != nil {
		t.Error(err)
	}
	ours["load"] = measured{stages: []stage{{rate: 4, seconds: 20}}}
	if err := checkStages(published, ours); err == nil {
		t.Error("another rate is accepted")
	}
}

func TestSeedsAreAveraged(t *testing.T) {
	run := func(tokens, ttft, hits float64) measured {
		return measured{stages: []stage{{rate: 3, tokensPerSecond: tokens, meanTTFT: ttft}, {rate: 4, tokensPerSecond: 3 * tokens}}, hitShare: hits, preemptions: 10 * hits}
	}
	want := measured{
		stages:   []stage{{rate: 3, tokensPerSecond: 150, meanTTFT: 2}, {rate: 4, tokensPerSecond: 450}},
		hitShare: 0.5, preemptions: 5, throughputs: []float64{200, 400},
	}
	if diff := cmp.Diff(want, meanOf([]measured{run(100, 1, 0.25), run(200, 3, 0.75)}), cmp.AllowUnexported(measured{}, stage{})); diff != "" {
		t.Errorf("mean (−want +got):\n%s", diff)
	}
}
