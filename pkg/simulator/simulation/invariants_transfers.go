// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// conserved checks kv_cache_conservation: on the GPU and in each tier the blocks
// that are free, used or pending add up to all of them, and
// nothing is pinned without an owner of the pin.
func (v *invariants) conserved(s *simulation, r *engine.Replica) {
	if err := r.Cache.Check(); err != nil {
		broken(s, "replica %d: %v", r.Index, err)
	}
	if sum := r.Cache.Free() + r.Cache.Used(); sum != r.Cache.Blocks() {
		broken(s, "replica %d: %d blocks free or used, of %d", r.Index, sum, r.Cache.Blocks())
	}
	if r.Tiers == nil {
		return
	}
	for kind, t := range r.Tiers.All() {
		if err := t.Check(); err != nil {
			broken(s, "replica %d, %v tier: %v", r.Index, kind, err)
		}
		if t.Present()+t.Pending() != t.Used() || t.Used() > t.Blocks() || t.Pinned() > t.Present() {
			broken(s, "replica %d, %v tier: %d blocks present, %d of them pinned, and %d pending, of %d",
				r.Index, kind, t.Present(), t.Pinned(), t.Pending(), t.Blocks())
		}
	}
}

// handedOver checks pd_handoff and pd_ownership of the requests that are to run:
// none decodes before its prompt is computed elsewhere and enough of that has
// come; each block of a hand-over is local, transferring or transferred; and no more
// hand-overs to the replica are under way than may be.
func (v *invariants) handedOver(s *simulation, r *engine.Replica) {
	if err := r.Port.Check(); err != nil {
		broken(s, "replica %d: %v", r.Index, err)
	}
	for i := range s.Requests.All {
		q := &s.Requests.All[i]
		if q.Phase() == request.None || q.Job || q.Handoff == 0 {
			continue
		}
		if err := s.cluster.Handoffs.Check(q); err != nil {
			broken(s, "hand-over of request %d: %v", q.Info.ID, err)
		}
	}
}

// Over checks no_double_counting: every token of an answer, and of a prompt that
// was scheduled, is in the figures once, however often it was computed.
func (v *invariants) Over() {
	s := v.s
	if s.horizon.WarmUp > 0 {
		return
	}
	var prompts, outputs int64
	for _, c := range s.Metrics.Cells {
		prompts += c.PromptTokens
		outputs += c.OutputTokens
	}
	if prompts != v.promptTokens || outputs != v.tokensDelivered {
		broken(s, "%d prompt and %d output tokens counted, of %d and %d", prompts, outputs, v.promptTokens, v.tokensDelivered)
	}
	if v.cutOff {
		return
	}
	for i := range s.cluster.Replicas {
		r := &s.cluster.Replicas[i]
		kept := r.Tiers != nil && r.Tiers.Frees()
		if !r.Port.Idle() || r.Loading != 0 || r.Holding != 0 || r.Cache.Used() > 0 && !kept {
			broken(s, "replica %d: all requests have ended, and %d blocks are used, %d requests load, %d hold blocks",
				r.Index, r.Cache.Used(), r.Loading, r.Holding)
		}
	}
}
