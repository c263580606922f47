// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/kv"

// recall puts the beginning of a prompt that the engine has not computed into blocks without
// content, as if traffic before the replica's start had left it there (see
// Pool.InitialCacheHitRate).
func (r *replica) recall(q *request) {
	rate := r.config.InitialCacheHitRate
	if rate == 0 || !r.prefixCaching || q.scheduled() || q.Phase() == phaseReady || q.handoff != 0 && !q.job {
		return
	}
	block := r.cache.BlockTokens()
	share := min(int(float64(rate*float64(q.prompt))), int(q.total-1)) / block * block
	cached := r.cache.Match(q.chain, share)
	r.unused = min(r.unused, r.cache.Blank())
	share = min(share, cached+r.unused*block)
	if share <= cached {
		return
	}
	r.unused -= (share - cached) / block
	if s, ok := r.cache.Admit(kv.Admission{Chain: q.chain, Cached: cached, Tokens: share, Reserve: share, Priority: q.info.Priority}); ok {
		r.cache.Release(s)
	}
}
