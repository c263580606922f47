// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simulator/internal/request"

// conserved checks kv_cache_conservation: on the GPU and in each tier the blocks
// that are free, used or pending add up to all of them, and
// nothing is pinned that nobody has pinned.
func (v *invariants) conserved(s *simulation, r *replica) {
	if err := r.cache.Check(); err != nil {
		broken(s, "replica %d: %v", r.index, err)
	}
	if sum := r.cache.Free() + r.cache.Used(); sum != r.cache.Blocks() {
		broken(s, "replica %d: %d blocks free or used, of %d", r.index, sum, r.cache.Blocks())
	}
	if r.tiers == nil {
		return
	}
	for k := range r.tiers.tiers {
		t := r.tiers.tiers[k].store
		if err := t.Check(); err != nil {
			broken(s, "replica %d, tier %d: %v", r.index, k, err)
		}
		if t.Present()+t.Pending() != t.Used() || t.Used() > t.Blocks() || t.Pinned() > t.Present() {
			broken(s, "replica %d, tier %d: %d blocks present, %d of them pinned, and %d pending, of %d",
				r.index, k, t.Present(), t.Pinned(), t.Pending(), t.Blocks())
		}
	}
}

// handedOver checks pd_handoff and pd_ownership of the requests that are to run:
// none decodes before its prompt is computed elsewhere and enough of that has
// come; each block of a hand-over is local, transferring or transferred; and no more
// hand-overs to the replica are under way than may be.
func (v *invariants) handedOver(s *simulation, r *replica) {
	if most := s.cluster.handoff.MaxPending; most > 0 && r.port.pending > most {
		broken(s, "replica %d: %d hand-overs are under way to it, more than %d", r.index, r.port.pending, most)
	}
	for _, id := range r.batch.running {
		q := &s.requests.All[id]
		if q.Handoff == 0 || q.Job {
			continue
		}
		if h := s.cluster.handoffs.of(q); !h.ready || h.done == request.Unset || h.arrived < h.mark {
			broken(s, "request %d decodes with %d of %d blocks handed over, %d wanted", q.Info.ID, h.arrived, h.needs, h.mark)
		}
	}
	for i := range s.requests.All {
		q := &s.requests.All[i]
		if q.Phase() == request.None || q.Job || q.Handoff == 0 {
			continue
		}
		h := s.cluster.handoffs.of(q)
		local, transferring, transferred := h.needs-h.posted, h.posted-h.arrived, h.arrived
		under := int32(0)
		for _, f := range h.flights {
			under += f.blocks + f.rest
		}
		if h.reserved && (local < 0 || transferring != under || transferred < 0 || h.ready && h.done == request.Unset) {
			broken(s, "hand-over of request %d: %d blocks local, %d transferring (%d in flight), %d transferred",
				q.Info.ID, local, transferring, under, transferred)
		}
	}
}

// over checks no_double_counting: every token of an answer, and of a prompt that
// was scheduled, is in the figures once, however often it was computed.
func (v *invariants) Over() {
	s := v.s
	if s.horizon.WarmUp > 0 {
		return
	}
	var prompts, outputs int64
	for _, c := range s.metrics.Cells {
		prompts += c.PromptTokens
		outputs += c.OutputTokens
	}
	if prompts != v.promptTokens || outputs != v.tokensDelivered {
		broken(s, "%d prompt and %d output tokens counted, of %d and %d", prompts, outputs, v.promptTokens, v.tokensDelivered)
	}
	if v.cutOff {
		return
	}
	for i := range s.cluster.replicas {
		r := &s.cluster.replicas[i]
		kept := r.tiers != nil && r.tiers.frees()
		if p := &r.port; p.pending != 0 || p.loading != 0 || p.holding != 0 || p.jobs != 0 || len(p.held) > 0 || len(p.leaving) > 0 || r.cache.Used() > 0 && !kept {
			broken(s, "replica %d: all requests have ended, and %d blocks are used, %+v", r.index, r.cache.Used(), *p)
		}
	}
}
