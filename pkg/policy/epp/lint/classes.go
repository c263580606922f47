// SPDX-License-Identifier: Apache-2.0

package lint

// A class is what a scorer looks at.
type class uint8

const (
	other    class = iota
	affinity       // where the request, or one like it, was before
	load           // how busy an endpoint is
)

// classes follow the categories that the EPP's scorers state.
var classes = map[string]class{
	"prefix-cache-scorer":                      affinity,
	"precise-prefix-cache-scorer":              affinity,
	"multicluster-prefix-cache-scorer":         affinity,
	"session-affinity-scorer":                  affinity,
	"lora-affinity-scorer":                     affinity,
	"mm-embeddings-cache-scorer":               affinity,
	"header-label-affinity-scorer":             affinity,
	"queue-scorer":                             load,
	"kv-cache-scorer":                          load,
	"kv-cache-utilization-scorer":              load,
	"running-requests-size-scorer":             load,
	"load-aware-scorer":                        load,
	"active-request-scorer":                    load,
	"token-load-scorer":                        load,
	"latency-scorer":                           load,
	"predicted-latency-scorer":                 load,
	"endpoint-attribute-scorer":                load,
	"multicluster-queue-scorer":                load,
	"multicluster-kv-cache-utilization-scorer": load,
}

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
