// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// conserved checks kv_cache_conservation: on the GPU and in each tier the blocks
// that are free, used or pending add up to all of them, and
// nothing is pinned that nobody has pinned.
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
	for k := range r.Tiers.Tiers {
		t := r.Tiers.Tiers[k].Store
		if err := t.Check(); err != nil {
			broken(s, "replica %d, tier %d: %v", r.Index, k, err)
		}
		if t.Present()+t.Pending() != t.Used() || t.Used() > t.Blocks() || t.Pinned() > t.Present() {
			broken(s, "replica %d, tier %d: %d blocks present, %d of them pinned, and %d pending, of %d",
				r.Index, k, t.Present(), t.Pinned(), t.Pending(), t.Blocks())
		}
	}
}

// handedOver checks pd_handoff and pd_ownership of the requests that are to run:
// none decodes before its prompt is computed elsewhere and enough of that has
// come; each block of a hand-over is local, transferring or transferred; and no more
// hand-overs to the replica are under way than may be.
func (v *invariants) handedOver(s *simulation, r *engine.Replica) {
	if most := s.cluster.Handoff.MaxPending; most > 0 && r.Port.Pending > most {
		broken(s, "replica %d: %d hand-overs are under way to it, more than %d", r.Index, r.Port.Pending, most)
	}
	for _, id := range r.Batch.Running {
		q := &s.Requests.All[id]
		if q.Handoff == 0 || q.Job {
			continue
		}
		if h := s.cluster.Handoffs.Of(q); !h.Ready || h.Done == request.Unset || h.Arrived < h.Mark {
			broken(s, "request %d decodes with %d of %d blocks handed over, %d wanted", q.Info.ID, h.Arrived, h.Needs, h.Mark)
		}
	}
	for i := range s.Requests.All {
		q := &s.Requests.All[i]
		if q.Phase() == request.None || q.Job || q.Handoff == 0 {
			continue
		}
		h := s.cluster.Handoffs.Of(q)
		local, transferring, transferred := h.Needs-h.Posted, h.Posted-h.Arrived, h.Arrived
		under := int32(0)
		for _, f := range h.Flights {
			under += f.Blocks + f.Rest
		}
		if h.Reserved && (local < 0 || transferring != under || transferred < 0 || h.Ready && h.Done == request.Unset) {
			broken(s, "hand-over of request %d: %d blocks local, %d transferring (%d in flight), %d transferred",
				q.Info.ID, local, transferring, under, transferred)
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
		if p := &r.Port; p.Pending != 0 || p.Loading != 0 || p.Holding != 0 || p.Jobs != 0 || len(p.Held) > 0 || len(p.Leaving) > 0 || r.Cache.Used() > 0 && !kept {
			broken(s, "replica %d: all requests have ended, and %d blocks are used, %+v", r.Index, r.Cache.Used(), *p)
		}
	}
}
