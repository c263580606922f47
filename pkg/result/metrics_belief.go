// SPDX-License-Identifier: Apache-2.0

package result

// KVBelief compares what routers believed caches to hold of prompts with what was there
// when the requests were first scheduled, at the replicas that computed the prompts: in
// GPU memory or a lower tier. It is over the requests whose router keeps an index.
type KVBelief struct {
	// FalseHit is the share of the prompt tokens that were promised and not there,
	// FalseMiss the share of those that were there and not promised.
	FalseHit  float64 `json:"falseHit"`
	FalseMiss float64 `json:"falseMiss"`
	// Tokens of prompts, of what was promised, of what was found, and of what was
	// promised and found.
	PromptTokens   int64 `json:"promptTokens"`
	PromisedTokens int64 `json:"promisedTokens"`
	FoundTokens    int64 `json:"foundTokens"`
	KeptTokens     int64 `json:"keptTokens"`
}

const kvBelief = "kvBelief"

// beliefs are what routers believe of caches.
var beliefs = subject{
	gather: func(in *selection, g *Group) {
		if in.meta.asksFor(kvBelief) {
			g.KVBelief = in.kvBelief()
		}
	},
	families: []family{family{name: kvBelief, labels: requestLabels, statistics: []statistic{
		kvBeliefOf("falseHit", "prompt tokens that the router's index had at the chosen replica and that were not in its cache", func(b *KVBelief) float64 { return b.FalseHit }),
		kvBeliefOf("falseMiss", "prompt tokens in the cache of the chosen replica that the router's index did not have", func(b *KVBelief) float64 { return b.FalseMiss }),
	}}.needing(NeedsKVIndex).whereAsked()},
}

func kvBeliefOf(name, help string, of func(*KVBelief) float64) statistic {
	return statistic{name: name, unit: Share, direction: Minimize, help: help + " ÷ prompt tokens of scheduled requests", value: func(g *Group) (float64, bool) {
		if g.KVBelief == nil {
			return 0, false
		}
		return of(g.KVBelief), true
	}}
}

// kvBelief returns nil where no router believed anything.
func (in *selection) kvBelief() *KVBelief {
	c := &in.sum
	falseHit := ratio(c.PromisedTokens-c.KeptTokens, c.BelievedPromptTokens)
	falseMiss := ratio(c.FoundTokens-c.KeptTokens, c.BelievedPromptTokens)
	if falseHit == nil {
		return nil
	}
	return &KVBelief{
		FalseHit: *falseHit, FalseMiss: *falseMiss,
		PromptTokens: c.BelievedPromptTokens, PromisedTokens: c.PromisedTokens, FoundTokens: c.FoundTokens, KeptTokens: c.KeptTokens,
	}
}
