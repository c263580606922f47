// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// FuzzInvariants runs scenarios under strain with every check on. Every run
// ends, and its figures add up.
func FuzzInvariants(f *testing.F) {
	for seed := range int64(64) {
		f.Add(randomBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1000 {
			t.Skip("longer than it need be")
		}
		config := randomConfig(data)
		offered := len(config.Source.(*script).requests)
		s := newSimulation(config)
		check := s.observers[0].(*invariants)
		for events := 0; s.step(); events++ {
			if events > 100_000 {
				t.Fatal("it goes on and on")
			}
		}
		o := s.outcome()
		sum := sumCells(o)
		switch {
		case sum.Arrived > int64(offered) || config.Horizon.WarmUp == 0 && sum.Arrived != int64(s.arrived):
			t.Errorf("%d of %d requests arrived, %d taken", sum.Arrived, offered, s.arrived)
		case config.Horizon.WarmUp == 0 && sum.OutputTokens != check.tokensDelivered:
			t.Errorf("%d output tokens, the engine gave %d", sum.OutputTokens, check.tokensDelivered)
		case config.Horizon.Drain > 0 && sum.Unfinished > 0:
			t.Errorf("%d unfinished after a long drain", sum.Unfinished)
		case sum.TTFT.Count() < sum.Completed || sum.E2E.Count() != sum.Completed:
			t.Errorf("%d completed, %d TTFT, %d E2E", sum.Completed, sum.TTFT.Count(), sum.E2E.Count())
		case sum.ITL.Count() != sum.OutputTokens-sum.TTFT.Count():
			t.Errorf("%d tokens, %d first, %d gaps", sum.OutputTokens, sum.TTFT.Count(), sum.ITL.Count())
		}
		for i, r := range o.Replicas {
			if r.MeanKV < 0 || r.MeanKV > r.PeakKV || r.PeakKV > 1 || r.Busy < 0 || r.Busy > o.End.Sub(0) {
				t.Errorf("replica %d: %+v in %v", i, r, o.End)
			}
		}
		if sum.Unfinished+s.metrics.cells[discard].Unfinished == 0 {
			for i := range s.replicas {
				if used := s.replicas[i].cache.Used(); used != 0 {
					t.Errorf("replica %d holds %d blocks when all is done", i, used)
				}
			}
		}
	})
}

// sumCells adds up the cells of an outcome.
func sumCells(o *Outcome) *Cell {
	sum := &Cell{}
	for i := range o.Cells {
		c := &o.Cells[i]
		sum.Arrived += c.Arrived
		sum.Completed += c.Completed
		sum.Rejected += c.Rejected
		sum.Unfinished += c.Unfinished
		sum.Good += c.Good
		sum.MetTTFT += c.MetTTFT
		sum.MetTPOT += c.MetTPOT
		sum.MetE2E += c.MetE2E
		sum.PromptTokens += c.PromptTokens
		sum.CachedTokens += c.CachedTokens
		sum.OutputTokens += c.OutputTokens
		sum.Preemptions += c.Preemptions
		sum.RecomputedTokens += c.RecomputedTokens
		sum.TTFT.Merge(&c.TTFT)
		sum.TPOT.Merge(&c.TPOT)
		sum.ITL.Merge(&c.ITL)
		sum.E2E.Merge(&c.E2E)
		sum.Queueing.Merge(&c.Queueing)
	}
	return sum
}

// TestLazyScrapes holds the scrapes that are worked out afterwards against
// ones taken at each tick.
func TestLazyScrapes(t *testing.T) {
	for seed := range int64(100) {
		config := randomConfig(randomBytes(seed))
		eager := &eagerScrapes{t: t, router: config.Router}
		config.Router = eager
		s := newSimulation(config)
		var next []simtime.Time
		for i := range s.replicas {
			next = append(next, s.replicas[i].nextScrape)
			eager.scrapes = append(eager.scrapes, s.replicas[i].metrics(0))
		}
		for len(s.agenda.heap) > 0 {
			due := s.agenda.heap[0].at
			for i := range s.replicas {
				for ; next[i] <= due && next[i] < 10_000; next[i] = next[i].Add(config.ScrapeInterval) {
					eager.scrapes[i] = s.replicas[i].metrics(next[i])
				}
			}
			if !s.step() {
				break
			}
		}
		if eager.looks == 0 && seed == 0 {
			t.Error("nothing was routed")
		}
	}
}

// eagerScrapes is a router that compares what it sees with what it should.
type eagerScrapes struct {
	t       *testing.T
	router  policy.Router
	scrapes []policy.Scrape
	looks   int
}

func (e *eagerScrapes) Route(v *policy.View, q *policy.Request) (int, error) {
	e.looks++
	for i := range v.Scrapes {
		if v.Scrapes[i] != e.scrapes[i] && v.Now < 10_000 {
			e.t.Errorf("request %d at %v, endpoint %d: got %+v, want %+v", q.ID, v.Now, i, v.Scrapes[i], e.scrapes[i])
		}
	}
	return e.router.Route(v, q)
}

func (e *eagerScrapes) FirstToken(*policy.Request, int) {}
func (e *eagerScrapes) Finished(*policy.Request, int)   {}
func (e *eagerScrapes) Listener() policy.Listener       { return e }
