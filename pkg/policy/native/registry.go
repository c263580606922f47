// SPDX-License-Identifier: Apache-2.0

package native

import "k8s.io/apimachinery/pkg/util/validation/field"

// A policyType is a way to choose an endpoint. read returns how it is made.
type policyType struct {
	name string
	read func(r *reader, spec *Spec, path *field.Path) func(*builder) chooser
}

// policies are all there are.
var policies = []policyType{
	{"weighted", readWeighted},
	{"round-robin", unweighted(readRoundRobin)},
	{"random", unweighted(readRandom)},
	{"least-loaded", unweighted(readLeastLoaded)},
	{"always-busiest", unweighted(readAlwaysBusiest)},
}

// A scorerType is a term of a weighted sum. read returns how it is made.
type scorerType struct {
	name string
	read func(r *reader) func(*builder) scorer
}

// scorers are all there are.
var scorers = []scorerType{
	{"prefix-affinity", readPrefixAffinity},
	{"queue-depth", readQueueDepth},
	{"kv-utilization", readKVUtilization},
	{"load-balance", readLoadBalance},
	{"load-seed", readLoadSeed},
	{"oracle-prefix", readOraclePrefix},
	{"precise-prefix-cache", readPrecisePrefixCache},
	{"no-hit-lru", readNoHitLRU},
	{"active-requests", readActiveRequests},
	{"running-requests", readRunningRequests},
	{"load-aware", readLoadAware},
	{"vllm-dp", readVLLMDP},
	{"lora-affinity", readLoRAAffinity},
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
