// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// consistentHashing sends requests with the same key to the same endpoint, as long as the
// endpoint has room (Mirrokni, Thorup, Zadimoghaddam: Consistent Hashing with Bounded Loads,
// 2016). Endpoints have points on a ring, and a request goes to the first point after the
// hash of its key whose endpoint is there and has fewer requests in flight than
//
//	⌈loadFactor · (m + 1) / n⌉
//
// where m is the router's own count of requests in flight on the n endpoints that are there.
// So only the keys of an endpoint move when it goes, and only the requests that are too many
// leave a busy one. Each seed has a ring; several routers of a scenario have the same one.
//
// Parameters: key: session, the default, with a request without a session as a session of
// its own; tenant; or prefix, the first prefixTokens tokens, 256, or all of a shorter prompt.
// virtualNodes, 160, are the points of each endpoint; loadFactor, 1.25.
type consistentHashing struct {
	key          string
	prefixTokens int
	loadFactor   float64
	seed         uint64
	ring         ring
	chain        []prompt.Stretch
	open         []bool // by endpoint
	list         shortlist
}

// The keys.
const (
	keySession = "session"
	keyTenant  = "tenant"
	keyPrefix  = "prefix"
)

func readConsistentHashing(r *reader) func(*builder) chooser {
	spec := consistentHashing{key: r.Choice("key", "what is hashed", keySession, keyTenant, keyPrefix)}
	spec.prefixTokens = r.Count("prefixTokens", 256, "tokens of the prompt's beginning that are hashed, with key=prefix")
	if spec.key != keyPrefix {
		r.Forbid("prefixTokens", "may be set only with the key prefix")
	}
	nodes := r.CountUpTo("virtualNodes", 10_000, 160, "points on the ring for each replica")
	spec.loadFactor = r.Between("loadFactor", 1, mostFactor, 1.25, "how many times the mean of the requests in flight a replica may have")
	return func(b *builder) chooser {
		b.count()
		c := spec
		c.seed = stats.Hash64(uint64(b.sharedSeed), stats.HashString("native/consistent-hashing"))
		c.ring, c.open, c.list = newRing(c.seed, b.endpoints, nodes), make([]bool, b.endpoints), newShortlist(b)
		return &c
	}
}

func (c *consistentHashing) choose(r *round) int {
	room := c.room(r)
	c.list.begin(r)
	c.list.keep(r, "has-room", func(e int) bool { return r.inFlight[e] < room })
	clear(c.open)
	for _, i := range c.list.left {
		c.open[r.candidates[i]] = true
	}
	next := c.ring.next(c.hash(r), c.open)
	c.list.keep(r, "next-on-ring", func(e int) bool { return e == next })
	return c.list.pick()
}

// room is how many requests an endpoint may have: more than some endpoint has.
func (c *consistentHashing) room(r *round) int {
	requests := 1
	for _, e := range r.candidates {
		requests += r.inFlight[e]
	}
	return int(math.Ceil(c.loadFactor * float64(requests) / float64(len(r.candidates))))
}

// hash is where the request's key is on the ring. Keys of different kinds differ.
func (c *consistentHashing) hash(r *round) uint64 {
	const ofSession, ofRequest, ofTenant, ofPrefix = 1, 2, 3, 4
	switch q := r.request; {
	case c.key == keyTenant:
		return stats.Hash64(c.seed, ofTenant, uint64(q.Tenant))
	case c.key == keyPrefix:
		c.chain = q.Prompt.AllStretches(c.chain[:0], c.prefixTokens)
		if len(c.chain) == 0 {
			return stats.Hash64(c.seed, ofPrefix)
		}
		return stats.Hash64(c.seed, ofPrefix, c.chain[0].ID)
	case q.Session == 0:
		return stats.Hash64(c.seed, ofRequest, uint64(q.ID))
	default:
		return stats.Hash64(c.seed, ofSession, uint64(q.Session))
	}
}

func (c *consistentHashing) explain(_ *round, x *Explanation) { c.list.explain(x) }
