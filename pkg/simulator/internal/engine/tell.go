// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Listeners are those of a Config who are told of what engines do. Each is nil where nobody wants
// to know.
type Listeners struct {
	Preempted   func(simulator.Preemption)
	Stepped     func(simulator.EngineStep)
	Transferred func(simulator.Transfer)
	HandedOver  func(simulator.HandOver)
}

// tellStep tells of a step that begins.
func (r *Replica) tellStep(now simtime.Time, step *latency.Step, duration time.Duration) {
	r.Listeners.Stepped(simulator.EngineStep{
		At: now, Duration: duration, Replica: int(r.Index),
		Running: len(r.Batch.Running), Waiting: r.Waiting.Len() + int(r.Port.Loading),
		PrefillTokens: step.PrefillTokens, DecodeTokens: step.DecodeTokens, KVUsage: r.Cache.Usage(),
	})
}

// preemptionOf describes the preemption of a request that still has its place.
func (r *Replica) preemptionOf(q *request.Request) simulator.Preemption {
	return simulator.Preemption{
		At: r.Now, Request: q.Info.ID, Replica: int(r.Index), Running: len(r.Batch.Running),
		Waiting: r.Waiting.Len() + int(r.Port.Loading), Computed: int(q.Computed), KVUsage: r.Cache.Usage(),
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
func (c *Cluster) tellTransfer(d transferHandler, cancelled bool) {
	if c.Listeners.Transferred == nil {
		return
	}
	t := d.describe(c)
	begun := d.begun()
	t.Begun, t.Bytes, t.Ended, t.Cancelled = begun.at, begun.bytes, c.Now, cancelled
	c.Listeners.Transferred(t)
}

func (f *flight) describe(c *Cluster) simulator.Transfer {
	h := &c.Handoffs.all[f.handoff-1]
	return simulator.Transfer{
		Reason: simulator.HandOverReason, Request: c.Requests.All[h.decode].Info.ID,
		From: int(h.from), To: int(h.to), FromTier: simulator.GPUPlace, ToTier: simulator.GPUPlace,
	}
}

func (d *load) describe(c *Cluster) simulator.Transfer {
	kind := c.Replicas[d.replica].Tiers.Tiers[d.tier].kind
	return simulator.Transfer{
		Reason: simulator.ReloadTransfer, Request: c.Requests.All[d.request].Info.ID,
		From: int(d.replica), To: int(d.replica), FromTier: tierPlaces[kind], ToTier: simulator.GPUPlace,
	}
}

func (c *copying) describe(in *Cluster) simulator.Transfer {
	tiers := in.Replicas[c.replica].Tiers.Tiers
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
func (c *Cluster) tellHandOver(h *handoff, cancelled bool) {
	if c.Listeners.HandedOver == nil {
		return
	}
	q := &c.Requests.All[h.decode]
	told := simulator.HandOver{
		Request: q.Info.ID, Prefill: int(h.from), Decode: int(h.to), Begun: h.begun, Prefilled: h.Done, Ready: h.readyAt, Ended: c.Now,
		Cancelled: cancelled, Bytes: int64(h.Arrived) * c.Replicas[h.from].blockBytes,
	}
	if h.Ready {
		told.Tokens = int(q.Remote)
	}
	c.Listeners.HandedOver(told)
}
