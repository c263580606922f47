// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/kv"
)

// Check panics where the rules of Config are broken.
func (c *Config) Check() {
	endpoints := 0
	for i := range c.Pools {
		c.Pools[i].check()
		endpoints += c.Pools[i].Places()
	}
	h := &c.Horizon
	switch {
	case endpoints == 0:
		panic("simulator: no replicas")
	case c.Policies.Routing.Router == nil || c.Source == nil:
		panic("simulator: no router or no source")
	case c.Policies.Routing.Usage != nil && c.Policies.Routing.Responses == nil,
		c.Policies.Routing.Evictor != nil && c.Policies.Routing.Queue == nil:
		panic("simulator: a usage listener without a response listener, or an evictor without a queue")
	case c.ScrapeInterval < 0 || h.Requests < 0 || h.Duration < 0 || h.WarmUp < 0 || h.Drain < 0:
		panic(fmt.Sprintf("simulator: negative scrape interval %v or horizon %+v", c.ScrapeInterval, *h))
	}
	c.Handoff.check()
	c.Series.check()
	checkDisruptions(c.Disruptions, endpoints)
	c.checkScaling()
}

func (p *Pool) check() {
	switch {
	case p.Timer == nil:
		panic(fmt.Sprintf("simulator: pool %q has no timer", p.Name))
	case p.Replicas < 0 || p.MaxReplicas < 0 || p.BlockTokens < 1 || p.KVBlocks < 1 || p.MaxNumSeqs < 1 || p.MaxNumBatchedTokens < 1 || p.MaxModelLen < 0 || p.LongPrefillTokens < 0 || !(p.InitialCacheHitRate >= 0 && p.InitialCacheHitRate <= 1) || p.ReportedBlocks < 0:
		panic(fmt.Sprintf("simulator: pool %q: %d replicas, %d blocks (%d reported) of %d tokens, %d sequences, %d tokens a step (%d of a prompt), model length %d",
			p.Name, p.Replicas, p.KVBlocks, p.ReportedBlocks, p.BlockTokens, p.MaxNumSeqs, p.MaxNumBatchedTokens, p.LongPrefillTokens, p.MaxModelLen))
	case p.Cost.QueueBase < 0 || p.Cost.QueuePerInputToken < 0 || p.Cost.PerOutputToken < 0 || p.Cost.Completion < 0:
		panic(fmt.Sprintf("simulator: pool %q: negative cost %+v", p.Name, p.Cost))
	case negative(p.MaxQueuedRequests) || negative(p.MaxQueuedTokens):
		panic(fmt.Sprintf("simulator: pool %q: negative bounds of what the engine lets in", p.Name))
	case p.ScrapeInterval < 0:
		panic(fmt.Sprintf("simulator: pool %q: negative scrape interval %v", p.Name, p.ScrapeInterval))
	case p.BlockBytes < 0 || p.BlockBytes > math.MaxInt64/int64(p.KVBlocks):
		panic(fmt.Sprintf("simulator: pool %q: %d blocks of %d bytes", p.Name, p.KVBlocks, p.BlockBytes))
	case p.Ranks < 0 || p.Replicas%p.RanksPerReplica() != 0 || p.MaxReplicas%p.RanksPerReplica() != 0:
		panic(fmt.Sprintf("simulator: pool %q: %d replicas, at most %d, of %d ranks", p.Name, p.Replicas, p.MaxReplicas, p.Ranks))
	case p.OnePort && p.RanksPerReplica() < 2:
		panic(fmt.Sprintf("simulator: pool %q: one port of one rank", p.Name))
	case p.Windows.Groups < 0 || (p.Windows.Groups > 0) != (p.Windows.Blocks > 0) || p.longestSequence() < 1:
		panic(fmt.Sprintf("simulator: pool %q: windows %+v with %d blocks", p.Name, p.Windows, p.KVBlocks))
	case !known(p.Eviction):
		panic(fmt.Sprintf("simulator: pool %q: eviction order %d", p.Name, p.Eviction))
	case p.Stability != nil && (p.Stability.Admission < AdmitAlways || p.Stability.Admission > AdmitOrRefuse):
		panic(fmt.Sprintf("simulator: pool %q: stability admission %d", p.Name, p.Stability.Admission))
	}
	if a := p.Adapters; a != nil && (a.Max < 1 || a.LoadTime < 0) {
		panic(fmt.Sprintf("simulator: pool %q: adapters %+v", p.Name, *a))
	}
	p.Speculation.Check()
	p.checkTiers()
}

func negative(bound *int) bool { return bound != nil && *bound < 0 }

// longestSequence returns how many blocks a sequence can have that is alone on a replica.
func (p *Pool) longestSequence() int { return p.Windows.LongestSequence(p.KVBlocks) }

// KVTokens returns of how many tokens a sequence that is alone on a replica can have the KV.
func (p *Pool) KVTokens() int { return p.longestSequence() * p.BlockTokens }

// Places is how many replicas there may be at once, and so how many endpoints.
func (p *Pool) Places() int { return max(p.Replicas, p.MaxReplicas) }

// RanksPerReplica is how many endpoints one replica is.
func (p *Pool) RanksPerReplica() int { return max(p.Ranks, 1) }

// EndpointNames name the endpoints of the pool.
func (p *Pool) EndpointNames() []string {
	return EndpointNames(p.Name, p.Places(), p.RanksPerReplica())
}

// EndpointNames name the endpoints of a pool whose replicas have a number of ranks, such as
// llama/0, or llama/0-rank-1.
func EndpointNames(pool string, endpoints, ranks int) []string {
	names := make([]string, endpoints)
	for i := range names {
		names[i] = pool + "/" + strconv.Itoa(i/ranks)
		if ranks > 1 {
			names[i] += "-rank-" + strconv.Itoa(i%ranks)
		}
	}
	return names
}

// known says that there is such an order.
func known(o kv.Order) bool { return o >= kv.LRU && o <= kv.Priority }
