// SPDX-License-Identifier: Apache-2.0

package native

import "k8s.io/apimachinery/pkg/util/validation/field"

// A policyType is a way to choose an endpoint. help says which one it picks, and source
// where the rule is from; empty where that is nowhere else. read returns how it is made.
type policyType struct {
	name, help, source string
	read               func(r *reader, spec *Spec, path *field.Path) func(*builder) chooser
}

// policies are all there are.
var policies = []policyType{
	{"weighted", "the replica with the greatest sum of scores, each clamped to [0, 1] and multiplied by its scorer's weight; the default", "", readWeighted},
	{"round-robin", "the replicas in turn", "", unweighted(readRoundRobin)},
	{"random", "a replica at random", "", unweighted(readRandom)},
	{"least-loaded", "a replica with the least load", "inference-sim", unweighted(readLeastLoaded)},
	{"always-busiest", "the first replica with the greatest load, as a worst case to compare with", "inference-sim", unweighted(readAlwaysBusiest)},
	{"power-of-two", "the least loaded of `choices` different replicas, drawn at random", "Azar et al. 1994, Mitzenmacher 2001", unweighted(readPowerOfTwo)},
	{"prefix-affinity", "the replica to which the longest known prefix of the prompt went first, whatever its load; the least loaded, if no prefix is known", "", unweighted(readSticky)},
	{"two-stage", "the replica with the longest match, of those with at most `queueThreshold` waiting requests and `kvThreshold` of the KV blocks in use; if there are none, the one with the fewest waiting requests", "early descriptions of llm-d's router", unweighted(readTwoStage)},
	{"consistent-hashing", "the replica of the first point on a ring after the hash of the key that has room: fewer than ⌈`loadFactor` · (m + 1) / n⌉ requests in flight, with m on all n replicas", "Mirrokni et al. 2016", unweighted(readConsistentHashing)},
	{"sglang-cache-aware", "if the most requests in flight, a, and the fewest, b, have a − b > `balanceAbsThreshold` and a > `balanceRelThreshold` · b: the shortest queue. Else, if more than `cacheThreshold` of the prompt matches: the longest match. Else: `unmatched`", "sgl-router 0.2, cache_aware", unweighted(readSGLangCacheAware)},
	{"production-stack-prefix-aware", "a replica with the longest match; if this is below `minMatchTokens`, the one with the fewest requests within `window`, and before it those that never had one", "vllm-stack 0.1.12, prefixaware", unweighted(readProductionStackPrefixAware)},
	{"aibrix-prefix-cache", "the replica with the greatest match in whole percent, then the fewest requests in flight, of those with a match and at most mean + `deviations` · σ requests; if there are none, the one with the fewest. If the most requests exceed the fewest by more than `imbalance`, only replicas with the fewest count", "AIBrix 0.7.0, prefix-cache", unweighted(readAIBrixPrefixCache)},
}

// Subject is what a scorer looks at.
type Subject string

const (
	// PrefixSubject scorers look at how much of a prompt an endpoint may have cached.
	PrefixSubject Subject = "Prefix"
	// LoadSubject scorers look at how busy an endpoint is.
	LoadSubject Subject = "Load"
	// OtherSubject scorers look at something else.
	OtherSubject Subject = "Other"
)

// A scorerType is a term of a weighted sum. help says which endpoints it prefers. read
// returns how it is made.
type scorerType struct {
	name, help string
	subject    Subject
	read       func(r *reader) func(*builder) scorer
}

// scorers are all there are.
var scorers = []scorerType{
	{"prefix-affinity", "to which the router sent the beginning of the prompt, by an index with a limited size that does not see evictions", PrefixSubject, readPrefixAffinity},
	{"prefix-index-room", "whose cache has room, as the index of `prefix-affinity` estimates it: 1 less the estimated use", OtherSubject, readPrefixIndexRoom},
	{"prefix-index-lifetime", "that keep what they have of the prompt for long, as that index estimates it: the new blocks that they take before they evict one of it, ÷ all blocks; 0 where they have none", OtherSubject, readPrefixIndexLifetime},
	{"queue-depth", "with few waiting requests, scaled from the fewest to the most", LoadSubject, readQueueDepth},
	{"kv-utilization", "with free KV blocks", LoadSubject, readKVUtilization},
	{"load-balance", "with little load: 1/(1 + load)", LoadSubject, readLoadBalance},
	{"load-seed", "with few requests that wait, run or are in flight from the router; the queue depth of an early design", LoadSubject, readLoadSeed},
	{"oracle-prefix", "that hold the beginning of the prompt, by the exact content of the caches: the upper bound", PrefixSubject, readOraclePrefix},
	{"precise-prefix-cache", "that hold the most blocks of the prompt in GPU memory, scaled from the fewest to the most", PrefixSubject, readPrecisePrefixCache},
	{"no-hit-lru", "with the longest time since their last request without a cached block on any replica", OtherSubject, readNoHitLRU},
	{"active-requests", "with few requests in flight, by the router's own count", LoadSubject, readActiveRequests},
	{"running-requests", "with few running requests, scaled from the fewest to the most", LoadSubject, readRunningRequests},
	{"load-aware", "with few waiting requests: 0.5 for none, down to 0", LoadSubject, readLoadAware},
	{"vllm-dp", "with little load by the formula of vLLM's data-parallel client: 4 for each waiting request, 1 for each running request", LoadSubject, readVLLMDP},
	{"estimated-wait", "whose waiting requests get KV blocks soon, at the pace of the last 16, scaled from the shortest to the longest wait", LoadSubject, readEstimatedWait},
	{"recent-ttft", "whose engine recently gave first tokens fast, scaled from the shortest to the longest mean", LoadSubject, readRecentTTFT},
	{"recent-tpot", "whose engine recently gave tokens fast, scaled from the shortest to the longest mean", LoadSubject, readRecentTPOT},
	{"lora-affinity", "with the request's LoRA adapter loaded", OtherSubject, readLoRAAffinity},
}

// Policies returns the names of all policies.
func Policies() []string {
	var names []string
	for _, p := range policies {
		names = append(names, p.name)
	}
	return names
}

// Scorers returns the names of all scorers.
func Scorers() []string {
	var names []string
	for _, s := range scorers {
		names = append(names, s.name)
	}
	return names
}

// SubjectOf returns what a scorer looks at, and "" if there is no scorer of this name.
func SubjectOf(name string) Subject {
	for _, s := range scorers {
		if s.name == name {
			return s.subject
		}
	}
	return ""
}

// unweighted is for policies that have neither scorers nor a mode.
func unweighted(read func(*reader) func(*builder) chooser) func(*reader, *Spec, *field.Path) func(*builder) chooser {
	return func(r *reader, spec *Spec, path *field.Path) func(*builder) chooser {
		if len(spec.Scorers) > 0 {
			r.errs = append(r.errs, field.Forbidden(path.Child("scorers"), "only a weighted policy has scorers"))
		}
		if spec.Mode != "" {
			r.errs = append(r.errs, field.Forbidden(path.Child("mode"), "only a weighted policy has a mode"))
		}
		return read(r)
	}
}
