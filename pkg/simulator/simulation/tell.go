// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// listeners are those of a Config who are told of what engines do. Each is nil where nobody wants
// to know.
type listeners struct {
	preempted   func(simulator.Preemption)
	stepped     func(simulator.EngineStep)
	transferred func(simulator.Transfer)
	handedOver  func(simulator.HandOver)
}

// tellStep tells of a step that begins.
func (r *replica) tellStep(now simtime.Time, step *latency.Step, duration time.Duration) {
	r.listeners.stepped(simulator.EngineStep{
		At: now, Duration: duration, Replica: int(r.index),
		Running: len(r.batch.running), Waiting: r.waiting.Len() + int(r.port.loading),
		PrefillTokens: step.PrefillTokens, DecodeTokens: step.DecodeTokens, KVUsage: r.cache.Usage(),
	})
}

// preemptionOf describes the preemption of a request that still has its place.
func (r *replica) preemptionOf(q *request.Request) simulator.Preemption {
	return simulator.Preemption{
		At: r.now, Request: q.Info.ID, Replica: int(r.index), Running: len(r.batch.running),
		Waiting: r.waiting.Len() + int(r.port.loading), Computed: int(q.Computed), KVUsage: r.cache.Usage(),
	}
}

var tierPlaces = [simulator.TierKinds]string{simulator.CPUTier: simulator.CPUPlace, simulator.StorageTier: simulator.StoragePlace}

// sending is when a transfer began and how many bytes it has.
type sending struct {
	at    simtime.Time
	bytes int64
}

func (t *sending) begin(at simtime.Time, bytes int64) { *t = sending{at, bytes} }

func (t *sending) begun() sending { return *t }

// tellTransfer tells of a transfer that ends now.
func (c *cluster) tellTransfer(d transferHandler, cancelled bool) {
	if c.listeners.transferred == nil {
		return
	}
	t := d.describe(c)
	begun := d.begun()
	t.Begun, t.Bytes, t.Ended, t.Cancelled = begun.at, begun.bytes, c.now, cancelled
	c.listeners.transferred(t)
}

func (f *flight) describe(c *cluster) simulator.Transfer {
	h := &c.handoffs.all[f.handoff-1]
	return simulator.Transfer{
		Reason: simulator.HandOverReason, Request: c.requests.All[h.decode].Info.ID,
		From: int(h.from), To: int(h.to), FromTier: simulator.GPUPlace, ToTier: simulator.GPUPlace,
	}
}

func (d *load) describe(c *cluster) simulator.Transfer {
	kind := c.replicas[d.replica].tiers.tiers[d.tier].kind
	return simulator.Transfer{
		Reason: simulator.ReloadTransfer, Request: c.requests.All[d.request].Info.ID,
		From: int(d.replica), To: int(d.replica), FromTier: tierPlaces[kind], ToTier: simulator.GPUPlace,
	}
}

func (c *copying) describe(in *cluster) simulator.Transfer {
	tiers := in.replicas[c.replica].tiers.tiers
	from := simulator.GPUPlace
	if c.tier > 0 && !c.past {
		from = tierPlaces[tiers[c.tier-1].kind]
	}
	return simulator.Transfer{
		Reason: simulator.OffloadTransfer, Request: c.request,
		From: int(c.replica), To: int(c.replica), FromTier: from, ToTier: tierPlaces[tiers[c.tier].kind],
	}
}

// tellHandOver tells of a hand-over that ends now.
func (c *cluster) tellHandOver(h *handoff, cancelled bool) {
	if c.listeners.handedOver == nil {
		return
	}
	q := &c.requests.All[h.decode]
	told := simulator.HandOver{
		Request: q.Info.ID, Prefill: int(h.from), Decode: int(h.to), Begun: h.begun, Prefilled: h.done, Ready: h.readyAt, Ended: c.now,
		Cancelled: cancelled, Bytes: int64(h.arrived) * c.replicas[h.from].blockBytes,
	}
	if h.ready {
		told.Tokens = int(q.Remote)
	}
	c.listeners.handedOver(told)
}
