// SPDX-License-Identifier: Apache-2.0

package native

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// An engineFigure is a number that a policy reads of what engines export.
type engineFigure struct {
	name, help string
	kind       sandbox.Kind
	// recent says that it is of some time, the parameter window.
	recent bool
	of     func(p *period) float64
}

// engineFigures are all that programs see as signals.
var engineFigures = []engineFigure{
	{"ttft-seconds", "the engine's mean time to first token, from the entry into its queue, in seconds; 0 where no request got one", sandbox.Number, true, func(p *period) float64 { return p.firstTokens().Seconds() }},
	{"tpot-seconds", "the engine's mean time between tokens, in seconds; 0 where none came", sandbox.Number, true, func(p *period) float64 { return p.gaps().Seconds() }},
	{"hit-rate", "the share of the prompt tokens that GPU memory had, 0 to 1; 0 where no prompt came", sandbox.Number, true, (*period).hitRate},
	{"offload-bytes", "bytes that it stored in lower tiers, a second", sandbox.Number, true, (*period).offloadRate},
	{"kv-usage-cpu", "the share of the CPU tier's blocks in use, 0 to 1", sandbox.Number, false, func(p *period) float64 { return p.now.KVUsage[policy.CPUMemory] }},
	{"kv-usage-storage", "the share of the storage tier's blocks in use, 0 to 1", sandbox.Number, false, func(p *period) float64 { return p.now.KVUsage[policy.Storage] }},
	{"estimated-wait-seconds", "how long the requests that wait take to get KV blocks, at the pace of the last 16, in seconds; the router works it out, no engine exports it", sandbox.Number, false, func(p *period) float64 { return p.now.EstimatedWait.Seconds() }},
}

// defaultWindow is over how long recent figures are.
const defaultWindow = 10 * time.Second

func readWindow(r *reader) time.Duration {
	return r.Duration("window", defaultWindow, "the figure is of the last one to two windows; if requests come more rarely, since the request before")
}

// A period is what an engine exported at the last scrape, and at an earlier one.
type period struct {
	now, then policy.Engine
	span      time.Duration
}

func (p *period) firstTokens() time.Duration {
	return p.now.TimeToFirstToken.Since(p.then.TimeToFirstToken).Mean()
}

func (p *period) gaps() time.Duration {
	return p.now.InterTokenLatency.Since(p.then.InterTokenLatency).Mean()
}

func (p *period) hitRate() float64 {
	queries := since(p.now.PrefixCacheQueries, p.then.PrefixCacheQueries)
	if queries == 0 {
		return 0
	}
	return float64(since(p.now.PrefixCacheHits, p.then.PrefixCacheHits)) / float64(queries)
}

func (p *period) offloadRate() float64 {
	if p.span <= 0 {
		return 0
	}
	bytes := int64(0)
	for tier, stored := range p.now.StoredBytes {
		bytes += since(stored, p.then.StoredBytes[tier])
	}
	return float64(bytes) / p.span.Seconds()
}

// since is how much a counter has grown. It began at 0 again if the engine did.
func since(now, then int64) int64 {
	if now < then {
		return now
	}
	return now - then
}

// scraped is what an engine exported at a time.
type scraped struct {
	at     simtime.Time
	engine policy.Engine
}

// engineReader remembers what engines exported one to two windows ago, or at the request before if
// that is longer ago; before the run, that is nothing.
type engineReader struct {
	window       time.Duration
	older, newer []scraped // by endpoint
	period       period    // scratch
}

func newEngineReader(b *builder, window time.Duration) *engineReader {
	b.router.readsEngines = true
	return &engineReader{window: window, older: make([]scraped, b.endpoints), newer: make([]scraped, b.endpoints)}
}

// look returns the period of an endpoint that ends with its last scrape.
func (x *engineReader) look(r *round, e int) *period {
	x.period = period{}
	if r.view.Engines == nil {
		return &x.period
	}
	now, at := &r.view.Engines[e], r.view.Scrapes[e].At
	if at.Sub(x.newer[e].at) >= x.window {
		x.older[e], x.newer[e] = x.newer[e], scraped{at, *now}
	}
	x.period = period{now: *now, then: x.older[e].engine, span: at.Sub(x.older[e].at)}
	return &x.period
}

// figureSignal shows a program a figure of each engine.
type figureSignal struct {
	*engineReader
	of func(*period) float64
}

func (s figureSignal) score(r *round, scores []float64) {
	for i, e := range r.candidates {
		scores[i] = s.of(s.look(r, e))
	}
}

func (figureSignal) ofAnySize() {}

// readFigure reads the signal of a figure.
func readFigure(f *engineFigure, r *reader) func(*builder) scorer {
	window := defaultWindow
	if f.recent {
		window = readWindow(r)
	}
	return func(b *builder) scorer { return figureSignal{newEngineReader(b, window), f.of} }
}

// leastTime prefers endpoints whose engines take little time for something: from 1 for the
// least to 0 for the most, and 1 for all where all take as long.
type leastTime struct {
	*engineReader
	of func(*period) time.Duration
}

func (s leastTime) score(r *round, scores []float64) {
	leastFirst(r, scores, func(e int) int { return int(s.of(s.look(r, e))) })
}

func readRecentTTFT(r *reader) func(*builder) scorer {
	window := readWindow(r)
	return func(b *builder) scorer { return leastTime{newEngineReader(b, window), (*period).firstTokens} }
}

func readRecentTPOT(r *reader) func(*builder) scorer {
	window := readWindow(r)
	return func(b *builder) scorer { return leastTime{newEngineReader(b, window), (*period).gaps} }
}

func readEstimatedWait(*reader) func(*builder) scorer {
	return func(b *builder) scorer {
		return leastTime{newEngineReader(b, defaultWindow), func(p *period) time.Duration { return p.now.EstimatedWait }}
	}
}
