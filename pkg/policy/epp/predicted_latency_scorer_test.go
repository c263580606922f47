// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// oldPredictor is a scheduler of some version with a predicted-latency-scorer that
// takes the greatest weight, and plain models.
func oldPredictor(t *testing.T, version, gates string, endpoints int) (*scheduler.Scheduler, *predictedSelection, []*plainLatency) {
	t.Helper()
	const body = `plugins:
- {type: prefix-cache-scorer}
- {type: predicted-latency-scorer, parameters: {selectionMode: max, epsilonExploreSticky: 0, epsilonExploreNeg: 0}}
- {type: max-score-picker}
schedulingProfiles: [{name: default, plugins: [{pluginRef: predicted-latency-scorer}, {pluginRef: max-score-picker}]}]`
	cluster := config.Cluster{Endpoints: endpoints}
	models := make([]*plainLatency, endpoints)
	for e := range models {
		models[e] = &plainLatency{}
		cluster.Latencies = append(cluster.Latencies, models[e])
	}
	s := inVersion(t, version, gates+body, cluster)
	return s, s.Staged.Decode.Scorers[0].Scorer.(*predictedSelection), models
}

// What old versions know when they predict. The first of three endpoints computes 192
// tokens, of which it holds half of the request's; the second one has two waiting and
// three running; the third one has nothing.
func TestWhatOldPredictionsKnow(t *testing.T) {
	type known struct {
		Cached, InFlight int
		Queued           int64
		Headroom         float64 // of 1000 ms to the first token
	}
	for name, tc := range map[string]struct {
		version, gates string
		want           [3]known
	}{
		"neither prefix nor promise":  {"gie-v1.3.1", "", [3]known{{0, 0, 0, -192}, {0, 5, 384, -576}, {0, 0, 0, -192}}},
		"both behind the gate":        {"scheduler-v0.6.0", prepared, [3]known{{96, 0, 0, 904}, {0, 5, 384, 424}, {0, 0, 0, 808}}},
		"nothing at all":              {"gie-v1.4.0", "", [3]known{}},
		"nothing but behind the gate": {"gie-v1.4.0", prepared, [3]known{{96, 0, 0, 904}, {0, 5, 384, 424}, {0, 0, 0, 808}}},
		"its own counts":              {"gie-v1.5.0", "", [3]known{{96, 1, 192, 712}, {0, 0, 0, 808}, {0, 0, 0, 808}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, scorer, models := oldPredictor(t, tc.version, tc.gates, 3)
			view := idle(3)
			view.Down = []bool{false, true, true}
			route(t, s, view, withPrompt(0, prompt.Extent{Source: 1, Tokens: 192}))
			view = idle(3)
			view.Scrapes[1] = policy.Scrape{Waiting: 2, Running: 3}
			again := withPrompt(1, prompt.Extent{Source: 1, Tokens: 96}, prompt.Extent{Source: 2, Tokens: 96})
			route(t, s, view, stating(again, time.Second, time.Second))
			var got [3]known
			for e, m := range models {
				if scorer.prediction.Known[e] {
					got[e] = known{m.told.CachedTokens, m.told.InFlight, m.told.QueuedTokens, scorer.prediction.TtftHeadroom[e]}
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("known (-want +got):\n%s", diff)
			}
		})
	}
}

// The endpoint that is chosen scores 1 and the others 0. Without predictions that goes
// by queues and memory.
func TestPredictedLatencyScorer(t *testing.T) {
	for name, tc := range map[string]struct {
		version, gates string
		want           []float64
	}{
		"least deficit":           {"gie-v1.3.1", "", []float64{0, 1}}, // of 0 ms
		"without any predictions": {"gie-v1.4.0", "", []float64{0, 1}},
		"least room":              {"gie-v1.4.0", prepared, []float64{1, 0}},
		"as it knows no queue":    {"gie-v1.5.0", "", []float64{1, 0}},
	} {
		s, _, _ := oldPredictor(t, tc.version, tc.gates, 2)
		view := idle(2)
		view.Scrapes[0] = policy.Scrape{Waiting: 1}
		for n := range 2 { // the first one leaves a mean length of prompts
			r := stating(request(n, 200), time.Second, time.Second)
			s.Finished(r, route(t, s, view, r))
		}
		if diff := cmp.Diff(tc.want, s.LastResult().Scores); diff != "" {
			t.Errorf("%s: scores (-want +got):\n%s", name, diff)
		}
	}
}

// Requests of negative priority are turned away where no endpoint keeps both promises
// and all run something and are warm.
func TestPredictedLatencyScorerTurnsAway(t *testing.T) {
	for name, tc := range map[string]struct {
		version, gates string
		priority       int
		ttft, tpot     time.Duration
		warm, want     bool
	}{
		"too late":             {"gie-v1.5.0", "", -1, time.Millisecond, time.Second, true, true},
		"in time":              {"gie-v1.5.0", "", -1, time.Second, time.Second, true, false},
		"promised nothing":     {"gie-v1.5.0", "", -1, time.Millisecond, 0, true, false},
		"cold":                 {"gie-v1.5.0", "", -1, time.Millisecond, time.Second, false, false},
		"not sheddable":        {"gie-v1.5.0", "", 0, time.Millisecond, time.Second, true, false},
		"behind the gate":      {"gie-v1.4.0", prepared, -1, time.Millisecond, time.Second, true, true},
		"and not without":      {"gie-v1.4.0", "", -1, time.Millisecond, time.Second, true, false},
		"nor in older ones":    {"gie-v1.3.1", prepared, -1, time.Millisecond, time.Second, true, false},
		"not while it is idle": {"gie-v1.5.0", "", -2, time.Millisecond, time.Second, true, false},
	} {
		s, _, _ := oldPredictor(t, tc.version, tc.gates, 1)
		view := idle(1)
		if tc.warm {
			view.Scrapes[0].KVUsage = 0.02
		}
		if tc.priority > -2 {
			route(t, s, view, request(0, 100))
		}
		r := stating(request(1, 100), tc.ttft, tc.tpot)
		r.Priority = tc.priority
		if _, err := s.Route(view, r); errors.Is(err, policy.ErrShed) != tc.want {
			t.Errorf("%s: %v, want shed: %t", name, err, tc.want)
		}
	}
}

// In no profile it matters where it predicts for all.
func TestPredictedLatencyScorerInNoProfile(t *testing.T) {
	const body = `plugins: [{type: predicted-latency-scorer}, {type: queue-scorer}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer}]}]`
	for version, want := range map[string]config.Treatment{"gie-v1.3.1": config.NoEffect, "gie-v1.4.0": config.NoEffect, "gie-v1.5.0": config.Approximated} {
		c, errs := Load([]byte(oldHeader+body), version, inline)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		if got := c.Report(nil)[0].Treatment; got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

func TestParametersOfPredictedLatencyScorer(t *testing.T) {
	const parameters = "{samplingMean: 0, maxSampledTokens: 0, sloBufferFactor: 0, negHeadroomTTFTWeight: -1, compositeKVWeight: -1, epsilonExploreNeg: 1.1, affinityGateTau: -0.1, affinityMaxTTFTPenaltyMs: -1}"
	at := "inline.plugins[0].parameters."
	sampled, penalty := at+"maxSampledTokens: Invalid value: 0: must be greater than 0", at+"affinityMaxTTFTPenaltyMs: Invalid value: -1: must not be negative"
	always := []string{
		at + "samplingMean: Invalid value: 0: must be greater than 0",
		at + "sloBufferFactor: Invalid value: 0: must be greater than 0",
		at + "negHeadroomTTFTWeight: Invalid value: -1: must not be negative",
		at + "compositeKVWeight: Invalid value: -1: must not be negative",
		at + "epsilonExploreNeg: Invalid value: 1.1: must be at most 1",
		at + "affinityGateTau: Invalid value: -0.1: must not be negative",
	}
	for version, others := range map[string][]string{"gie-v1.3.1": {sampled}, "gie-v1.4.0": nil, "gie-v1.5.0": {penalty}} {
		_, errs := Load([]byte(oldHeader+"plugins: [{type: predicted-latency-scorer, parameters: "+parameters+"}]"), version, inline)
		got := map[string]bool{}
		for _, text := range errorTexts(errs) {
			got[text] = true
		}
		want := map[string]bool{}
		for _, text := range append(always, others...) {
			want[text] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: errors (-want +got):\n%s", version, diff)
		}
	}
}
