// SPDX-License-Identifier: Apache-2.0

package execute

import "windtunnel.dev/windtunnel/pkg/simulator"

// RoutedAgain is how a decision ended whose replica failed or drained before the request
// was over: another decision follows.
const RoutedAgain = "routed again"

// A RoutingResult is what came of a decision. Times are at the gateway, and what is not
// known is nil.
type RoutingResult struct {
	// Ended is how the request ended, as in [simulator.RequestEnd], or RoutedAgain.
	Ended string `json:"ended"`
	// Rank is the endpoint that served the request where the engine chose it; "" where the router did.
	Rank string `json:"rank,omitempty"`
	// TTFTSeconds is of requests with a first token, the others of completed ones.
	TTFTSeconds  *float64 `json:"ttftSeconds,omitempty"`
	TPOTSeconds  *float64 `json:"tpotSeconds,omitempty"`
	E2ESeconds   *float64 `json:"e2eSeconds,omitempty"`
	OutputTokens *int     `json:"outputTokens,omitempty"`
	// ExpectedTokens are the tokens of the prompt that the router believed the replica to
	// have, ExpectedCacheHit says that there were some; nil where it keeps no index.
	ExpectedTokens   *int  `json:"expectedTokens,omitempty"`
	ExpectedCacheHit *bool `json:"expectedCacheHit,omitempty"`
	// CacheHit says that the replica had the beginning of the prompt, and CacheTier is the
	// first tier that gave some of it: GPU, CPU, Storage or Remote. The tokens are by tier.
	CacheHit      *bool  `json:"cacheHit,omitempty"`
	CacheTier     string `json:"cacheTier,omitempty"`
	GPUTokens     int    `json:"gpuTokens,omitempty"`
	CPUTokens     int    `json:"cpuTokens,omitempty"`
	StorageTokens int    `json:"storageTokens,omitempty"`
	RemoteTokens  int    `json:"remoteTokens,omitempty"`
}

// outcomeMemory is an outcome with what it points to, in one piece.
type outcomeMemory struct {
	RoutingResult
	ttft, tpot, e2e  float64
	output, expected int
	expects, hit     bool
}

// outcomeOf describes how a request ended.
func outcomeOf(e *simulator.RequestEnd) *RoutingResult {
	m := &outcomeMemory{output: e.OutputTokens, expected: e.Believed.Tokens, expects: e.Believed.Tokens > 0}
	o := &m.RoutingResult
	o.Ended = e.Ended
	if e.FirstToken >= 0 {
		m.ttft = e.FirstToken.Sub(e.Arrival).Seconds()
		o.TTFTSeconds = &m.ttft
	}
	if e.Ended == "completed" {
		m.e2e = e.End.Sub(e.Arrival).Seconds()
		o.E2ESeconds, o.OutputTokens = &m.e2e, &m.output
		if gaps := e.OutputTokens - 1; gaps > 0 {
			m.tpot = e.LastToken.Sub(e.FirstToken).Seconds() / float64(gaps)
			o.TPOTSeconds = &m.tpot
		}
	}
	if e.Believed.Known {
		o.ExpectedTokens, o.ExpectedCacheHit = &m.expected, &m.expects
	}
	if e.Scheduled {
		o.found(e)
		m.hit = o.CacheTier != ""
		o.CacheHit = &m.hit
	}
	return o
}

// found says what the caches gave.
func (o *RoutingResult) found(e *simulator.RequestEnd) {
	o.GPUTokens, o.RemoteTokens = e.CachedTokens, e.RemoteTokens
	o.CPUTokens, o.StorageTokens = int(e.TierTokens[simulator.CPUTier]), int(e.TierTokens[simulator.StorageTier])
	switch {
	case o.GPUTokens > 0:
		o.CacheTier = "GPU"
	case o.CPUTokens > 0:
		o.CacheTier = "CPU"
	case o.StorageTokens > 0:
		o.CacheTier = "Storage"
	case o.RemoteTokens > 0:
		o.CacheTier = "Remote"
	}
}
