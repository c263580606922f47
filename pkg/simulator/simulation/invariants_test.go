// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
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
		requests := config.Source.(*script).requests
		offered := len(requests)
		var arrivals []simtime.Time
		config.Arrived = func(at simtime.Time) { arrivals = append(arrivals, at) }
		s := newSimulation(context.Background(), config)
		check := s.Observers[0].(*invariants)
		o, err := s.run()
		if err != nil {
			t.Fatal(err)
		}
		sum := sumCells(o)
		switch {
		case sum.Arrived > int64(offered) || config.Horizon.WarmUp == 0 && sum.Arrived != int64(s.gateway.Arrived):
			t.Errorf("%d of %d requests arrived, %d taken", sum.Arrived, offered, s.gateway.Arrived)
		case config.Horizon.WarmUp == 0 && sum.OutputTokens != check.tokensDelivered:
			t.Errorf("%d output tokens, the engine gave %d", sum.OutputTokens, check.tokensDelivered)
		case config.Horizon.Drain > 0 && sum.Unfinished > 0:
			t.Errorf("%d unfinished after a long drain", sum.Unfinished)
		case sum.TTFT.Count() < sum.Completed || sum.E2E.Count() != sum.Completed:
			t.Errorf("%d completed, %d TTFT, %d E2E", sum.Completed, sum.TTFT.Count(), sum.E2E.Count())
		case sum.ITL.Count() != sum.OutputTokens-sum.TTFT.Count():
			t.Errorf("%d tokens, %d first, %d gaps", sum.OutputTokens, sum.TTFT.Count(), sum.ITL.Count())
		}
		if len(arrivals) != s.gateway.Arrived {
			t.Errorf("told of %d arrivals of %d", len(arrivals), s.gateway.Arrived)
		}
		for i, at := range arrivals {
			if at != requests[i].Arrival {
				t.Errorf("request %d arrived at %v, told of %v", i, requests[i].Arrival, at)
			}
		}
		for i, r := range o.Replicas {
			if r.MeanKV < 0 || r.MeanKV > r.PeakKV || r.PeakKV > 1 || r.Busy < 0 || r.Busy > o.End.Sub(0) {
				t.Errorf("replica %d: %+v in %v", i, r, o.End)
			}
		}
		if sum.Unfinished+s.Metrics.Cells[measure.Discard].Unfinished == 0 {
			for i := range s.cluster.Replicas {
				if used := s.cluster.Replicas[i].Cache.Used(); used != 0 {
					t.Errorf("replica %d holds %d blocks when all is done", i, used)
				}
			}
		}
	})
}

// sumCells adds up the cells of an outcome.
func sumCells(o *simulator.Result) *simulator.Cell {
	sum := &simulator.Cell{}
	for i := range o.Cells {
		c := &o.Cells[i]
		sum.Arrived += c.Arrived
		sum.Completed += c.Completed
		sum.Rejected += c.Rejected
		sum.Unfinished += c.Unfinished
		sum.Retries += c.Retries
		sum.Good += c.Good
		sum.FirstGood += c.FirstGood
		sum.MetTTFT += c.MetTTFT
		sum.MetTPOT += c.MetTPOT
		sum.MetE2E += c.MetE2E
		sum.PromptTokens += c.PromptTokens
		sum.CachedTokens += c.CachedTokens
		sum.PromisedTokens += c.PromisedTokens
		sum.FoundTokens += c.FoundTokens
		sum.KeptTokens += c.KeptTokens
		sum.OutputTokens += c.OutputTokens
		sum.Drafts += c.Drafts
		sum.DraftTokens += c.DraftTokens
		sum.AcceptedTokens += c.AcceptedTokens
		sum.Preemptions += c.Preemptions
		sum.RecomputedTokens += c.RecomputedTokens
		sum.TTFT.Merge(&c.TTFT)
		sum.EngineTTFT.Merge(&c.EngineTTFT)
		sum.TPOT.Merge(&c.TPOT)
		sum.ITL.Merge(&c.ITL)
		sum.E2E.Merge(&c.E2E)
		sum.Queueing.Merge(&c.Queueing)
		sum.GatewayQueueing.Merge(&c.GatewayQueueing)
		sum.Failed += c.Failed
		sum.TimedOut += c.TimedOut
		sum.Handoffs += c.Handoffs
		sum.Migrated += c.Migrated
		sum.Handoff.Merge(&c.Handoff)
		sum.KVLoad.Merge(&c.KVLoad)
		sum.AdapterWait.Merge(&c.AdapterWait)
	}
	return sum
}
