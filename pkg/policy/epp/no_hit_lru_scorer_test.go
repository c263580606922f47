// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// Each step is a request, the scores that it gets and where it goes then.
func TestNoHitLRUScorer(t *testing.T) {
	type step struct {
		blocks []int
		want   []float64
		to     int
	}
	cold := []int{0, 0, 0}
	cases := map[string]struct {
		parameters string
		steps      []step
	}{
		"never used ones first, then the oldest": {"{}", []step{
			{cold, []float64{1, 0.5, 0}, 1},
			{cold, []float64{1, 0, 0.5}, 0},
			{cold, []float64{0, 0.5, 1}, 2},
			{cold, []float64{0.5, 1, 0}, 0},
			{cold, []float64{0, 1, 0.5}, 0},
		}},
		"a hit is neutral, and forgotten": {"{}", []step{
			{cold, []float64{1, 0.5, 0}, 0},
			{[]int{0, 0, 1}, []float64{0.5, 0.5, 0.5}, 1},
			{cold, []float64{0, 1, 0.5}, 1},
		}},
		"a small memory": {"{lruSize: 1}", []step{
			{cold, []float64{1, 0.5, 0}, 0},
			{cold, []float64{0, 1, 0.5}, 1},
			{cold, []float64{1, 0, 0.5}, 2},
		}},
		"one endpoint": {"{}", []step{{[]int{0}, []float64{1}, 0}, {[]int{0}, []float64{1}, 0}, {[]int{3}, []float64{0.5}, 0}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			endpoints := len(tc.steps[0].blocks)
			s := plant(t, "plugins: [{type: no-hit-lru-scorer, parameters: "+tc.parameters+"}]", unlabelled(endpoints)...)
			for n, step := range tc.steps {
				s.hold(10, step.blocks...)
				if diff := cmp.Diff(step.want, s.Decide(idle(endpoints), request(n, 640)).Scores); diff != "" {
					t.Errorf("step %d: scores (-want +got):\n%s", n, diff)
				}
				s.Staged.Decode.Scorers[0].Scorer.(scheduler.PickListener).Routed(&s.Cycle, scheduler.Picks{Primary: step.to, Prefill: scheduler.None})
			}
		})
	}
}

// An endpoint that is no candidate keeps its place, and scores end at 0.
func TestNoHitLRUScorerRanksAmongAll(t *testing.T) {
	s := plant(t, "plugins: [{type: no-hit-lru-scorer}, {type: decode-filter}]",
		nil, map[string]string{config.RoleLabel: "prefill"}, map[string]string{config.RoleLabel: "prefill"}, nil)
	scorer := s.Staged.Decode.Scorers[0].Scorer.(*noHitLRU)
	scorer.byColdUse = append(scorer.byColdUse, 1, 2, 3, 0)
	d := s.Decide(idle(4), request(0, 640))
	if diff := cmp.Diff([]int{0, 3}, d.Candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{0, 0}, d.Scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

func TestNoHitLRUScorerSpreadsColdRequests(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: no-hit-lru-scorer}]"), config.Cluster{Endpoints: 4}, 1)
	counts := make([]int, 4)
	for n := range 40 {
		counts[route(t, s, idle(4), request(n, 640))]++
	}
	if diff := cmp.Diff([]int{10, 10, 10, 10}, counts); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// What old versions take for a cold request: the second of the same prompt, which an
// endpoint holds.
func TestOldNoHitLRUScorer(t *testing.T) {
	const before, after = "{type: prefix-cache-scorer, name: p}, {type: no-hit-lru-scorer, parameters: %s}", "{type: no-hit-lru-scorer, parameters: %s}, {type: prefix-cache-scorer, name: p}"
	for name, tc := range map[string]struct {
		version, order, parameters string
		cold                       bool
	}{
		"the name of the scorer":            {"scheduler-v0.5.1", before, "{prefixPluginName: p}", false},
		"not in an order that suits":        {"scheduler-v0.5.1", after, "{prefixPluginName: p}", true},
		"nor by another name":               {"scheduler-v0.6.0", before, "{}", true},
		"nor of another type":               {"scheduler-v0.7.1", before, "{prefixPluginName: p, prefixPluginType: precise-prefix-cache-scorer}", true},
		"the newest that does":              {"scheduler-v0.7.1", before, "{prefixPluginName: p}", false},
		"scheduler-v0.4 wants the type too": {"scheduler-v0.4.0", before, "{prefixPluginName: p}", true},
		"and finds it":                      {"scheduler-v0.4.0", before, "{prefixPluginName: p/prefix-cache-scorer}", false},
	} {
		s := inVersion(t, tc.version, "plugins: ["+fmt.Sprintf(tc.order, tc.parameters)+"]", config.Cluster{Endpoints: 2})
		for range 2 {
			route(t, s, idle(2), request(0, 160))
		}
		d := s.LastResult()
		i := slices.Index(d.Scorers, noHitLRUScorerType)
		if got := d.Weighted[i][0] != 0.5; got != tc.cold {
			t.Errorf("%s: scores %v, want a cold request: %t", name, d.Weighted[i], tc.cold)
		}
	}
}

// An endpoint that is no candidate keeps a request warm for old versions.
func TestOldNoHitLRUScorerAsksOfAll(t *testing.T) {
	s := inVersion(t, "scheduler-v0.5.1", "plugins: [{type: decode-filter}, {type: prefix-cache-scorer}, {type: no-hit-lru-scorer}]", config.Cluster{Endpoints: 2})
	held := route(t, s, idle(2), request(0, 160))
	view := idle(2)
	view.Down = []bool{held == 0, held == 1}
	route(t, s, view, request(0, 160))
	if got := s.LastResult().Weighted[1]; got[0] != 0.5 {
		t.Errorf("scores %v", got)
	}
}

// A scorer of the second profile reads what one in the first has left, and only
// scheduler-v0.4 does not follow its pick.
func TestOldNoHitLRUScorerOfTwoProfiles(t *testing.T) {
	const body = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: prefix-cache-scorer}
- {type: no-hit-lru-scorer, parameters: {prefixPluginName: %s}}
- {type: pd-profile-handler}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: no-hit-lru-scorer}]}
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: prefix-cache-scorer}]}`
	for version, tc := range map[string]struct {
		name string
		used int
	}{
		"scheduler-v0.4.0": {"prefix-cache-scorer/prefix-cache-scorer", 1},
		"scheduler-v0.5.1": {"prefix-cache-scorer", 2},
	} {
		s := inVersion(t, version, fmt.Sprintf(body, tc.name), config.Cluster{Endpoints: 3, Labels: roleLabels("prefill", "decode", "prefill")})
		route(t, s, idle(3), request(0, 160))
		if got := s.LastResult().Prefill.Scores; got[0] != 1 || got[1] != 0 {
			t.Errorf("%s: a cold request has scores %v", version, got)
		}
		lru := s.Staged.Prefill.Scorers[0].Scorer.(*noHitLRU)
		if len(lru.byColdUse) != tc.used {
			t.Errorf("%s: used %v, want %d", version, lru.byColdUse, tc.used)
		}
		route(t, s, idle(3), request(0, 160))
		if got := s.LastResult().Prefill.Scores; got[0] != 0.5 {
			t.Errorf("%s: a warm request has scores %v", version, got)
		}
	}
}

// Precise scorers leave all candidates behind, and from scheduler-v0.7 on those that
// hold something.
func TestOldNoHitLRUScorerBesideAPreciseOne(t *testing.T) {
	for version, want := range map[string][2]bool{
		"scheduler-v0.5.1": {false, false},
		"scheduler-v0.6.0": {false, false},
		"scheduler-v0.7.1": {true, false},
	} {
		p := &preciseCase{T: t, blockTokens: 64, Scheduler: inVersion(t, version, `plugins:
- {type: precise-prefix-cache-scorer, parameters: {tokenProcessorConfig: {blockSize: 64}, kvEventsConfig: {zmqEndpoint: tcp}, indexerConfig: {tokenizersPoolConfig: {modelName: m, local: {}, uds: {socketFile: s}}}}}
- {type: no-hit-lru-scorer, parameters: {prefixPluginType: precise-prefix-cache-scorer, prefixPluginName: precise-prefix-cache-scorer}}`, config.Cluster{Endpoints: 2})}
		var got [2]bool
		for i := range got {
			p.ask(time.Duration(i), 1, 640)
			got[i] = p.LastResult().Weighted[1][0] != 0.5
			p.Stored(0, 1, p.blocks(1, 0, 1), policy.GPUMemory)
		}
		if got != want {
			t.Errorf("%s: cold before and after an endpoint holds a block: %v, want %v", version, got, want)
		}
	}
}
