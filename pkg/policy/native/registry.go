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
	{"power-of-two", unweighted(readPowerOfTwo)},
	{"prefix-affinity", unweighted(readSticky)},
	{"two-stage", unweighted(readTwoStage)},
	{"consistent-hashing", unweighted(readConsistentHashing)},
	{"sglang-cache-aware", unweighted(readSGLangCacheAware)},
	{"production-stack-prefix-aware", unweighted(readProductionStackPrefixAware)},
	{"aibrix-prefix-cache", unweighted(readAIBrixPrefixCache)},
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

// A scorerType is a term of a weighted sum. read returns how it is made.
type scorerType struct {
	name    string
	subject Subject
	read    func(r *reader) func(*builder) scorer
}

// scorers are all there are.
var scorers = []scorerType{
	{"prefix-affinity", PrefixSubject, readPrefixAffinity},
	{"queue-depth", LoadSubject, readQueueDepth},
	{"kv-utilization", LoadSubject, readKVUtilization},
	{"load-balance", LoadSubject, readLoadBalance},
	{"load-seed", LoadSubject, readLoadSeed},
	{"oracle-prefix", PrefixSubject, readOraclePrefix},
	{"precise-prefix-cache", PrefixSubject, readPrecisePrefixCache},
	{"no-hit-lru", OtherSubject, readNoHitLRU},
	{"active-requests", LoadSubject, readActiveRequests},
	{"running-requests", LoadSubject, readRunningRequests},
	{"load-aware", LoadSubject, readLoadAware},
	{"vllm-dp", LoadSubject, readVLLMDP},
	{"lora-affinity", OtherSubject, readLoRAAffinity},
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
