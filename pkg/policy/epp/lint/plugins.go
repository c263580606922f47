// SPDX-License-Identifier: Apache-2.0

package lint

// prefixScorers score what of the prompt an endpoint is believed to hold.
var prefixScorers = []string{"prefix-cache-scorer", "precise-prefix-cache-scorer", "multicluster-prefix-cache-scorer"}

// prefixReaders are all that need prompts in blocks.
var prefixReaders = append([]string{
	"prefix-cache-affinity-filter", "no-hit-lru-scorer", "prefix-based-pd-decider", "approx-prefix-cache-producer", "precise-prefix-cache-producer",
}, prefixScorers...)

// inFlightReaders go by counters that each EPP keeps for itself.
var inFlightReaders = []string{"active-request-scorer", "token-load-scorer", "concurrency-detector", "prefix-cache-affinity-filter", "no-hit-lru-scorer"}

const (
	approxProducer   = "approx-prefix-cache-producer"
	preciseProducer  = "precise-prefix-cache-producer"
	preciseScorer    = "precise-prefix-cache-scorer"
	endpointSource   = "endpoint-notification-source"
	tokenProducer    = "token-producer"
	inFlightProducer = "inflight-load-producer"
	affinityFilter   = "prefix-cache-affinity-filter"
	disaggHandler    = "disagg-profile-handler"
	pdHandler        = "pd-profile-handler"
)
