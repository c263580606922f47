// SPDX-License-Identifier: Apache-2.0

package simulation

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
	sending
	handoff      int32
	id           transfer.ID
	blocks, rest int32
	// upTo is the block after the last of them. landed says that they got there
	// before the step had ended that computes it.
	upTo   int32
	landed bool
}

// sendReady sends what can be sent and has not been.
func (c *cluster) sendReady(h *handoff) {
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
	c.sendBlocks(h, h.sent-n+first, first, n-first)
}

// sendBlocks puts blocks on their way, and others when they are there.
func (c *cluster) sendBlocks(h *handoff, upTo, blocks, rest int32) {
	from, to := &c.replicas[h.from], &c.replicas[h.to]
	var wait time.Duration
	if c.handoff.Granularity == simulator.GranularityBlock {
		wait = time.Duration(blocks-1) * (c.handoff.Egress.Latency + c.handoff.Ingress.Latency)
	}
	f := &flight{handoff: c.requests.All[h.decode].Handoff, blocks: blocks, rest: rest, upTo: upTo}
	f.id = c.beginTransfer(from.fabric, wait, f, int64(blocks)*from.blockBytes, from.port.egress, to.port.ingress)
	h.flights = append(h.flights, f)
}

// land implements duty.
func (f *flight) land(c *cluster, _ simtime.Time) {
	h := &c.handoffs.all[f.handoff-1]
	if rest := f.rest; rest > 0 {
		f.rest = 0
		c.sendBlocks(h, f.upTo+rest, rest, 0)
	}
	if f.upTo > h.confirmed {
		f.landed = true
		return
	}
	c.flightArrived(h, f)
}

// cancel does nothing: a hand-over takes its flights back itself.
func (f *flight) cancel(*cluster) {}
func (f *flight) of() int32       { return simulator.NoReplica }

func (f *flight) count(c *cluster, n int) {
	h := &c.handoffs.all[f.handoff-1]
	c.replicas[h.from].port.transfers += n
	c.replicas[h.to].port.transfers += n
}

// flightArrived counts the blocks of a flight that are where they are to be.
func (c *cluster) flightArrived(h *handoff, f *flight) {
	at := slices.Index(h.flights, f)
	h.flights = slices.Delete(h.flights, at, at+1)
	h.arrived += f.blocks
	c.progress(h)
}

// arriveConfirmed lets those flights arrive that got there before the step had ended
// that computes their blocks, which it has now.
func (c *cluster) arriveConfirmed(h *handoff) {
	for i := 0; i < len(h.flights); {
		f := h.flights[i]
		if !f.landed || f.upTo > h.confirmed {
			i++
			continue
		}
		c.flightArrived(h, f)
		i = 0
	}
}

// cancelFlights takes back what is under way of a hand-over.
func (c *cluster) cancelFlights(h *handoff) {
	for _, f := range h.flights {
		if !f.landed {
			c.abort(c.replicas[h.from].fabric, f.id)
		}
	}
	h.flights = h.flights[:0]
}
