// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// recorded is what this version of the engine makes of a fixed set of
// scenarios, on every architecture.
const recorded = "40f8d552ae4050cf87ff31f2029ca85ac1b75e7ff9db4bf32c90f511d6985d2c"

// TestResultsChangeOnlyWithTheEngineVersion is a recording. Where a change of
// behaviour is meant, EngineVersion and the digest change together.
func TestResultsChangeOnlyWithTheEngineVersion(t *testing.T) {
	digest := sha256.New()
	fmt.Fprintln(digest, simulator.EngineVersion)
	for seed := range uint64(200) {
		o, err := Run(context.Background(), recordedConfig(seed))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(digest, o.End, o.Measured, recordedUses(o.Replicas))
		for i := range o.Cells {
			c := &o.Cells[i]
			fmt.Fprintln(digest, c.Pool, c.Tenant, c.Class, c.Arrived, c.Completed, c.Rejected, c.Unfinished, c.RejectedBy[:simulator.ExceedsKVCache+1],
				c.Good, c.MetTTFT, c.MetTPOT, c.MetE2E, c.PromptTokens, c.CachedTokens, c.OutputTokens, c.Preemptions, c.RecomputedTokens)
			for _, h := range []*stats.Histogram{&c.TTFT, &c.EngineTTFT, &c.TPOT, &c.ITL, &c.E2E, &c.Queueing} {
				fmt.Fprintln(digest, h.Count(), h.Mean(), h.Quantile(0.5), h.Quantile(0.99))
			}
		}
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != recorded {
		t.Errorf("results differ from those of engine version %s\n got %s\nwant %s", simulator.EngineVersion, got, recorded)
	}
}

// recordedUse holds the figures of a replica that the recording is of.
type recordedUse struct {
	Pool                   int
	Busy                   time.Duration
	Steps, Served          int64
	PeakKV, MeanKV         float64
	Preemptions, Evictions int64
}

func recordedUses(all []simulator.ReplicaUse) []recordedUse {
	uses := make([]recordedUse, len(all))
	for i, u := range all {
		uses[i] = recordedUse{u.Pool, u.Busy, u.Steps, u.Served, u.PeakKV, u.MeanKV, u.Preemptions, u.Evictions}
	}
	return uses
}

// recordedConfig is scenario number seed of the recording. It depends on nothing
// but the simulator's own types, so that the recording changes with behaviour
// alone; do not change it.
func recordedConfig(seed uint64) simulator.Config {
	state := seed
	below := func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state>>33) % n
	}
	c := simulator.Config{
		Pools: []simulator.Pool{{
			Name: "pool", Replicas: 1 + below(3), Timer: recordedStep{},
			BlockTokens: 4, KVBlocks: 20 + below(60), PrefixCaching: below(4) > 0,
			MaxNumSeqs: 2 + below(8), MaxNumBatchedTokens: 8 + below(60),
			LongPrefillTokens: below(3) * 8, ReserveFullPrompt: below(2) == 0,
			Scheduler: []scheduling.Factory{scheduling.FCFS, scheduling.Priority, scheduling.ShortestPrompt}[below(3)],
		}},
		Policies: policy.RoutedBy(toFewest{}), Seed: int64(seed), ScrapeInterval: 500,
		Targets: []simulator.Target{{TTFT: 900, TPOT: 90, E2E: 3000}},
		Horizon: simulator.Horizon{WarmUp: time.Duration(below(2) * 2000), Drain: time.Hour},
	}
	if below(3) == 0 {
		c.Pools[0].Cost = latency.RequestCost{QueueBase: 30, QueuePerInputToken: 1, PerOutputToken: 5, Completion: 7}
	}
	source := &script{}
	at := simtime.Time(0)
	for id := range 80 {
		at += simtime.Time(below(2) * below(300))
		text := prompt.Prompt{}.Append(prompt.Extent{Source: uint64(1 + below(3)), Tokens: int32(below(24))})
		if earlier := below(6); earlier > 0 && earlier <= id {
			text = text.Append(prompt.Extent{Source: uint64(100 + id - earlier), Tokens: int32(below(20))})
		}
		source.requests = append(source.requests, workload.Request{
			ID: id, Arrival: at, Prompt: text.Append(prompt.Extent{Source: uint64(10000 + id), Tokens: int32(1 + below(16))}),
			OutputTokens: 1 + below(24), Response: uint64(100 + id), Priority: below(3),
		})
	}
	c.Source = source
	return c
}

// recordedStep is a timer in which every sum of a step shows.
type recordedStep struct{}

func (recordedStep) StepTime(s latency.Step) time.Duration {
	return time.Duration(20 + s.Sequences + 2*s.PrefillTokens + 3*s.DecodeTokens + s.SampledTokens +
		int(s.AttentionPairs+s.DecodePairs+s.ContextTokens+s.DoublePromptPairs)/32)
}

// toFewest sends a request to the endpoint with the fewest scraped requests.
type toFewest struct{}

func (toFewest) Route(v *policy.View, _ *policy.Request) (policy.Route, error) {
	best := 0
	for i := range v.Scrapes {
		if loadOf(v.Scrapes[i]) < loadOf(v.Scrapes[best]) {
			best = i
		}
	}
	return policy.To(best), nil
}
