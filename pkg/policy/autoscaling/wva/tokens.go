// SPDX-License-Identifier: Apache-2.0

package wva

import "time"

const (
	// TokensInterval is the time between two decisions of the analyser by tokens.
	TokensInterval = 15 * time.Second
	// LengthsWindow is the time over which the caller takes the mean lengths and the hit rate of an
	// engine. KV usage and queue are maxima over the Window.
	LengthsWindow = 5 * time.Minute
	// bytesPerToken is what a token of a queued prompt counts for.
	bytesPerToken = 4
)

// TokensConfig is the entry default of the ConfigMap for the analyser by tokens.
type TokensConfig struct {
	// KVCacheThreshold is the share of the KV cache that a replica may fill; QueueLengthThreshold is
	// the queue from which on the tokens in use are all that a replica can compute.
	KVCacheThreshold, QueueLengthThreshold float64
	// ScaleUpThreshold and ScaleDownBoundary are the shares of the capacity above which replicas are
	// added, and below which they are removed.
	ScaleUpThreshold, ScaleDownBoundary float64
	// Priority is that of the model, and Score is that of the analyser. Only the limiter reads them.
	Priority, Score float64
	// Limits are the accelerators that the model may have, by name, where there is a limiter. A
	// name that is not there has none, and a negative limit is no limit.
	Limits map[string]int `json:",omitempty"`
}

// The roles of variants.
const (
	Both    = "both"
	Prefill = "prefill"
	Decode  = "decode"
)

// Variant is what the cluster says of a Deployment that serves the model.
type Variant struct {
	Name, Role, Accelerator string
	// GPUs are those of a replica, and Cost is what one costs.
	GPUs int
	Cost float64
	// Current and Pending are those of State. Min and Max bound the replicas; 0 is no bound.
	Current, Pending, Min, Max int
	// BatchedTokens and Sequences are the limits of a step (max-num-batched-tokens, max-num-seqs).
	BatchedTokens, Sequences int64
	// Engines are those with metrics. A replica has one for each data-parallel rank.
	Engines []Engine
}

// Engine is what the metrics say of an engine.
type Engine struct {
	// Capacity are the tokens that the KV cache holds, and InUse those that it held at its fullest.
	Capacity, InUse int64
	// Waiting is the longest queue.
	Waiting int
	// Input and Output are the mean tokens of the requests that finished; HitRate is the share of
	// the prompts that was in the prefix cache.
	Input, Output, HitRate float64
}

// Queue is what waits in the flow control of the EPP.
type Queue struct{ Requests, Bytes int64 }

// Source is where the capacity of a variant is from.
type Source string

// The sources, as the analyser calls them.
const (
	Observed   Source = "P1-obs"   // the tokens in use at a full queue
	Historical Source = "P2-hist"  // the mean of those observed before
	Derived    Source = "P3-k2"    // the limits of a step
	Memory     Source = "P4-k1"    // the KV cache
	Stored     Source = "P0-store" // what is remembered of a variant without engines
)

// VariantAnalysis is what the analyser found of a variant and asks for.
type VariantAnalysis struct {
	// Capacity is that of an engine, in tokens, and Demand is that of all.
	Capacity, Demand float64
	Source           Source
	// Target is the number of replicas that the analyser asks for.
	Target int
}

// Need is what a role, or the whole model, has and lacks, in tokens.
type Need struct{ Supply, Demand, Required, Spare float64 }

// TokensAnalysis is what the analyser found and asks for.
type TokensAnalysis struct {
	// Variants are in the order of those that were analysed.
	Variants []VariantAnalysis
	// Needs are by role: of Both for the whole model where no variant has another role.
	Needs map[string]Need
}

// Tokens is the analyser by tokens, with what it remembers of one model.
type Tokens struct {
	config  TokensConfig
	history map[historyKey][]int64
	// records are what is known of variants, by name.
	records map[string]record
}

// NewTokens makes an analyser that remembers nothing.
func NewTokens(c TokensConfig) *Tokens {
	return &Tokens{config: c, history: map[historyKey][]int64{}, records: map[string]record{}}
}

// Decide decides by the variants of the model, of which at least one engine has metrics.
func (t *Tokens) Decide(variants []Variant, queue Queue) TokensAnalysis {
	m := model{config: &t.config, variants: variants, found: t.capacities(variants)}
	m.measure(queue)
	m.decide()
	d := TokensAnalysis{Needs: m.needs}
	for i := range m.found {
		f := &m.found[i]
		d.Variants = append(d.Variants, VariantAnalysis{f.capacity, f.demand, f.source, m.targets[i]})
	}
	return d
}
