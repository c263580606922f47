// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const threeWeights = `
plugins:
- type: prefix-cache-scorer
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: active-request-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: active-request-scorer, weight: 1}
  - {pluginRef: max-score-picker}
`

// decisionsWith routes random requests of a few texts among four endpoints, of which one
// or two change between two requests. Half of the requests end at once. changes says
// whether the view tells which endpoints changed.
func decisionsWith(t *testing.T, changes bool, before func(s *scheduler.Scheduler, id int)) []int {
	t.Helper()
	s, random := New(mustLoad(t, threeWeights), config.Cluster{Endpoints: 4}, 1), stats.NewStream(1, "test")
	view := &policy.View{Scrapes: make([]policy.Scrape, 4)}
	for e := range view.Scrapes {
		view.Scrapes[e] = policy.Scrape{BlockTokens: 16, Blocks: 1000}
	}
	var chosen []int
	for id := range 600 {
		changed := []int32{int32(random.IntN(4)), int32(random.IntN(4))}
		for _, e := range changed {
			view.Scrapes[e].Waiting, view.Scrapes[e].KVUsage = random.IntN(6), random.Float64()
		}
		view.Changed = nil
		if changes && id > 0 {
			view.Changed = changed
		}
		before(s, id)
		q := withPrompt(id, prompt.Extent{Source: uint64(random.IntN(5)), Tokens: 320}, prompt.Extent{Source: uint64(100 + id), Tokens: 80})
		endpoint := route(t, s, view, q)
		s.FirstToken(q, endpoint)
		if id%2 == 0 {
			s.Finished(q, endpoint)
		}
		chosen = append(chosen, endpoint)
	}
	return chosen
}

func TestWeightsThatAreSetToWhatTheyAre(t *testing.T) {
	same := func(s *scheduler.Scheduler, _ int) {
		for i, w := range s.Weights() {
			s.SetWeight(i, w.Weight)
		}
	}
	back := func(s *scheduler.Scheduler, _ int) {
		for i, w := range s.Weights() {
			s.SetWeight(i, 17*w.Weight+1)
			s.SetWeight(i, w.Weight)
		}
	}
	untouched := decisionsWith(t, true, func(*scheduler.Scheduler, int) {})
	for name, before := range map[string]func(*scheduler.Scheduler, int){"the same": same, "others and back": back} {
		if diff := cmp.Diff(untouched, decisionsWith(t, true, before)); diff != "" {
			t.Errorf("set to %s (−untouched +got):\n%s", name, diff)
		}
	}
}

// What scorers keep of the last request does not outlive its weight: the decisions are
// those of scorers that look at all endpoints each time. The index and the counters do.
func TestScoresFollowWeightsThatChange(t *testing.T) {
	weights := [][]float64{{3, 2, 2, 1}, {0, 1, 0, 0}, {5, 1, 3, 0}, {1, 0, 9, 2}}
	before := func(s *scheduler.Scheduler, id int) {
		if id%7 == 0 {
			for i, w := range weights[id/7%len(weights)] {
				s.SetWeight(i, w)
			}
		}
	}
	got := decisionsWith(t, true, before)
	if diff := cmp.Diff(decisionsWith(t, false, before), got); diff != "" {
		t.Errorf("decisions (−all endpoints are looked at +got):\n%s", diff)
	}
	if cmp.Equal(got, decisionsWith(t, true, func(*scheduler.Scheduler, int) {})) {
		t.Error("the weights change no decision")
	}
}

func TestTheIndexLivesOnUnderOtherWeights(t *testing.T) {
	s := New(mustLoad(t, threeWeights), config.Cluster{Endpoints: 3, TieBreak: config.TieFirst}, 1)
	only := func(at int) {
		for i := range s.Weights() {
			s.SetWeight(i, 0)
		}
		s.SetWeight(at, 1)
	}
	const byPrefix, byCount = 0, 3
	of := func(text uint64, id int) *policy.Request {
		return withPrompt(id, prompt.Extent{Source: text, Tokens: 640})
	}
	only(byCount)
	placed := map[uint64]int{}
	for text := range uint64(3) {
		placed[text] = route(t, s, idle(3), of(text, int(text)))
	}
	if len(placed) != 3 || placed[0] == placed[1] || placed[1] == placed[2] || placed[0] == placed[2] {
		t.Fatalf("by the count of requests in flight, texts go to %v", placed)
	}
	only(byPrefix)
	for text, endpoint := range placed {
		if got := route(t, s, idle(3), of(text, 10+int(text))); got != endpoint {
			t.Errorf("text %d goes to %d, and %d has its prefix", text, got, endpoint)
		}
	}
	s.Finished(of(1, 1), placed[1])
	only(byCount)
	if got := route(t, s, idle(3), of(9, 20)); got != placed[1] {
		t.Errorf("goes to %d, and %d has the fewest requests in flight", got, placed[1])
	}
}
