// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Router routes requests by one policy. One simulation owns it.
type Router struct {
	chooser   chooser
	followers []follower
	// feeds bring what is heard of caches to those who keep an index.
	feeds []*kvindex.Feed
	// inFlight counts, by endpoint, requests that were sent there and whose
	// answers have not ended; nil if they are not needed.
	inFlight []int
	round    round
	// believer is the scorer whose index beliefs are taken from; nil where none has one.
	believer believer
	tell     func(*Explanation) // nil while no caller asks
	force    policy.Force       // nil while nothing is forced
	// serves are the endpoints of the router's stage; nil where each serves whole requests.
	serves []bool
	// inPlace says that the endpoint that decodes is one of them.
	inPlace bool
	// readsEngines says that the policy reads what engines export.
	readsEngines bool
}

// A chooser chooses one of the round's candidates, by its index.
type chooser interface {
	choose(r *round) int
}

// A follower learns where a request was sent.
type follower interface {
	routed(r *round, endpoint int)
}

// A promptMemory is a follower that remembers which endpoints have a prompt. Others count what
// their own router sends.
type promptMemory interface {
	follower
	remembersPrompts()
}

// A believer keeps an index of what endpoints' caches hold.
type believer interface {
	// believed returns how many tokens of the round's prompt, which it has scored, an
	// endpoint is believed to hold.
	believed(r *round, endpoint int) int
}

// A round is what is known when one request is routed.
type round struct {
	view    *policy.View
	request *policy.Request
	// candidates are the endpoints that are there, at least one.
	candidates []int
	inFlight   []int // by endpoint; nil if they are not counted
	// decodes is the endpoint that decodes, where one is chosen that computes the prompt.
	decodes int
}

// New returns a router over the given number of endpoints. What is random follows from the
// seed.
func New(c *Config, endpoints int, seed int64) *Router {
	return NewReplicas(c, endpoints, 1, seed, &policy.Faults{})[0]
}

// NewReplicas returns several routers over the same endpoints. Each draws numbers of its
// own, and they agree on what follows from a configuration, such as a ring of hashes. A
// program that routes says its faults to faults.
func NewReplicas(c *Config, endpoints, replicas int, seed int64, faults *policy.Faults) []*Router {
	routers := make([]*Router, replicas)
	for i := range routers {
		routers[i] = newBuilder(c, endpoints, seed+int64(i), seed, faults).build(c)
	}
	return routers
}

// A builder makes the parts of a router.
type builder struct {
	endpoints int
	// seed is the router's own, and sharedSeed is the same for all replicas of a router.
	seed, sharedSeed int64
	ties             string
	faults           *policy.Faults
	router           *Router
	// stage is what the router chooses for, and roles are those of the endpoints; nil where each
	// serves whole requests.
	stage stage
	roles []Role
}

func newBuilder(c *Config, endpoints int, seed, sharedSeed int64, faults *policy.Faults) *builder {
	return &builder{endpoints: endpoints, seed: seed, sharedSeed: sharedSeed, ties: c.ties, faults: faults, router: &Router{}}
}

// build makes the router.
func (b *builder) build(c *Config) *Router {
	b.router.chooser = c.make(b)
	b.router.round.candidates = make([]int, 0, b.endpoints)
	return b.router
}

// follow adds a follower of where requests were sent.
func (b *builder) follow(f follower) { b.router.followers = append(b.router.followers, f) }

// count lets the router count requests in flight.
func (b *builder) count() {
	if b.router.inFlight == nil {
		b.router.inFlight = make([]int, b.endpoints)
	}
}

// Route implements [policy.Router]. There is no error but
// [policy.ErrNoEndpoint].
func (r *Router) Route(view *policy.View, request *policy.Request) (policy.Route, error) {
	for _, f := range r.feeds {
		f.Deliver(view.Now)
	}
	n := &r.round
	n.view, n.request, n.inFlight = view, request, r.inFlight
	n.candidates = n.candidates[:0]
	for e := range view.Scrapes {
		if (view.Down == nil || !view.Down[e]) && r.takesPart(e) {
			n.candidates = append(n.candidates, e)
		}
	}
	var about *Explanation
	if r.tell != nil {
		about = r.begin(view, request)
	}
	if len(n.candidates) == 0 {
		if about != nil {
			r.end(about, none, policy.ErrNoEndpoint)
		}
		return policy.Route{}, policy.ErrNoEndpoint
	}
	endpoint := n.candidates[r.chooser.choose(n)]
	if r.force != nil {
		endpoint = r.force(request.ID, n.candidates, endpoint)
	}
	if about != nil {
		r.end(about, endpoint, nil)
	}
	var believed policy.Belief
	if r.believer != nil {
		believed = policy.Believing(r.believer.believed(n, endpoint))
	}
	for _, f := range r.followers {
		f.routed(n, endpoint)
	}
	if r.inFlight != nil {
		r.inFlight[endpoint]++
	}
	to := policy.To(endpoint)
	to.Believed = believed
	return to, nil
}

// Force implements [policy.Forcible]. All endpoints that are there are candidates: the stages
// of a policy rank them, and each could serve the request.
func (r *Router) Force(force policy.Force) { r.force = force }

// Routing returns the router with what it takes part in: it learns of ends if it
// counts requests in flight, and of KV events where it keeps an index.
func (r *Router) Routing() policy.Routing {
	routing := policy.Routing{Router: r, Engines: r.readsEngines}
	if r.inFlight != nil {
		routing.Responses = r
	}
	if len(r.feeds) > 0 {
		routing.KVEvents = r
	}
	return routing
}

// FirstToken implements [policy.ResponseListener].
func (r *Router) FirstToken(*policy.Request, int) {}

// Finished implements [policy.ResponseListener].
func (r *Router) Finished(request *policy.Request, endpoint int) {
	r.inFlight[endpoint]--
	if r.inFlight[endpoint] < 0 {
		panic(fmt.Sprintf("native: request %d ends on endpoint %d, where none is in flight", request.ID, endpoint))
	}
}

// Stored implements [policy.KVEventListener].
func (r *Router) Stored(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	r.put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Stored, Tier: tier, Blocks: blocks})
}

// Removed implements [policy.KVEventListener].
func (r *Router) Removed(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	r.put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Removed, Tier: tier, Blocks: blocks})
}

// Cleared implements [policy.KVEventListener].
func (r *Router) Cleared(at simtime.Time, endpoint int) {
	r.put(kvindex.Event{At: at, Endpoint: int32(endpoint), Kind: kvindex.Cleared})
}

func (r *Router) put(e kvindex.Event) {
	for _, f := range r.feeds {
		f.Put(e)
	}
}
