// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// listeners are those of a Config who are told of what engines do. Each is nil where nobody wants
// to know.
type listeners struct {
	preempted   func(Preemption)
	stepped     func(EngineStep)
	transferred func(Transfer)
	handedOver  func(HandOver)
}

// An EngineStep is a step of an engine that begins.
type EngineStep struct {
	At       simtime.Time
	Duration time.Duration
	// Replica counts the replicas of all pools, in their order.
	Replica int
	// Running are the requests of the batch, and Waiting those of the wait queue with those whose KV
	// is on its way, as metrics count them.
	Running, Waiting int
	// PrefillTokens and DecodeTokens are what the step computes.
	PrefillTokens, DecodeTokens int
	// KVUsage is as metrics have it, with the blocks of the step.
	KVUsage float64
}

// tellStep tells of a step that begins.
func (r *replica) tellStep(now simtime.Time, step *latency.Step, duration time.Duration) {
	r.listeners.stepped(EngineStep{
		At: now, Duration: duration, Replica: int(r.index),
		Running: len(r.batch.running), Waiting: r.waiting.len() + int(r.port.loading),
		PrefillTokens: step.PrefillTokens, DecodeTokens: step.DecodeTokens, KVUsage: r.cache.Usage(),
	})
}

// A Preemption is a request that a replica takes out of its batch because KV blocks are short.
type Preemption struct {
	At simtime.Time
	// Request is its ID, Replica counts the replicas of all pools, in their order.
	Request, Replica int
	// Running and Waiting are as in an [EngineStep], the request among those that run. KVUsage is with
	// its blocks, and Computed is how many of its tokens are to be computed again.
	Running, Waiting, Computed int
	KVUsage                    float64
}

// preemptionOf describes the preemption of a request that still has its place.
func (r *replica) preemptionOf(q *request) Preemption {
	return Preemption{
		At: r.now, Request: q.info.ID, Replica: int(r.index), Running: len(r.batch.running),
		Waiting: r.waiting.len() + int(r.port.loading), Computed: int(q.computed), KVUsage: r.cache.Usage(),
	}
}

// The reasons of transfers.
const (
	OffloadTransfer = "offload"
	ReloadTransfer  = "reload"
	HandOverReason  = "pd_handoff"
)

// The places of KV in words.
const (
	GPUPlace     = "GPU"
	CPUPlace     = "CPU"
	StoragePlace = "Storage"
)

var tierPlaces = [TierKinds]string{CPUTier: CPUPlace, StorageTier: StoragePlace}

// NoRequest is the Transfer.Request of blocks that belong to no request.
const NoRequest = -1

// A Transfer is a transfer of KV that ended.
type Transfer struct {
	// Begun is when it was asked for, and Ended when its last byte was there, or when it was taken
	// back because its request or its replica was gone: Cancelled.
	Begun, Ended simtime.Time
	Cancelled    bool
	// Reason is offload, reload or pd_handoff.
	Reason string
	// Request is the ID of the request whose blocks move, or NoRequest.
	Request int
	// From and To count the replicas of all pools. They differ in hand-overs only.
	From, To         int
	FromTier, ToTier string
	Bytes            int64
}

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
	t := d.describe(c.sim)
	begun := d.begun()
	t.Begun, t.Bytes, t.Ended, t.Cancelled = begun.at, begun.bytes, c.now, cancelled
	c.listeners.transferred(t)
}

func (f *flight) describe(s *simulation) Transfer {
	h := &s.cluster.handoffs.all[f.handoff-1]
	return Transfer{
		Reason: HandOverReason, Request: s.requests.all[h.decode].info.ID,
		From: int(h.from), To: int(h.to), FromTier: GPUPlace, ToTier: GPUPlace,
	}
}

func (d *load) describe(s *simulation) Transfer {
	kind := s.cluster.replicas[d.replica].tiers.tiers[d.tier].kind
	return Transfer{
		Reason: ReloadTransfer, Request: s.requests.all[d.request].info.ID,
		From: int(d.replica), To: int(d.replica), FromTier: tierPlaces[kind], ToTier: GPUPlace,
	}
}

func (c *copying) describe(s *simulation) Transfer {
	tiers := s.cluster.replicas[c.replica].tiers.tiers
	from := GPUPlace
	if c.tier > 0 && !c.past {
		from = tierPlaces[tiers[c.tier-1].kind]
	}
	return Transfer{
		Reason: OffloadTransfer, Request: c.request,
		From: int(c.replica), To: int(c.replica), FromTier: from, ToTier: tierPlaces[tiers[c.tier].kind],
	}
}

// A HandOver is the hand-over of a prompt's KV from the replica that computed it to the one that
// decodes. Times that did not come are negative.
type HandOver struct {
	Request int
	// Prefill and Decode count the replicas of all pools.
	Prefill, Decode int
	// Begun is when the request was sent on its way, Prefilled when its prompt was computed, Ready when
	// it might decode, and Ended when all blocks had come, or when it was Cancelled because the
	// request, one of its replicas or the need for the rest was gone.
	Begun, Prefilled, Ready, Ended simtime.Time
	Cancelled                      bool
	// Tokens are those of the prompt that came from the other replica, once it is Ready, and Bytes what arrived.
	Tokens int
	Bytes  int64
}

// tellHandOver tells of a hand-over that ends now.
func (c *cluster) tellHandOver(h *handoff, cancelled bool) {
	if c.listeners.handedOver == nil {
		return
	}
	q := &c.requests.all[h.decode]
	told := HandOver{
		Request: q.info.ID, Prefill: int(h.from), Decode: int(h.to), Begun: h.begun, Prefilled: h.done, Ready: h.readyAt, Ended: c.now,
		Cancelled: cancelled, Bytes: int64(h.arrived) * c.replicas[h.from].blockBytes,
	}
	if h.ready {
		told.Tokens = int(q.remote)
	}
	c.listeners.handedOver(told)
}
