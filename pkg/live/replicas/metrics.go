// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"github.com/prometheus/client_golang/prometheus"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// Metrics is what the metrics endpoint of a replica shows. Counters and histograms are since its start; histograms go on.
type Metrics struct {
	// Running and Waiting count requests.
	Running, Waiting int
	// KVUsage is the share of KV blocks in use, 0 to 1, Blocks how many there are, of BlockTokens
	// tokens.
	KVUsage             float64
	Blocks, BlockTokens int
	// PrefixCaching says that requests reuse the blocks of equal prefixes.
	PrefixCaching bool
	// PrefixCacheQueries and PrefixCacheHits count tokens.
	PrefixCacheQueries, PrefixCacheHits int64
	// Preemptions counts requests that were taken out of the batch.
	Preemptions int64
	// RunningAdapters and WaitingAdapters are LoRA adapters by name, MaxAdapters how many fit in;
	// 0 where the replica serves none.
	RunningAdapters, WaitingAdapters []string
	MaxAdapters                      int
	Totals
}

// Totals are what the requests of a replica come to.
type Totals struct {
	// Completed counts requests, PromptTokens the tokens of the prompts that got their first token,
	// and GenerationTokens those given.
	Completed, PromptTokens, GenerationTokens int64
	// TTFT, ITL, TPOT and E2E are as vLLM's time to first token, inter-token latency, time per output
	// token and end-to-end latency.
	TTFT, ITL, TPOT, E2E prometheus.Histogram
	// Queue, Prefill, Decode and Inference are parts of the time of a request: from its entry to
	// its first step, from there to the first token, from there to the last one, and both together.
	Queue, Prefill, Decode, Inference prometheus.Histogram
}

// counts are the totals of one replica, and what does not change.
type counts struct {
	Totals
	caching     bool
	blockTokens int
}

func newCounts(p *simulator.Pool) counts {
	return counts{caching: p.PrefixCaching, blockTokens: p.BlockTokens, Totals: Totals{
		TTFT: newHistogram(firstTokenBounds), ITL: newHistogram(tokenBounds), TPOT: newHistogram(tokenBounds), E2E: newHistogram(requestBounds),
		Queue: newHistogram(requestBounds), Prefill: newHistogram(requestBounds), Decode: newHistogram(requestBounds), Inference: newHistogram(requestBounds),
	}}
}

// given counts tokens, before the stream has them.
func (c *counts) given(s *Stream, g *simulation.Given) {
	c.GenerationTokens += int64(g.Tokens)
	if s.tokens > 0 {
		c.ITL.Observe(g.At.Sub(s.progress.Last).Seconds())
		return
	}
	c.PromptTokens += int64(s.prompt)
	c.TTFT.Observe(g.At.Sub(s.arrival).Seconds())
}

// completed counts a request that has ended.
func (c *counts) completed(s *Stream, at simtime.Time) {
	p := &s.progress
	c.Completed++
	c.E2E.Observe(at.Sub(s.arrival).Seconds())
	c.Queue.Observe(p.Scheduled.Sub(p.Queued).Seconds())
	c.Prefill.Observe(p.First.Sub(p.Scheduled).Seconds())
	c.Decode.Observe(p.Last.Sub(p.First).Seconds())
	c.Inference.Observe(p.Last.Sub(p.Scheduled).Seconds())
	if s.tokens > 1 {
		c.TPOT.Observe(p.Last.Sub(p.First).Seconds() / float64(s.tokens-1))
	}
}

// Metrics is what a replica shows now.
func (p *Pool) Metrics(replica int) Metrics {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.catchUp() // a pool that has failed shows what was last
	e := p.session.Engine(replica)
	return Metrics{
		Running: e.Running, Waiting: e.Waiting, KVUsage: e.KVUsage, Blocks: e.Blocks, BlockTokens: e.BlockTokens,
		PrefixCaching:      p.counts[replica].caching,
		PrefixCacheQueries: e.Engine.PrefixCacheQueries, PrefixCacheHits: e.Engine.PrefixCacheHits, Preemptions: e.Preemptions,
		RunningAdapters: p.adapters.namesOf(e.Adapters.Active), WaitingAdapters: p.adapters.namesOf(e.Adapters.Waiting), MaxAdapters: e.Adapters.Max,
		Totals: p.counts[replica].Totals,
	}
}

// Lateness is how late tokens were: the wall clock's time less the simulated one, in seconds of the
// wall clock.
func (p *Pool) Lateness() prometheus.Histogram { return p.lateness }

// adapterNumbers numbers LoRA adapters from 1 in order of first use.
type adapterNumbers struct {
	names   []string
	numbers map[string]int
}

func (a *adapterNumbers) of(name string) int {
	if name == "" {
		return 0
	}
	if number, known := a.numbers[name]; known {
		return number
	}
	if a.numbers == nil {
		a.numbers = map[string]int{}
	}
	a.names = append(a.names, name)
	a.numbers[name] = len(a.names)
	return len(a.names)
}

func (a *adapterNumbers) namesOf(numbers []int32) []string {
	var names []string
	for _, n := range numbers {
		names = append(names, a.names[n-1])
	}
	return names
}
