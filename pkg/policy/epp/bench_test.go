// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// BenchmarkRoute routes prompts of 1500 tokens with the built-in configuration
// and active-request-scorer; the lists of the prefix index are full.
func BenchmarkRoute(b *testing.B) { benchmarkRoute(b, everythingProfile) }

func benchmarkRoute(b *testing.B, profile string) {
	for _, endpoints := range []int{8, 64} {
		b.Run(fmt.Sprintf("endpoints=%d", endpoints), func(b *testing.B) {
			s := New(mustLoad(b, profile), config.Cluster{Endpoints: endpoints}, 1)
			var view *policy.View
			next := scenario(endpoints, &view)
			step := func() {
				r := next()
				e, _ := s.Route(view, r)
				s.FirstToken(r, e.Endpoint)
				s.Finished(r, e.Endpoint)
			}
			for range 3000 {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}

// BenchmarkTwoProfiles is BenchmarkRoute where a decider is asked who computes
// the prompt.
func BenchmarkTwoProfiles(b *testing.B) { benchmarkRoute(b, twoProfiles) }

// BenchmarkMooncake routes the whole conversation trace once an iteration:
// 12 031 requests of 188 blocks on average, a new scheduler each time.
func BenchmarkMooncake(b *testing.B) {
	requests := mooncake(b)
	c, errs := Load(nil, "", nil)
	if len(errs) > 0 {
		b.Fatal(errs.ToAggregate())
	}
	for _, endpoints := range []int{8, 64} {
		b.Run(fmt.Sprintf("endpoints=%d", endpoints), func(b *testing.B) {
			view := idle(endpoints)
			for e := range view.Scrapes {
				view.Scrapes[e] = policy.Scrape{BlockTokens: 16, Blocks: 30000}
			}
			b.ReportAllocs()
			for b.Loop() {
				s := New(c, config.Cluster{Endpoints: endpoints}, 1)
				for i := range requests {
					if _, err := s.Route(view, &requests[i]); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func mooncake(b *testing.B) []policy.Request {
	file := testfile.Open(b, testdata.File(b, "traces", "mooncake-fast25", "conversation_trace.jsonl"))
	recorded, err := trace.Read(trace.Mooncake, file, "conversation")
	if err != nil {
		b.Fatal(err)
	}
	source := recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, 1)
	var requests []policy.Request
	for {
		r, ok := source.Next()
		if !ok {
			return requests
		}
		requests = append(requests, policy.Request{ID: r.ID, Arrival: r.Arrival, Prompt: r.Prompt, Tokens: r.Prompt.Tokens()})
	}
}

// BenchmarkLoad loads the marshalled built-in configuration, as a sweep does
// for each point.
func BenchmarkLoad(b *testing.B) {
	c, _ := Load(nil, "", nil)
	raw, err := c.MarshalJSON()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := Load(raw, "", nil); len(errs) > 0 {
			b.Fatal(errs.ToAggregate())
		}
	}
}
