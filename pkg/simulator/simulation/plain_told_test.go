// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// tellStep tells of a step that begins.
func (p *plain) tellStep(r *plainReplica, step latency.Step, duration time.Duration) {
	if p.Stepped != nil {
		p.Stepped(simulator.EngineStep{
			At: p.now, Duration: duration, Replica: r.index, Running: len(r.running), Waiting: len(r.waiting) + len(r.loading),
			PrefillTokens: step.PrefillTokens, DecodeTokens: step.DecodeTokens, KVUsage: p.scraped(r, p.now).KVUsage,
		})
	}
}

// tellPreemption tells of a request that is about to lose its place. Those that the admission under
// way has passed by wait, too.
func (p *plain) tellPreemption(r *plainReplica, q *plainRequest) {
	if p.Preempted != nil {
		p.Preempted(simulator.Preemption{
			At: p.now, Request: q.Info.ID, Replica: r.index, Running: len(r.running), Waiting: len(r.waiting) + len(r.loading),
			Computed: int(q.Computed), KVUsage: p.scraped(r, p.now).KVUsage,
		})
	}
}

// tellTransfer tells of the times and the bytes of a transfer that ends, which does not know what it
// is for.
func (p *plain) tellTransfer(t *plainTransfer) {
	if p.Transferred != nil {
		p.Transferred(simulator.Transfer{Begun: t.begun, Ended: p.now, Bytes: t.bytes})
	}
}

// tellHandOver tells of a hand-over of which all has come.
func (p *plain) tellHandOver(h *plainHandoff) {
	if p.HandedOver != nil {
		p.HandedOver(simulator.HandOver{
			Request: h.request.Info.ID, Prefill: h.prefill.index, Decode: h.decode.index,
			Begun: h.begun, Prefilled: h.doneAt, Ready: h.readyAt, Ended: p.now,
			Tokens: int(h.request.Prompt) - h.given*h.decode.BlockTokens, Bytes: int64(h.needs) * h.prefill.BlockBytes,
		})
	}
}
