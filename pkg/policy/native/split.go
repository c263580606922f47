// SPDX-License-Identifier: Apache-2.0

package native

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A Policy routes requests: a [Router], or a [Split].
type Policy interface {
	policy.Router
	policy.Forcible
	policy.Weighted
	policy.Idler
	// Routing returns the router with what it takes part in.
	Routing() policy.Routing
	// Explain has each decision from now on explained; nil ends that.
	Explain(tell func(*Explanation))
}

// A Split routes prefill and decode by one policy, which has a router of its own for each: it
// first chooses the endpoint that decodes, and then the one that computes the prompt. The two
// count and remember for themselves, but each learns where the other one sent a prompt, as both
// endpoints have it in the end. Where no endpoint computes prompts, the one that decodes does.
type Split struct {
	decode, prefill *Router
	// computing is where the prompts of requests are computed that have no token yet; nil unless
	// the policy counts requests in flight.
	computing map[int]int
	about     *Explanation // of the decision under way
	tell      func(*Explanation)
}

// NewSplits returns several routers over endpoints of the given roles, as [NewReplicas] does.
func NewSplits(c *Config, of []Role, replicas int, seed int64, faults *policy.Faults) []*Split {
	all := make([]*Split, replicas)
	for i := range all {
		s := &Split{decode: newStage(c, of, decodeStage, i, seed, faults), prefill: newStage(c, of, prefillStage, i, seed, faults)}
		if s.prefill.inFlight != nil {
			s.computing = map[int]int{}
		}
		all[i] = s
	}
	return all
}

// newStage makes the router of a stage of replica i. The stages draw different numbers.
func newStage(c *Config, of []Role, stage stage, i int, seed int64, faults *policy.Faults) *Router {
	if stage == prefillStage {
		seed = int64(stats.Hash64(uint64(seed), uint64(stage)))
	}
	b := newBuilder(c, len(of), seed+int64(i), seed, faults)
	b.stage, b.roles = stage, of
	r := b.build(c)
	r.serves = make([]bool, len(of))
	for e, role := range of {
		r.serves[e] = role != Prefills
		if stage == prefillStage {
			r.serves[e] = role == Prefills || role == DoesBoth
		}
	}
	return r
}

// Route implements [policy.Router].
func (s *Split) Route(view *policy.View, request *policy.Request) (policy.Route, error) {
	to, err := s.decode.Route(view, request)
	if err == nil {
		to = s.share(view, request, to)
	}
	if s.tell != nil {
		s.tell(s.about)
	}
	return to, err
}

// share lets another endpoint compute the prompt of a request.
func (s *Split) share(view *policy.View, request *policy.Request, to policy.Route) policy.Route {
	s.prefill.round.decodes = to.Endpoint
	from, err := s.prefill.Route(view, request)
	if err != nil {
		return to
	}
	to.Believed = from.Believed
	if s.computing != nil {
		s.computing[request.ID] = from.Endpoint
	}
	if from.Endpoint != to.Endpoint {
		to.Prefill = from.Endpoint
		s.prefill.remember(to.Endpoint)
		s.decode.remember(from.Endpoint)
	}
	return to
}

// Routing implements [Policy].
func (s *Split) Routing() policy.Routing {
	a, b := s.decode.Routing(), s.prefill.Routing()
	routing := policy.Routing{Router: s, Engines: a.Engines || b.Engines}
	if a.Responses != nil || b.Responses != nil {
		routing.Responses = s
	}
	if a.KVEvents != nil || b.KVEvents != nil {
		routing.KVEvents = s
	}
	return routing
}

// FirstToken implements [policy.ResponseListener]: the prompt is computed.
func (s *Split) FirstToken(request *policy.Request, _ int) { s.computed(request) }

// Finished implements [policy.ResponseListener].
func (s *Split) Finished(request *policy.Request, endpoint int) {
	s.computed(request)
	if s.decode.inFlight != nil {
		s.decode.Finished(request, endpoint)
	}
}

func (s *Split) computed(request *policy.Request) {
	if endpoint, ok := s.computing[request.ID]; ok {
		delete(s.computing, request.ID)
		s.prefill.Finished(request, endpoint)
	}
}

// Stored implements [policy.KVEventListener].
func (s *Split) Stored(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	s.put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Stored, Tier: tier, Blocks: blocks})
}

// Removed implements [policy.KVEventListener].
func (s *Split) Removed(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	s.put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Removed, Tier: tier, Blocks: blocks})
}

// Cleared implements [policy.KVEventListener].
func (s *Split) Cleared(at simtime.Time, endpoint int) {
	s.put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Cleared})
}

func (s *Split) put(e kvindex.Event) {
	s.decode.put(e)
	s.prefill.put(e)
}

// Force implements [policy.Forcible]: of the endpoint that decodes.
func (s *Split) Force(force policy.Force) { s.decode.Force(force) }

// Weights implements [policy.Weighted]: the stages have the same.
func (s *Split) Weights() []policy.ScorerWeight { return s.decode.Weights() }

// SetWeight implements [policy.Weighted].
func (s *Split) SetWeight(i int, weight float64) {
	s.decode.SetWeight(i, weight)
	s.prefill.SetWeight(i, weight)
}

// Idle implements [policy.Idler].
func (s *Split) Idle() []string { return policy.IdleInAll([]*Router{s.decode, s.prefill}) }

// Explain implements [Policy].
func (s *Split) Explain(tell func(*Explanation)) {
	s.tell = tell
	if tell == nil {
		s.decode.Explain(nil)
		s.prefill.Explain(nil)
		return
	}
	s.decode.Explain(func(x *Explanation) { s.about = x })
	s.prefill.Explain(func(x *Explanation) { s.about.Prefill = x })
}

// remember tells the followers of a router that remember prompts where another router sent one.
func (r *Router) remember(endpoint int) {
	for _, f := range r.followers {
		if m, ok := f.(promptMemory); ok {
			m.routed(&r.round, endpoint)
		}
	}
}

// takesPart says whether an endpoint is a candidate where it is up.
func (r *Router) takesPart(e int) bool {
	return r.serves == nil || r.serves[e] || r.inPlace && e == r.round.decodes
}

var _, _ Policy = (*Router)(nil), (*Split)(nil)
