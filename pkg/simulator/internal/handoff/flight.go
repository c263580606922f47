// SPDX-License-Identifier: Apache-2.0

package handoff

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// flight is a transfer of a hand-over: some blocks, and those that follow when
// they are there.
type flight struct {
	set          *Set
	handoff      int32
	id           transfer.ID
	blocks, rest int32
	// upTo is the block after the last of them. landed says that they got there
	// before the step had ended that computes it.
	upTo   int32
	landed bool
}

func (f *flight) of() *handoff { return &f.set.all[f.handoff] }

// sendReady sends what can be sent and has not been.
func (s *Set) sendReady(h *handoff) {
	n := h.available - h.sent
	if h.stage < reserved || n <= 0 {
		return
	}
	h.sent = h.available
	first := n
	if before := h.posted; before < h.mark && h.mark < before+n {
		// Decode can begin with the first part.
		first = h.mark - before
	}
	h.posted += n
	s.sendBlocks(h, h.sent-n+first, first, n-first)
}

// sendBlocks puts blocks on their way, and others when they are there.
func (s *Set) sendBlocks(h *handoff, upTo, blocks, rest int32) {
	from, to := s.Ports[h.from], s.Ports[h.to]
	var wait time.Duration
	if s.config.Granularity == simulator.GranularityBlock {
		wait = time.Duration(blocks-1) * (s.config.Egress.Latency + s.config.Ingress.Latency)
	}
	f := &flight{set: s, handoff: s.Requests.All[h.decode].Handoff - 1, blocks: blocks, rest: rest, upTo: upTo}
	f.id = from.fabric.Begin(s.Now, wait, f, int64(blocks)*from.Pool.BlockBytes, from.egress, to.ingress)
	h.flights = append(h.flights, f)
}

// Land implements [network.Transfer].
func (f *flight) Land(simtime.Time) {
	h := f.of()
	if rest := f.rest; rest > 0 {
		f.rest = 0
		f.set.sendBlocks(h, f.upTo+rest, rest, 0)
	}
	if f.upTo > h.confirmed {
		f.landed = true
		return
	}
	f.set.arrived(h, f)
}

// arrived counts the blocks of a flight that are where they are to be.
func (s *Set) arrived(h *handoff, f *flight) {
	at := slices.Index(h.flights, f)
	h.flights = slices.Delete(h.flights, at, at+1)
	h.came += f.blocks
	s.progress(h)
}

// arriveConfirmed lets those flights arrive that got there before the step had ended
// that computes their blocks, which it has now.
func (s *Set) arriveConfirmed(h *handoff) {
	for i := 0; i < len(h.flights); {
		f := h.flights[i]
		if !f.landed || f.upTo > h.confirmed {
			i++
			continue
		}
		s.arrived(h, f)
		i = 0
	}
}

// cancelFlights takes back what is under way of a hand-over.
func (s *Set) cancelFlights(h *handoff) {
	for _, f := range h.flights {
		if !f.landed {
			s.Ports[h.from].fabric.Abort(s.Now, f.id)
		}
	}
	h.flights = h.flights[:0]
}

// Cancel implements [network.Transfer]. A hand-over takes its flights back itself.
func (f *flight) Cancel(simtime.Time) {}

// Replica implements [network.Transfer].
func (f *flight) Replica() int32 { return simulator.NoReplica }

// Count implements [network.Transfer].
func (f *flight) Count(n int) {
	h := f.of()
	f.set.Ports[h.from].links.UnderWay += n
	f.set.Ports[h.to].links.UnderWay += n
}

// Describe implements [network.Transfer].
func (f *flight) Describe() simulator.Transfer {
	h := f.of()
	return simulator.Transfer{
		Reason: simulator.HandOverReason, Request: f.set.Requests.All[h.decode].Info.ID,
		From: int(h.from), To: int(h.to), FromTier: simulator.GPUPlace, ToTier: simulator.GPUPlace,
	}
}
