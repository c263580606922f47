// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestRequestsOfNegativePriorityAreShedWhereThePoolIsSaturated(t *testing.T) {
	saturated := []policy.Scrape{{Waiting: 5}, {KVUsage: 0.9}}
	cases := map[string]struct {
		body     string
		scrapes  []policy.Scrape
		priority int
		want     bool
	}{
		"no priority":             {"", saturated, 0, false},
		"negative":                {"", saturated, -1, true},
		"negative, and room":      {"", []policy.Scrape{{Waiting: 5}, {KVUsage: 0.79}}, -1, false},
		"the mean counts":         {"", []policy.Scrape{{Waiting: 9}, {KVUsage: 0.16}}, -1, true},
		"a stale endpoint is 1":   {"", []policy.Scrape{{Waiting: 5}, {At: simtime.Time(-200*time.Millisecond - 1)}}, -1, true},
		"just not stale":          {"", []policy.Scrape{{Waiting: 5}, {At: simtime.Time(-200 * time.Millisecond)}}, -1, false},
		"another detector":        {"plugins: [{type: concurrency-detector}]\nflowControl: {saturationDetector: {pluginRef: concurrency-detector}}", saturated, -1, false},
		"metrics that nobody has": {"plugins: [{type: inflight-load-producer}]\ndataLayer: {injectDefaults: false}", []policy.Scrape{{}, {}}, -1, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := New(mustLoad(t, tc.body), config.Cluster{Endpoints: 2}, 1)
			r := request(0, 1)
			r.Priority = tc.priority
			_, err := s.Route(&policy.View{Scrapes: tc.scrapes}, r)
			if errors.Is(err, policy.ErrShed) != tc.want || tc.want && !errors.Is(err, policy.ErrNoEndpoint) {
				t.Errorf("error %v, want shed: %t", err, tc.want)
			}
		})
	}
}

// What changed before a request that was shed is not lost on the next one.
func TestSheddingForgetsNoChange(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: queue-scorer}]"), config.Cluster{Endpoints: 2}, 1)
	view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 9}, {Waiting: 4}}, Changed: []int32{}}
	if e := route(t, s, view, request(0, 1)); e != 1 {
		t.Fatalf("chose %d", e)
	}
	view.Scrapes[1].Waiting, view.Changed = 20, []int32{1}
	r := request(1, 1)
	r.Priority = -1
	if _, err := s.Route(view, r); !errors.Is(err, policy.ErrShed) {
		t.Fatalf("error %v", err)
	}
	if d := s.LastResult(); d.Chosen != -1 || len(d.Candidates) != 0 {
		t.Errorf("decision %+v", d)
	}
	view.Changed = []int32{}
	if e := route(t, s, view, request(2, 1)); e != 0 {
		t.Errorf("chose %d by old scrapes", e)
	}
}

func TestProbabilisticAdmitter(t *testing.T) {
	view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 3}, {KVUsage: 0.08}}}
	cases := map[string]struct {
		parameters string
		priority   int
		want       float64
	}{
		"defaults":           {"{}", -1, 300 * 0.35 * 0.35 * 0.35 * 0.35 * 0.35 / 1},
		"no priority":        {"{}", 0, 0},
		"another law":        {"{power: 1, k: 1}", -2, 0.35},
		"a power":            {"{power: 2, k: 4}", -1, 4 * 0.35 * 0.35},
		"other thresholds":   {"{power: 1, k: 0.5, queueDepthThreshold: 6, kvCacheUtilThreshold: 0.16}", -1, 0.25},
		"certain at the top": {"{k: 1e9}", -1, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := New(mustLoad(t, "plugins: [{type: probabilistic-admitter, parameters: "+tc.parameters+"}]"), config.Cluster{Endpoints: 2}, 1)
			shed := 0.0
			for n := range 4000 {
				r := request(n, 1)
				r.Priority = tc.priority
				if _, err := s.Route(view, r); errors.Is(err, policy.ErrShed) {
					shed++
				}
			}
			if want := min(tc.want, 1); shed/4000 < want-0.04 || shed/4000 > want+0.04 {
				t.Errorf("a share of %v was turned away, want %v", shed/4000, want)
			}
		})
	}
	checkParameterFaults(t, "probabilistic-admitter", "{queueDepthThreshold: 0, kvCacheUtilThreshold: 0, power: -1, k: 0}",
		`queueDepthThreshold: Invalid value: 0: must be greater than 0`,
		`kvCacheUtilThreshold: Invalid value: 0: must be greater than 0`,
		`power: Invalid value: -1: must be greater than 0`,
		`k: Invalid value: 0: must be greater than 0`)
}
