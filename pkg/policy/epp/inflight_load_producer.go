// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
)

const inFlightLoadProducerType = "inflight-load-producer"

// inFlightLoadProducer counts what the EPP has routed to each endpoint: a
// request from its pick to its end, its uncached prompt tokens from its pick to
// the first chunk of the answer. With addEstimatedOutputTokens, an estimate of
// the answer is added, prompt · outputRatio up to maxEstimatedOutputTokens, and
// all is held to the end.
//
// Of a request that two endpoints share, each counts for what the profile that
// chose it sent there; where that profile is named prefill, until the first chunk
// and no longer.
//
// Uncached are the blocks that the chosen prefix producer does not match there
// and the tokens beyond its blocks; without such a producer, the whole prompt.
var inFlightLoadProducer = pluginType{
	name:       inFlightLoadProducerType,
	roles:      producerRole,
	parameters: func() any { return &inFlightParameters{OutputRatio: 1.5, SyncCrossReplicaState: true} },
	needs:      needsTokens,
	produces: func(p *plugin) []dataKey {
		return []dataKey{{inFlightLoadData, p.Name}, {uncachedTokensData, p.Name}}
	},
	treatment: func(_ *loader, p *plugin) (Treatment, string) {
		if p.Parameters.(*inFlightParameters).AddEstimatedOutputTokens {
			return Approximated, "requests state no max_tokens, which would bound the estimate of output tokens"
		}
		return Exact, ""
	},
	newProducer: func(b *builder, p *plugin) producer {
		return &inFlight{
			parameters: p.Parameters.(*inFlightParameters),
			match:      b.optionalMatch(p.Parameters.(*inFlightParameters).PrefixMatchInfoProducerName),
			load:       b.load(p.Name),
			leaves:     [2]bool{b.stages.decode == prefillProfile, b.stages.prefill == prefillProfile},
			held:       newLedger[[2]inFlightShare](),
		}
	},
}

type inFlightParameters struct {
	AddEstimatedOutputTokens    bool    `json:"addEstimatedOutputTokens"`
	OutputRatio                 float64 `json:"outputRatio"`
	MaxEstimatedOutputTokens    *int    `json:"maxEstimatedOutputTokens,omitempty"`
	PrefixMatchInfoProducerName string  `json:"prefixMatchInfoProducerName"`
	SyncCrossReplicaState       bool    `json:"syncCrossReplicaState"`
}

func (p *inFlightParameters) check(l *loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = orDefault(p.PrefixMatchInfoProducerName, prefixMatchData)
	if p.OutputRatio < 0 {
		l.add(field.Invalid(path.Child("outputRatio"), p.OutputRatio, "must not be negative"))
	}
	if p.MaxEstimatedOutputTokens != nil && *p.MaxEstimatedOutputTokens < 0 {
		l.add(field.Invalid(path.Child("maxEstimatedOutputTokens"), *p.MaxEstimatedOutputTokens, "must not be negative"))
	}
}

// optionalMatch returns nil where no plugin of that name matches prefixes.
func (b *builder) optionalMatch(producer string) *prefixMatch {
	if p := b.plugins[producer]; p == nil || p.Type != approxPrefixCacheProducerType {
		return nil
	}
	return b.prefixMatch(producer)
}

type inFlight struct {
	parameters *inFlightParameters
	match      *prefixMatch // nil where there is none
	load       *inFlightLoad
	// leaves says of the primary and of the prefill endpoint whether a request
	// leaves it with the first chunk of the answer.
	leaves [2]bool
	held   *ledger[[2]inFlightShare]
}

// An inFlightShare is what a request counts for on one endpoint, or none.
type inFlightShare struct {
	endpoint int32
	tokens   int64
}

func (f *inFlight) produce(c *cycle) {
	if f.load.uncached == nil {
		return
	}
	output := f.estimatedOutput(c)
	for e := range f.load.uncached {
		f.load.uncached[e] = f.uncached(c, e) + output
	}
}

func (f *inFlight) routed(c *cycle, p picks) {
	f.held.put(c.request, [2]inFlightShare{f.add(c, p.primary), f.add(c, p.prefill)})
}

// add counts a request for an endpoint, if there is one.
func (f *inFlight) add(c *cycle, endpoint int) inFlightShare {
	if endpoint == none {
		return inFlightShare{endpoint: none}
	}
	tokens := f.uncached(c, endpoint) + f.estimatedOutput(c)
	f.load.requests[endpoint]++
	f.load.tokens[endpoint] += tokens
	return inFlightShare{int32(endpoint), tokens}
}

func (f *inFlight) firstToken(request *policy.Request, _ int) {
	shares := f.held.of(request.ID)
	if shares == nil {
		return
	}
	for i := range shares {
		switch s := &shares[i]; {
		case f.leaves[i]:
			f.drop(s)
		case s.endpoint != none && !f.parameters.AddEstimatedOutputTokens:
			f.load.tokens[s.endpoint] -= s.tokens
			s.tokens = 0
		}
	}
}

func (f *inFlight) finished(request *policy.Request, _ int) {
	shares, ok := f.held.remove(request.ID)
	if !ok {
		return
	}
	for i := range shares {
		f.drop(&shares[i])
	}
}

// drop takes a request off an endpoint, unless it is off it already.
func (f *inFlight) drop(s *inFlightShare) {
	if s.endpoint == none {
		return
	}
	f.load.tokens[s.endpoint] -= s.tokens
	f.load.requests[s.endpoint]--
	s.endpoint = none
}

// uncached is how many prompt tokens the endpoint has to compute.
func (f *inFlight) uncached(c *cycle, endpoint int) int64 {
	if f.match == nil {
		return int64(c.tokens)
	}
	unmatched := (f.match.totalBlocks - f.match.blocks[endpoint]) * f.match.blockTokens
	beyond := c.tokens - f.match.totalBlocks*f.match.blockTokens
	return int64(max(0, unmatched) + max(0, beyond))
}

func (f *inFlight) estimatedOutput(c *cycle) int64 {
	if !f.parameters.AddEstimatedOutputTokens {
		return 0
	}
	estimate := math.Floor(float64(float64(c.tokens)*f.parameters.OutputRatio) + 0.5)
	if limit := f.parameters.MaxEstimatedOutputTokens; limit != nil {
		estimate = math.Min(estimate, float64(*limit))
	}
	// A ratio may be absurd; sums of estimates are still to fit.
	return int64(math.Min(estimate, 1<<40))
}
