// SPDX-License-Identifier: Apache-2.0

package result

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// measuredTime is what throughput is over, in words.
const measuredTime = "measured time, from the end of the warm-up to the last event of a measured request, drain included"

// Throughput is per second of the measured span, see [simulator.Result].
type Throughput struct {
	// Requests counts completed requests.
	Requests float64 `json:"requests"`
	// InputTokens counts the prompt tokens of requests that were scheduled,
	// those found in a cache included; OutputTokens generated tokens, once.
	InputTokens  float64 `json:"inputTokens"`
	OutputTokens float64 `json:"outputTokens"`
}

// CacheHit says what the prefix cache gave.
type CacheHit struct {
	// GPU is the share of the prompt tokens of scheduled requests that were
	// in GPU memory when the request was first scheduled; GPUTokens is their
	// number.
	GPU       float64 `json:"gpu"`
	GPUTokens int64   `json:"gpuTokens"`
	// CPU and Storage are what the lower tiers gave beyond that, where there are
	// some; Total is what all of them gave, and Computed the rest.
	CPU           *float64 `json:"cpu,omitempty"`
	CPUTokens     int64    `json:"cpuTokens,omitempty"`
	Storage       *float64 `json:"storage,omitempty"`
	StorageTokens int64    `json:"storageTokens,omitempty"`
	Total         *float64 `json:"total,omitempty"`
	Computed      *float64 `json:"computed,omitempty"`
}

// Tokens counts tokens: of the prompts of scheduled requests, generated ones,
// and those computed again after a preemption.
type Tokens struct {
	Prompt     int64 `json:"prompt"`
	Output     int64 `json:"output"`
	Recomputed int64 `json:"recomputed"`
}

// tokens are those that requests bring, find in caches and get.
var tokens = subject{
	gather: func(in *selection, g *Group) {
		c := &in.sum
		g.Throughput = newThroughput(c, in.outcome.Measured)
		g.CacheHit = in.cacheHit()
		g.Tokens = Tokens{Prompt: c.PromptTokens, Output: c.OutputTokens, Recomputed: c.RecomputedTokens}
		g.Preemptions = c.Preemptions
	},
	families: []family{
		{name: "throughput", labels: requestLabels, statistics: []statistic{
			throughputOf("requests", "completed requests ÷ "+measuredTime, func(t *Throughput) float64 { return t.Requests }),
			throughputOf("inputTokens", "prompt tokens of scheduled requests, cached ones included, ÷ "+measuredTime, func(t *Throughput) float64 { return t.InputTokens }),
			throughputOf("outputTokens", "generated tokens ÷ "+measuredTime, func(t *Throughput) float64 { return t.OutputTokens }),
		}},
		{name: "cacheHit", labels: requestLabels, statistics: []statistic{
			cacheHitOf("gpu", Maximize, "prompt tokens found in GPU memory", func(h *CacheHit) *float64 { return &h.GPU }),
			cacheHitOf("cpu", Maximize, "prompt tokens found in the CPU tier", func(h *CacheHit) *float64 { return h.CPU }).needing(NeedsCPUTier),
			cacheHitOf("storage", Maximize, "prompt tokens found in the storage tier", func(h *CacheHit) *float64 { return h.Storage }).needing(NeedsStorageTier),
			cacheHitOf("total", Maximize, "prompt tokens found in any tier", func(h *CacheHit) *float64 { return h.Total }).needing(NeedsTiers),
			cacheHitOf("computed", Minimize, "prompt tokens found in no tier, and therefore computed,", func(h *CacheHit) *float64 { return h.Computed }).needing(NeedsTiers),
		}},
		single("preemptions", requestLabels, statistic{
			unit: Count, direction: Minimize, help: "evictions of requests from a batch",
			value: countOf(func(g *Group) int64 { return g.Preemptions }),
		}),
		single("recomputedTokens", requestLabels, statistic{
			unit: Count, direction: Minimize, help: "tokens computed again after a preemption",
			value: countOf(func(g *Group) int64 { return g.Tokens.Recomputed }),
		}),
	},
}

func newThroughput(c *simulator.Cell, span time.Duration) *Throughput {
	if span <= 0 {
		return nil
	}
	seconds := span.Seconds()
	return &Throughput{
		Requests:     float64(c.Completed) / seconds,
		InputTokens:  float64(c.PromptTokens) / seconds,
		OutputTokens: float64(c.OutputTokens) / seconds,
	}
}

func throughputOf(name, help string, of func(*Throughput) float64) statistic {
	return statistic{name: name, unit: PerSecond, direction: Maximize, help: help, value: func(g *Group) (float64, bool) {
		if g.Throughput == nil {
			return 0, false
		}
		return of(g.Throughput), true
	}}
}

// cacheHit says what the caches of a pool, or of all, gave to some requests;
// nil where none was scheduled.
func (in *selection) cacheHit() *CacheHit {
	c := &in.sum
	share := ratio(c.CachedTokens, c.PromptTokens)
	if share == nil {
		return nil
	}
	hit := &CacheHit{GPU: *share, GPUTokens: c.CachedTokens}
	total := c.CachedTokens
	for kind := range simulator.TierKinds {
		tokens := c.TierTokens[kind]
		total += tokens
		if !in.hasTier(kind) {
			continue
		}
		switch share := ratio(tokens, c.PromptTokens); kind {
		case simulator.CPUTier:
			hit.CPU, hit.CPUTokens = share, tokens
		case simulator.StorageTier:
			hit.Storage, hit.StorageTokens = share, tokens
		}
		hit.Total = ratio(total, c.PromptTokens)
		hit.Computed = ratio(c.PromptTokens-total, c.PromptTokens)
	}
	return hit
}

// hasTier says whether some replica that may have served the requests has a
// tier. What a request finds is that of the replica that computed its prompt,
// which may be one of another pool.
func (in *selection) hasTier(kind simulator.TierKind) bool {
	whole := *in
	if in.meta.HandsOver {
		whole.Pool = ""
	}
	for use := range whole.uses() {
		for i := range use.Tiers {
			if use.Tiers[i].Kind == kind {
				return true
			}
		}
	}
	return false
}

func cacheHitOf(name string, d Direction, part string, of func(*CacheHit) *float64) statistic {
	return statistic{name: name, unit: Share, direction: d, help: part + " ÷ prompt tokens of scheduled requests", value: func(g *Group) (float64, bool) {
		if g.CacheHit == nil {
			return 0, false
		}
		return optional(of(g.CacheHit))
	}}
}
