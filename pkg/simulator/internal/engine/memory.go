// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/tier"
)

// memory is the KV and the adapters that a replica holds, and the links on which KV comes
// and goes.
type memory struct {
	limits *limits
	Cache  *kv.Cache
	// unused bounds the blocks that can still hold KV from before the replica's start.
	unused int
	// cacheEvents tells the router what the cache holds; nil where it does not hear.
	cacheEvents *cacheEventRelay
	// Fabric moves blocks over the links. A replica without links has one only where all replicas
	// advance in the order of time, and otherwise nil.
	Fabric *network.Fabric
	// Tiers is the tiers below the cache; nil if there are none. Then Fabric is set.
	Tiers *tier.Set
	// links are those of Fabric that belong to the replica.
	links network.Links
	// Adapters are those that the replica holds; nil where it serves none.
	Adapters *adapters

	extents []prompt.Extent // scratch
}

// empty makes the memory that of a replica that has just started.
func (m *memory) empty() {
	p := m.limits.Config
	m.Cache = kv.NewCache(p.KVBlocks, p.BlockTokens, p.PrefixCaching, p.Eviction)
	m.Cache.SetWindows(p.Windows)
	m.unused = p.KVBlocks
	m.Adapters = newAdapters(p.Adapters)
}

// blocksOf returns how many blocks a number of tokens takes.
func (m *memory) blocksOf(tokens int32) int32 {
	block := int32(m.Cache.BlockTokens())
	return (tokens + block - 1) / block
}

// match returns how many leading tokens of a request the cache has. The last
// token is always computed: its output is the next token.
func (m *memory) match(q *request.Request) int32 {
	return int32(m.Cache.Match(q.Chain, int(q.Total-1)))
}

// fewStretches is how many texts most prompts have at most, with the answer.
const fewStretches = 6

// nameBlocks names the full blocks of prompt and answer together: an engine keeps
// the blocks of generated tokens findable too. It leaves out those that only this request
// has, if it may: the request asks for them again only after it gave them up (see
// takeBlocks).
func (m *memory) nameBlocks(q *request.Request) {
	if q.Chained || !m.limits.PrefixCaching {
		return
	}
	if q.Chain == nil {
		q.Chain = make([]prompt.Stretch, 0, fewStretches)
	}
	q.Anonymous = q.Info.Prompt.Own > 0 && m.forgets()
	if q.Anonymous {
		m.extents = append(m.extents[:0], q.Info.Prompt.Shared().Extents...)
	} else {
		m.extents = append(append(m.extents[:0], q.Info.Prompt.Extents...), q.Answer)
		if q.Terms != nil {
			m.extents = append(m.extents, q.Terms.Rest...)
		}
	}
	q.Chain = prompt.Prompt{Extents: m.extents}.FullStretches(q.Chain[:0], m.Cache.BlockTokens())
	prompt.ForAdapter(q.Chain, q.Info.Adapter)
	q.Chained = true
}

// forgets says that nothing outside the cache follows which blocks hold what, so that those
// that only one request asks for need no names.
func (m *memory) forgets() bool {
	p := m.limits.Config
	return !m.links.Any() && m.cacheEvents == nil && p.Eviction == kv.LRU && p.InitialCacheHitRate == 0
}

// takeBlocks frees the blocks of a request that may come back for them.
func (m *memory) takeBlocks(q *request.Request) {
	if q.Anonymous {
		q.Info.Prompt.Own, q.Chained = 0, false
		m.nameBlocks(q)
		m.Cache.Name(q.Blocks, q.Chain)
	}
	m.Cache.Release(q.Blocks)
}

// recall puts the beginning of a prompt that the engine has not computed into blocks without
// content, as if traffic before the replica's start had left it there (see
// Pool.InitialCacheHitRate).
func (m *memory) recall(q *request.Request) {
	rate := m.limits.Config.InitialCacheHitRate
	if rate == 0 || !m.limits.PrefixCaching || q.Scheduled() || q.Phase() == request.Ready || q.Handoff != 0 && !q.Job {
		return
	}
	block := m.Cache.BlockTokens()
	share := min(int(float64(rate*float64(q.Prompt))), int(q.Total-1)) / block * block
	cached := m.Cache.Match(q.Chain, share)
	m.unused = min(m.unused, m.Cache.Blank())
	share = min(share, cached+m.unused*block)
	if share <= cached {
		return
	}
	m.unused -= (share - cached) / block
	if s, ok := m.Cache.Admit(kv.Admission{Chain: q.Chain, Cached: cached, Tokens: share, Reserve: share, Priority: q.Info.Priority}); ok {
		m.Cache.Release(s)
	}
}

// extend gives a request that runs blocks for its next n tokens, and, where the replica
// speculates, for those that it looks ahead. Drafts cannot be found in the cache.
func (m *memory) extend(q *request.Request, n int32) bool {
	tokens := q.Computed + n
	if !m.limits.Speculates() {
		return m.Cache.Extend(q.Blocks, int(tokens))
	}
	_, most := m.limits.mostTokens()
	room := min(tokens+int32(m.limits.Config.Speculation.Lookahead), most)
	return m.Cache.ExtendPast(q.Blocks, int(min(tokens, q.Total)), int(room))
}

// BlocksHeld returns how many blocks a request has that runs.
func (m *memory) BlocksHeld(q *request.Request) int {
	if m.limits.Speculates() {
		return m.Cache.Held(q.Blocks)
	}
	return int(m.blocksOf(q.Computed + q.Chunk))
}

// releaseBlocks frees a request's blocks, and their content too if it is to be dropped.
// Those that are being copied stay until that is done.
func (m *memory) releaseBlocks(q *request.Request, drop bool) {
	switch {
	case q.Source != 0:
		m.Cache.StopDecode(q.Blocks)
		m.Tiers.Detach(q, drop)
	case drop:
		m.Cache.Discard(q.Blocks)
	default:
		m.Cache.Release(q.Blocks)
	}
}

// Publish lets other requests use the blocks of a request whose content has come.
func (m *memory) Publish(q *request.Request) { m.Cache.Publish(q.Blocks) }

// Memory is the replica's, as a controller sees it.
func (m *memory) Memory() stability.Memory {
	blank := m.Cache.Blank()
	return stability.Memory{
		TotalBlocks:     m.Cache.Blocks(),
		FreeBlocks:      blank,
		EvictableBlocks: m.Cache.Free() - blank,
		SharedBlocks:    m.Cache.Shared(),
	}
}
