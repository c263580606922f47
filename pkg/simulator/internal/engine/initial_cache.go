// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// recall puts the beginning of a prompt that the engine has not computed into blocks without
// content, as if traffic before the replica's start had left it there (see
// Pool.InitialCacheHitRate).
func (r *Replica) recall(q *request.Request) {
	rate := r.Config.InitialCacheHitRate
	if rate == 0 || !r.PrefixCaching || q.Scheduled() || q.Phase() == request.Ready || q.Handoff != 0 && !q.Job {
		return
	}
	block := r.Cache.BlockTokens()
	share := min(int(float64(rate*float64(q.Prompt))), int(q.Total-1)) / block * block
	cached := r.Cache.Match(q.Chain, share)
	r.unused = min(r.unused, r.Cache.Blank())
	share = min(share, cached+r.unused*block)
	if share <= cached {
		return
	}
	r.unused -= (share - cached) / block
	if s, ok := r.Cache.Admit(kv.Admission{Chain: q.Chain, Cached: cached, Tokens: share, Reserve: share, Priority: q.Info.Priority}); ok {
		r.Cache.Release(s)
	}
}
