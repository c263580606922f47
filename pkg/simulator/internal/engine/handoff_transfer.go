// SPDX-License-Identifier: Apache-2.0

package engine

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
	Blocks, Rest int32
	// upTo is the block after the last of them. landed says that they got there
	// before the step had ended that computes it.
	upTo   int32
	landed bool
}

// sendReady sends what can be sent and has not been.
func (c *Cluster) sendReady(h *handoff) {
	n := h.available - h.sent
	if !h.Reserved || n <= 0 {
		return
	}
	h.sent = h.available
	first := n
	if before := h.Posted; before < h.Mark && h.Mark < before+n {
		// Decode can begin with the first part.
		first = h.Mark - before
	}
	h.Posted += n
	c.sendBlocks(h, h.sent-n+first, first, n-first)
}

// sendBlocks puts blocks on their way, and others when they are there.
func (c *Cluster) sendBlocks(h *handoff, upTo, blocks, rest int32) {
	from, to := &c.Replicas[h.from], &c.Replicas[h.to]
	var wait time.Duration
	if c.Handoff.Granularity == simulator.GranularityBlock {
		wait = time.Duration(blocks-1) * (c.Handoff.Egress.Latency + c.Handoff.Ingress.Latency)
	}
	f := &flight{handoff: c.Requests.All[h.decode].Handoff, Blocks: blocks, Rest: rest, upTo: upTo}
	f.id = c.beginTransfer(from.Fabric, wait, f, int64(blocks)*from.blockBytes, from.Port.egress, to.Port.ingress)
	h.Flights = append(h.Flights, f)
}

// land implements duty.
func (f *flight) land(c *Cluster, _ simtime.Time) {
	h := &c.Handoffs.all[f.handoff-1]
	if rest := f.Rest; rest > 0 {
		f.Rest = 0
		c.sendBlocks(h, f.upTo+rest, rest, 0)
	}
	if f.upTo > h.confirmed {
		f.landed = true
		return
	}
	c.flightArrived(h, f)
}

// cancel does nothing: a hand-over takes its flights back itself.
func (f *flight) cancel(*Cluster) {}
func (f *flight) of() int32       { return simulator.NoReplica }

func (f *flight) count(c *Cluster, n int) {
	h := &c.Handoffs.all[f.handoff-1]
	c.Replicas[h.from].Port.transfers += n
	c.Replicas[h.to].Port.transfers += n
}

// flightArrived counts the blocks of a flight that are where they are to be.
func (c *Cluster) flightArrived(h *handoff, f *flight) {
	at := slices.Index(h.Flights, f)
	h.Flights = slices.Delete(h.Flights, at, at+1)
	h.Arrived += f.Blocks
	c.progress(h)
}

// arriveConfirmed lets those flights arrive that got there before the step had ended
// that computes their blocks, which it has now.
func (c *Cluster) arriveConfirmed(h *handoff) {
	for i := 0; i < len(h.Flights); {
		f := h.Flights[i]
		if !f.landed || f.upTo > h.confirmed {
			i++
			continue
		}
		c.flightArrived(h, f)
		i = 0
	}
}

// cancelFlights takes back what is under way of a hand-over.
func (c *Cluster) cancelFlights(h *handoff) {
	for _, f := range h.Flights {
		if !f.landed {
			c.abort(c.Replicas[h.from].Fabric, f.id)
		}
	}
	h.Flights = h.Flights[:0]
}

func (f *flight) describe(c *Cluster) simulator.Transfer {
	h := &c.Handoffs.all[f.handoff-1]
	return simulator.Transfer{
		Reason: simulator.HandOverReason, Request: c.Requests.All[h.decode].Info.ID,
		From: int(h.from), To: int(h.to), FromTier: simulator.GPUPlace, ToTier: simulator.GPUPlace,
	}
}
