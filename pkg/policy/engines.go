// SPDX-License-Identifier: Apache-2.0

package policy

import "time"

// Engine is what an engine exports in addition to a [Scrape], as of the last scrape. Counters
// run from the start of the engine, so that a policy takes rates from the differences of
// two scrapes; they begin at 0 again when a replica recovers. Names are those of vLLM's
// metrics.
type Engine struct {
	// PrefixCacheQueries are the prompt tokens of the requests that have got blocks
	// here, PrefixCacheHits those of them that were in GPU memory
	// (vllm:prefix_cache_queries, vllm:prefix_cache_hits). ExternalPrefixCacheHits are
	// those that came from lower tiers, or from the replica that computed the prompt
	// (vllm:external_prefix_cache_hits). Each request counts once, also if it is
	// preempted.
	PrefixCacheQueries, PrefixCacheHits, ExternalPrefixCacheHits int64
	// KVUsage is the share of each tier's blocks that hold something, or are kept for
	// what is on its way, 0 to 1 (vllm:kv_cache_usage_perc,
	// vllm:kv_offload_cpu_cache_usage_perc). A tier that replicas share is shown by each.
	KVUsage [CacheTiers]float64
	// StoredBytes have arrived in each lower tier from this replica, LoadedBytes were
	// sent from there to its GPU (vllm:kv_offload_store_bytes,
	// vllm:kv_offload_load_bytes).
	StoredBytes, LoadedBytes [CacheTiers]int64
	// TimeToFirstToken runs from the entry into the engine's queue to the end of the
	// step that gave the first token, or computed a prompt for another replica
	// (vllm:time_to_first_token_seconds). InterTokenLatency is between the tokens of a
	// request, in the engine's own time (vllm:inter_token_latency_seconds, once
	// vllm:time_per_output_token_seconds): its mean is the engine's TPOT.
	TimeToFirstToken, InterTokenLatency Observed
	// EstimatedWait is how long the requests that wait take to get blocks at the pace of
	// the last 16 that did; 0 where none waits, or none has got any. No engine exports
	// it: it is what a router can work out.
	EstimatedWait time.Duration
}

// Observed is the sum and the count of what a histogram observed.
type Observed struct {
	Sum   time.Duration
	Count int64
}

// Mean returns the mean of what was observed; 0 where nothing was.
func (o Observed) Mean() time.Duration {
	if o.Count == 0 {
		return 0
	}
	return o.Sum / time.Duration(o.Count)
}

// Since returns what was observed after an earlier scrape. If the engine has started
// again since, that is all that it has observed.
func (o Observed) Since(earlier Observed) Observed {
	if o.Count < earlier.Count {
		return o
	}
	return Observed{Sum: o.Sum - earlier.Sum, Count: o.Count - earlier.Count}
}
