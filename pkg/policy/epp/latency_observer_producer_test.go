// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const observed = `plugins:
- {name: watch, type: latency-observer-producer-hub, parameters: {minRequests: 2}}
- {name: ttft, type: latency-observation-scorer-hub, parameters: {ttftPercentilesProducerName: watch, explorationRate: 0}}
`

const observedSource = "dataLayer: {sources: [{pluginRef: watch}]}\n"

// feed has endpoint 0 answer after 100 ms and endpoint 1 after 300 ms, four times each, and returns the scores
// of a request at 10 s.
func feed(t *testing.T, body string) []float64 {
	t.Helper()
	s := New(mustLoadFor(t, "router-v0.11", body), config.Cluster{Endpoints: 2}, 1)
	listener := s.Routing().FirstTokens
	answers := map[int]int{}
	for n := range 60 {
		at := simtime.Time(n) * simtime.Time(100*time.Millisecond)
		view := idle(2)
		view.Now = at
		r := request(n, 10)
		e := route(t, s, view, r)
		answers[e]++
		listener.FirstTokenAt(at.Add(time.Duration(100+200*e)*time.Millisecond), r)
		s.FirstToken(r, e)
		s.Finished(r, e)
		if answers[0] >= 4 && answers[1] >= 4 {
			break
		}
	}
	view := idle(2)
	view.Now = simtime.Time(10 * time.Second)
	route(t, s, view, request(100, 10))
	return s.LastResult().Scores
}

// An observer that stands among the sources tells a fast endpoint from a slow one; one that does not tells
// nothing, and all score 1.
func TestLatencyObserver(t *testing.T) {
	if diff := cmp.Diff([]float64{1, 0}, feed(t, observed+observedSource)); diff != "" {
		t.Errorf("scores (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, 1}, feed(t, observed)); diff != "" {
		t.Errorf("scores without a source (−want +got):\n%s", diff)
	}
}

// What is in flight is counted before the request under way.
func TestObserverCountsWhatWasInFlight(t *testing.T) {
	s := plantFor(t, "router-v0.11", observed+observedSource, unlabelled(1)...)
	o := s.Builder.Instances["watch"].(*latencyObserver)
	for n := range 3 {
		route(t, s.Scheduler, idle(1), request(n, 10))
	}
	s.FirstTokenAt(simtime.Time(time.Second), request(2, 10))
	s.FirstTokenAt(simtime.Time(time.Second), request(0, 10))
	s.FirstTokenAt(simtime.Time(time.Second), request(7, 10)) // not in flight
	want := []observation{{simtime.Time(time.Second), 1, 2}, {simtime.Time(time.Second), 1, 0}}
	if diff := cmp.Diff(want, o.endpoints[0].observations, cmp.AllowUnexported(observation{})); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
	view := idle(1)
	view.Down = []bool{true}
	if _, err := s.Route(view, request(9, 10)); err == nil {
		t.Error("a request is routed to no endpoint")
	}
	if n := len(o.endpoints[0].observations); n != 0 {
		t.Errorf("%d observations of an endpoint that is gone", n)
	}
}

// The lines are worked out by hand: the floor 1 s, 2 s with 4 in flight, 6 s with 8.
func TestLatencyObservationScorer(t *testing.T) {
	full := observedLatency{floor: 1, low: 2, typical: 6, inFlightAtLow: 4, inFlightAtTyp: 8, calibrated: true}
	for name, tc := range map[string]struct {
		alter    func(*observedLatency)
		step     float64
		inFlight int64
		want     float64
	}{
		"idle":                       {inFlight: 0, want: 1},
		"below the low one":          {inFlight: 2, want: 1.5},
		"between":                    {inFlight: 6, want: 4},
		"beyond":                     {inFlight: 10, want: 8},
		"too near to each other":     {alter: func(o *observedLatency) { o.inFlightAtLow = 7 }, inFlight: 4, want: 3.5},
		"low below the floor":        {alter: func(o *observedLatency) { o.low = 0.5 }, inFlight: 4, want: 3.5},
		"low above typical":          {alter: func(o *observedLatency) { o.low = 7 }, inFlight: 4, want: 3.5},
		"no load at the low one":     {alter: func(o *observedLatency) { o.inFlightAtLow = 0 }, inFlight: 4, want: 3.5},
		"too few recent ones":        {alter: func(o *observedLatency) { o.calibrated = false }, inFlight: 8, want: 1},
		"no load at the typical one": {alter: func(o *observedLatency) { o.inFlightAtTyp = 0 }, inFlight: 8, want: 1},
		"rounded":                    {step: 0.4, inFlight: 2, want: 1.6},
	} {
		t.Run(name, func(t *testing.T) {
			o := full
			if tc.alter != nil {
				tc.alter(&o)
			}
			s := &observationScorer{
				observationScorerParameters: &observationScorerParameters{MinInflightGap: 2, RoundTTFTStep: tc.step},
				observer:                    &latencyObserver{endpoints: []observedEndpoint{{published: o}}},
				load:                        &scheduler.InFlightLoad{Requests: []int64{tc.inFlight}},
			}
			if got := s.look(0).ttft; got < tc.want-1e-9 || got > tc.want+1e-9 {
				t.Errorf("%v s, want %v s", got, tc.want)
			}
		})
	}
}

// Endpoints that are not known well are explored: about a share of explorationRate of the requests scores 1, the
// others 0 where one is known well.
func TestEndpointsAreExplored(t *testing.T) {
	s := plantFor(t, "router-v0.11", `plugins:
- {name: watch, type: latency-observer-producer-hub}
- {name: ttft, type: latency-observation-scorer-hub, parameters: {ttftPercentilesProducerName: watch, explorationRate: 0.25}}
`+observedSource, unlabelled(2)...)
	o := s.Builder.Instances["watch"].(*latencyObserver)
	o.endpoints[0].published = observedLatency{floor: 1, low: 2, typical: 6, inFlightAtLow: 4, inFlightAtTyp: 8, calibrated: true}
	explored := 0
	for n := range 4000 {
		switch scores := s.Decide(idle(2), request(n, 1)).Scores; {
		case scores[0] != 1:
			t.Fatalf("scores %v", scores)
		case scores[1] == 1:
			explored++
		case scores[1] != 0:
			t.Fatalf("scores %v", scores)
		}
	}
	if explored < 900 || explored > 1100 {
		t.Errorf("%d of 4000 explored", explored)
	}
}

// The observer takes no extractors: the EPP does not start.
func TestObserverTakesNoExtractors(t *testing.T) {
	v := Judge([]byte(header+observed+"- type: core-metrics-extractor\ndataLayer: {sources: [{pluginRef: watch, extractors: [{pluginRef: core-metrics-extractor}]}]}"), "router-v0.11", nil)
	if v.Stage != config.RefusedInStarting || !strings.Contains(v.Errors[0].Error(), "and the source hands out nothing") {
		t.Errorf("%s: %v", v.Stage, v.Errors)
	}
}

func TestParametersOfLatencyObservation(t *testing.T) {
	checkParameterFaultsIn(t, "router-v0.11", config.LatencyObserverProducerType,
		"{intervalDuration: soon, maxObservationAge: '', bucketDuration: -1m, windowSize: 0, maxRequests: 0, minRequests: 0, bucketHistorySize: 1, lowPercentile: 0, typicalPercentile: 100}",
		`intervalDuration: Invalid value: "soon": must be a duration greater than 0, such as 1s`,
		`maxObservationAge: Invalid value: "": must be a duration greater than 0, such as 1s`,
		`bucketDuration: Invalid value: "-1m": must be a duration greater than 0, such as 1s`,
		`windowSize: Invalid value: 0: must be greater than 0`,
		`maxRequests: Invalid value: 0: must be greater than 0`,
		`minRequests: Invalid value: 0: must be greater than 0`,
		`bucketHistorySize: Invalid value: 1: must be at least 2`,
		`lowPercentile: Invalid value: 0: must be greater than 0 and less than typicalPercentile`,
		`typicalPercentile: Invalid value: 100: must be less than 100`)
	checkParameterFaultsIn(t, "router-v0.11", config.LatencyObserverProducerType, "{windowSize: 9, maxRequests: 10, lowPercentile: 50, typicalPercentile: 25}",
		`maxRequests: Invalid value: 10: must be at most windowSize`,
		`lowPercentile: Invalid value: 50: must be greater than 0 and less than typicalPercentile`)
	checkParameterFaultsIn(t, "router-v0.11", "latency-observation-scorer-hub", "{explorationRate: 1.5, minInflightGap: 0, roundTTFTStep: -1}",
		`explorationRate: Invalid value: 1.5: must be from 0 to 1`,
		`minInflightGap: Invalid value: 0: must be greater than 0`,
		`roundTTFTStep: Invalid value: -1: must not be negative`)
}
