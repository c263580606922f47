// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const referenceProfile = `
plugins: [{type: prefix-cache-scorer}, {type: queue-scorer}, {type: kv-cache-utilization-scorer}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-scorer, weight: 3},
  {pluginRef: queue-scorer, weight: 2}, {pluginRef: kv-cache-utilization-scorer, weight: 2}]}]`

// BenchmarkReference routes prompts of a shared prefix and an own part; the
// lists of the prefix index are full.
func BenchmarkReference(b *testing.B) {
	for _, endpoints := range []int{16, 64, 256} {
		b.Run(fmt.Sprintf("endpoints=%d", endpoints), func(b *testing.B) {
			s := New(mustLoad(b, referenceProfile), config.Cluster{Endpoints: endpoints}, 1)
			l := newReferenceLoad(endpoints)
			for range 2000 * endpoints {
				l.step(b, s)
			}
			b.ReportAllocs()
			for b.Loop() {
				l.step(b, s)
			}
		})
	}
}

// guideProfile is what llm-d's guides recommend since 2026: to where the prompt
// is held, unless that is too busy, and there to the fewest tokens.
const guideProfile = `
plugins: [{type: inflight-load-producer}, {type: approx-prefix-cache-producer}, {type: prefix-cache-affinity-filter}, {type: token-load-scorer}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-affinity-filter}, {pluginRef: token-load-scorer}]}]`

// BenchmarkGuide is BenchmarkReference with that profile; the answers of a
// hundred requests are under way.
func BenchmarkGuide(b *testing.B) {
	for _, endpoints := range []int{16, 256} {
		b.Run(fmt.Sprintf("endpoints=%d", endpoints), func(b *testing.B) {
			s := New(mustLoad(b, guideProfile), config.Cluster{Endpoints: endpoints}, 1)
			l := newReferenceLoad(endpoints)
			var underWay [100]int // where the last requests went
			var oldest policy.Request
			step := func() {
				slot := (l.request.ID + 1) % len(underWay)
				if oldest.ID = l.request.ID + 1 - len(underWay); oldest.ID >= 0 {
					s.FirstToken(&oldest, underWay[slot])
					s.Finished(&oldest, underWay[slot])
				}
				l.step(b, s)
				underWay[slot] = s.Staged.Decode.Chosen
			}
			for range 2000 * endpoints {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}

// referenceLoad makes requests in reused memory, and scrapes that follow where
// they are routed: between two requests four endpoints are scraped.
type referenceLoad struct {
	view    policy.View
	load    []float64 // by endpoint
	scraped int
	request policy.Request
	groups  []int32 // drawn beforehand, as lengths are
	lengths []int32
}

func newReferenceLoad(endpoints int) *referenceLoad {
	const draws = 1 << 16
	stream := stats.NewStream(1, "reference")
	l := &referenceLoad{
		view:    policy.View{Scrapes: make([]policy.Scrape, endpoints), Changed: []int32{}},
		load:    make([]float64, endpoints),
		request: policy.Request{ID: -1, Prompt: prompt.Prompt{Extents: make([]prompt.Extent, 2)}},
		groups:  make([]int32, draws),
		lengths: make([]int32, draws),
	}
	for e := range l.view.Scrapes {
		l.view.Scrapes[e] = policy.Scrape{BlockTokens: 16, Blocks: 8192}
	}
	weights := make([]float64, 20*endpoints/16)
	sum := 0.0
	for i := range weights {
		sum += 1 / float64(i+1)
		weights[i] = sum
	}
	for i := range draws {
		for u := stream.Float64() * sum; weights[l.groups[i]] < u; {
			l.groups[i]++
		}
		normal := -6.0
		for range 12 {
			normal += stream.Float64()
		}
		l.lengths[i] = int32(min(max(256+100*normal, 32), 1024))
	}
	return l
}

func (l *referenceLoad) step(b testing.TB, s *scheduler.Scheduler) {
	r := &l.request
	r.ID++
	draw := r.ID % len(l.groups)
	r.Prompt.Extents[0] = prompt.Extent{Source: uint64(l.groups[draw]), Tokens: 1024}
	r.Prompt.Extents[1] = prompt.Extent{Source: uint64(1e6 + r.ID), Tokens: l.lengths[draw]}
	r.Tokens = r.Prompt.Tokens()
	e, err := s.Route(&l.view, r)
	if err != nil {
		b.Fatal(err)
	}
	l.load[e.Endpoint] += 0.04
	l.view.Changed = l.view.Changed[:0]
	for range 4 {
		l.scraped = (l.scraped + 1) % len(l.load)
		l.scrape(l.scraped)
	}
}

// scrape shows the endpoint's load, which decays.
func (l *referenceLoad) scrape(e int) {
	scrape := &l.view.Scrapes[e]
	scrape.KVUsage = min(l.load[e], 1)
	scrape.Waiting = max(0, int(10*(l.load[e]-1)))
	l.load[e] *= 0.8
	l.view.Changed = append(l.view.Changed, int32(e))
}
