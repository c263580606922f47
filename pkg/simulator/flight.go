// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// flight is a transfer of a hand-over: some blocks, and those that follow when
// they are there.
type flight struct {
	handoff      int32
	id           transfer.ID
	blocks, rest int32
	// step is the step that computes the blocks, or none; landed says that they
	// got there before it had ended.
	step   int64
	landed bool
}

// noStep is the step of blocks that have been computed.
const noStep = -1

// send sends what can be sent and has not been.
func (s *simulation) send(h *handoff) {
	n := h.available - h.sent
	if !h.reserved || n <= 0 {
		return
	}
	h.sent = h.available
	first := n
	if before := h.posted; before < h.mark && h.mark < before+n {
		// Decode can begin with the first part.
		first = h.mark - before
	}
	h.posted += n
	step := int64(noStep)
	from, j := &s.replicas[h.from], &s.requests.all[h.job]
	if s.handing.Granularity == GranularityStream && from.stepping && j.phase == phaseRunning && j.chunk > 0 {
		step = from.batch.steps
	}
	s.post(h, step, first, n-first)
}

// post puts blocks on their way, and others when they are there.
func (s *simulation) post(h *handoff, step int64, blocks, rest int32) {
	from, to := &s.replicas[h.from], &s.replicas[h.to]
	var wait time.Duration
	if s.handing.Granularity == GranularityBlock {
		wait = time.Duration(blocks-1) * (s.handing.Egress.Latency + s.handing.Ingress.Latency)
	}
	f := &flight{handoff: s.requests.all[h.decode].handoff, blocks: blocks, rest: rest, step: step}
	f.id = from.fabric.beginAfter(s.now, wait, f, int64(blocks)*from.blockBytes, from.port.egress, to.port.ingress)
	h.flights = append(h.flights, f)
}

// land implements duty.
func (f *flight) land(s *simulation, _ simtime.Time) {
	h := &s.handoffs.all[f.handoff-1]
	if f.rest > 0 {
		s.post(h, f.step, f.rest, 0)
	}
	if f.step != noStep && s.replicas[h.from].batch.steps == f.step {
		f.landed = true
		return
	}
	s.arriveAt(h, f)
}

// A hand-over takes its flights back itself.
func (f *flight) cancel(*simulation) {}
func (f *flight) of() int32          { return noReplica }

// noReplica is no replica's number.
const noReplica = -1

// arriveAt counts the blocks of a flight that are where they are to be.
func (s *simulation) arriveAt(h *handoff, f *flight) {
	at := slices.Index(h.flights, f)
	h.flights = slices.Delete(h.flights, at, at+1)
	h.arrived += f.blocks
	s.progress(h)
}

// touchDown lets those flights arrive that got there before the step had ended
// that computes their blocks, which it has now.
func (s *simulation) touchDown(r *replica, h *handoff) {
	for i := 0; i < len(h.flights); {
		f := h.flights[i]
		if !f.landed || r.batch.steps == f.step {
			i++
			continue
		}
		s.arriveAt(h, f)
		i = 0
	}
}

// recall takes back what is under way of a hand-over.
func (s *simulation) recall(h *handoff) {
	for _, f := range h.flights {
		if !f.landed {
			s.replicas[h.from].fabric.abort(s.now, f.id)
		}
	}
	h.flights = h.flights[:0]
}
