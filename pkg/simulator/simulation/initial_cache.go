// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// recall puts the beginning of a prompt that the engine has not computed into blocks without
// content, as if traffic before the replica's start had left it there (see
// Pool.InitialCacheHitRate).
func (r *replica) recall(q *request.Request) {
	rate := r.config.InitialCacheHitRate
	if rate == 0 || !r.prefixCaching || q.Scheduled() || q.Phase() == request.Ready || q.Handoff != 0 && !q.Job {
		return
	}
	block := r.cache.BlockTokens()
	share := min(int(float64(rate*float64(q.Prompt))), int(q.Total-1)) / block * block
	cached := r.cache.Match(q.Chain, share)
	r.unused = min(r.unused, r.cache.Blank())
	share = min(share, cached+r.unused*block)
	if share <= cached {
		return
	}
	r.unused -= (share - cached) / block
	if s, ok := r.cache.Admit(kv.Admission{Chain: q.Chain, Cached: cached, Tokens: share, Reserve: share, Priority: q.Info.Priority}); ok {
		r.cache.Release(s)
	}
}
