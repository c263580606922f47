// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

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
// Where a profile handler sends requests to another port, the whole prompt counts
// for the endpoint that decodes.
//
// An endpoint that is gone is forgotten with all that it has in flight: what of
// that ends later does not count, even if the endpoint is back.
//
// The EPP runs producers in the order of what they require, and the matches are
// only an option here: in some EPPs the counts are made first, and then all
// endpoints seem to hold nothing of the request under way. Here they come second.
//
// Before router-v0.9 the whole prompt and an estimate of the answer count to the
// end, whatever the endpoint holds: tokens are a quarter of the request's bytes,
// and the answer has 1.5 times as many. What ends on an endpoint that was gone is
// taken off all the same, and leaves it with less than nothing. In gie-v1.5 only
// the primary profile's endpoint counts, and none is forgotten.
var inFlightLoadProducer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.InFlightLoadProducerType,
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.ProducerRole | config.ExtractorRole,
		Payload:      config.EndpointPayload,
		Parameters:   func() any { return &inFlightParameters{OutputRatio: 1.5, SyncCrossReplicaState: true} },
		Needs:        config.NeedsTokens,
		Produces: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.InFlightLoadData, Producer: p.Name}, {Kind: config.UncachedTokensData, Producer: p.Name}}
		},
		Freshness: "the EPP's own counts, at once",
		Treatment: func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			switch {
			case c.Dialect.Framework < version.Router09:
				return config.Approximated, fmt.Sprintf("a request has %v bytes for each token of its prompt, and nothing else has any", cluster.TokenBytes())
			case p.Parameters.(*inFlightParameters).AddEstimatedOutputTokens:
				return config.Approximated, "requests state no max_tokens, which would bound the estimate of output tokens"
			case c.Reads(config.DataKey{Kind: config.UncachedTokensData, Producer: p.Name}) && c.Provides(config.DataKey{Kind: config.PrefixMatchData, Producer: p.Parameters.(*inFlightParameters).PrefixMatchInfoProducerName}):
				return config.Exact, "prefix matches are known before tokens are counted; in the EPP it may be the other way round, and then no endpoint's cached tokens are deducted from what a request would add"
			}
			return config.Exact, ""
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer {
		f := &inFlight{
			parameters: p.Parameters.(*inFlightParameters),
			match:      optionalMatch(b, p.Parameters.(*inFlightParameters).PrefixMatchInfoProducerName),
			at:         b.Dialect.Framework,
			load:       b.Load(dataName(b, p)),
			gone:       make([]bool, b.Endpoints),
			departures: make([]int32, b.Endpoints),
			stages:     primaryInFlightStages(b),
		}
		if f.at < version.Router09 {
			f.match, f.tokensPerToken = nil, b.TokenRatio()
		}
		if b.Stages.Prefill != "" && f.at > version.GIE15 {
			f.stages = append(f.stages, newInFlightStage(b.Stages.Prefill, true))
		}
		return f
	},
}

type inFlightParameters struct {
	AddEstimatedOutputTokens    bool    `json:"addEstimatedOutputTokens" versions:"router-v0.9.."`
	OutputRatio                 float64 `json:"outputRatio" versions:"router-v0.10.."`
	MaxEstimatedOutputTokens    *int    `json:"maxEstimatedOutputTokens,omitempty" versions:"router-v0.10.."`
	PrefixMatchInfoProducerName string  `json:"prefixMatchInfoProducerName" versions:"router-v0.9.."`
	SyncCrossReplicaState       bool    `json:"syncCrossReplicaState" versions:"router-v0.10.."`
}

func (p *inFlightParameters) Defaults(at version.Release) {
	p.AddEstimatedOutputTokens = at < version.Router09
}

func (p *inFlightParameters) Check(l *config.Loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = config.OrDefault(p.PrefixMatchInfoProducerName, config.PrefixMatchData)
	if p.OutputRatio < 0 {
		l.Add(field.Invalid(path.Child("outputRatio"), p.OutputRatio, "must not be negative"))
	}
	if p.MaxEstimatedOutputTokens != nil && *p.MaxEstimatedOutputTokens < 0 {
		l.Add(field.Invalid(path.Child("maxEstimatedOutputTokens"), *p.MaxEstimatedOutputTokens, "must not be negative"))
	}
}

// optionalMatch returns nil where no plugin of that name matches prefixes.
func optionalMatch(b *scheduler.Builder, producer string) *scheduler.PrefixMatch {
	p := b.Plugins[producer]
	if p == nil || p.Kind.Produces == nil || !slices.Contains(p.Kind.Produces(p), config.DataKey{Kind: config.PrefixMatchData, Producer: producer}) {
		return nil
	}
	return b.PrefixMatch(producer)
}

type inFlight struct {
	parameters *inFlightParameters
	at         version.Release
	// tokensPerToken is how many tokens count for one; 0 is 1.
	tokensPerToken float64
	match          *scheduler.PrefixMatch // nil without a prefix match
	load           *scheduler.InFlightLoad
	stages         []inFlightStage
	// gone says of each endpoint whether it was gone at the last request, lives
	// how often it has gone by then.
	gone       []bool
	departures []int32
	anyGone    bool
}

// An inFlightStage is what requests count for where one profile sent them.
type inFlightStage struct {
	prefill bool // whether that is the prefill profile
	// endsAtFirstToken is whether a request ends here with the first chunk of its answer.
	endsAtFirstToken bool
	// countsWholePrompt is whether whole prompts count.
	countsWholePrompt bool
	// of says whose requests these are, by set of headers; nil is all.
	of   []bool
	held *scheduler.Ledger[inFlightShare]
}

type inFlightShare struct {
	endpoint int32
	// life is the endpoint's when the request was sent there.
	life   int32
	tokens int64
}

func newInFlightStage(profile string, prefill bool) inFlightStage {
	return inFlightStage{prefill: prefill, endsAtFirstToken: profile == config.PrefillProfile, held: scheduler.NewLedger[inFlightShare]()}
}

// primaryInFlightStages are that of the primary profile, or where headers name it
// one for those whose requests leave early and one for the others.
func primaryInFlightStages(b *scheduler.Builder) []inFlightStage {
	names := b.Stages.Primaries(&b.Cluster)
	early := make([]bool, len(names))
	for i, name := range names {
		early[i] = name == config.PrefillProfile
	}
	first := newInFlightStage(names[0], false)
	first.countsWholePrompt = b.Stages.DecodeMatchLost
	if !slices.Contains(early, !early[0]) {
		return []inFlightStage{first}
	}
	second := inFlightStage{endsAtFirstToken: !first.endsAtFirstToken, of: make([]bool, len(names)), held: scheduler.NewLedger[inFlightShare]()}
	first.of = make([]bool, len(names))
	for i := range names {
		first.of[i], second.of[i] = early[i] == early[0], early[i] != early[0]
	}
	return []inFlightStage{first, second}
}

// ForgetGone forgets the endpoints that have gone since the last request.
func (f *inFlight) ForgetGone(c *scheduler.Cycle) {
	if c.Down == nil && !f.anyGone || f.at <= version.GIE15 {
		return
	}
	f.anyGone = false
	for e, was := range f.gone {
		f.gone[e] = c.Gone(e)
		f.anyGone = f.anyGone || f.gone[e]
		if f.gone[e] && !was {
			f.load.Strand(e, f.at == version.Router10)
			f.departures[e]++
		}
	}
}

// counts reports whether a share still counts for its endpoint.
func (f *inFlight) counts(share *inFlightShare) bool {
	return share.life == f.departures[share.endpoint] || f.at < version.Router09
}

func (f *inFlight) Produce(c *scheduler.Cycle) {
	if f.load.Cached == nil {
		return
	}
	output := f.estimatedOutput(c)
	if !f.matches() {
		f.load.Expect(int64(f.tokens(c)) + output)
		return
	}
	prompt := f.unmatched(0)
	f.load.Expect(prompt + f.beyond(c) + output)
	if f.match.Listed {
		for _, e := range f.match.Held {
			f.load.ExpectCached(int(e), prompt-f.unmatched(f.match.Blocks[e]))
		}
		return
	}
	for e, blocks := range f.match.Blocks {
		if blocks > 0 {
			f.load.ExpectCached(e, prompt-f.unmatched(blocks))
		}
	}
}

func (f *inFlight) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	for i := range f.stages {
		s := &f.stages[i]
		endpoint := p.Of(s.prefill)
		if endpoint == scheduler.None || s.of != nil && !s.of[c.Headers] {
			continue
		}
		tokens := int64(f.tokens(c))
		if !s.countsWholePrompt {
			tokens = f.Uncached(c, endpoint)
		}
		tokens += f.estimatedOutput(c)
		f.load.Requests[endpoint]++
		f.load.AddTokens(endpoint, tokens)
		s.held.Put(c.Request, inFlightShare{int32(endpoint), f.departures[endpoint], tokens})
	}
}

func (f *inFlight) FirstToken(request *policy.Request, _ int) {
	for i := range f.stages {
		switch s := &f.stages[i]; {
		case s.endsAtFirstToken:
			f.drop(s, request)
		case !f.parameters.AddEstimatedOutputTokens:
			if share := s.held.Of(request.ID); share != nil && f.counts(share) {
				f.load.AddTokens(int(share.endpoint), -share.tokens)
				share.tokens = 0
			}
		}
	}
}

func (f *inFlight) Finished(request *policy.Request, _ int) {
	for i := range f.stages {
		f.drop(&f.stages[i], request)
	}
}

// drop takes a request off the endpoint of a stage, unless it is off already.
func (f *inFlight) drop(s *inFlightStage, request *policy.Request) {
	share, ok := s.held.Remove(request.ID)
	if !ok || !f.counts(&share) {
		return
	}
	f.load.AddTokens(int(share.endpoint), -share.tokens)
	f.load.Requests[share.endpoint]--
}

// tokens is how many the prompt has, or is taken to have.
func (f *inFlight) tokens(c *scheduler.Cycle) int {
	if f.tokensPerToken == 0 {
		return c.Tokens
	}
	return max(1, scheduler.TokensFromBytes(c.PromptTokens, f.tokensPerToken))
}

// Uncached is how many prompt tokens the endpoint has to compute.
func (f *inFlight) Uncached(c *scheduler.Cycle, endpoint int) int64 {
	if !f.matches() {
		return int64(f.tokens(c))
	}
	return f.unmatched(f.match.Blocks[endpoint]) + f.beyond(c)
}

// matches reports whether anything is known of what endpoints hold.
func (f *inFlight) matches() bool { return f.match != nil && f.match.BlockTokens > 0 }

// unmatched is how many tokens of the prompt's blocks an endpoint has to compute
// that holds some of them.
func (f *inFlight) unmatched(blocks int) int64 {
	return int64(max(0, (f.match.TotalBlocks-blocks)*f.match.BlockTokens))
}

// beyond is how many tokens the prompt has beyond its blocks.
func (f *inFlight) beyond(c *scheduler.Cycle) int64 {
	return int64(max(0, c.Tokens-f.match.TotalBlocks*f.match.BlockTokens))
}

func (f *inFlight) estimatedOutput(c *scheduler.Cycle) int64 {
	if !f.parameters.AddEstimatedOutputTokens {
		return 0
	}
	estimate := math.Floor(float64(float64(f.tokens(c))*f.parameters.OutputRatio) + 0.5)
	if limit := f.parameters.MaxEstimatedOutputTokens; limit != nil {
		estimate = math.Min(estimate, float64(*limit))
	}
	// A ratio may be absurd; sums of estimates are still to fit.
	return int64(math.Min(estimate, 1<<40))
}

func (*inFlight) ReadsMatches() {}
