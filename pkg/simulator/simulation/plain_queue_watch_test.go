// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
)

// plainQueueWatch is what the order of a queue has done to those who waited.
type plainQueueWatch struct {
	did      simulator.QueueUse
	admitted []*plainRequest // into the batch that is being formed
	refused  *plainRequest   // the front of the queue, for which there were no blocks
}

// plainNeeds is what a request needed when it came to the queue.
type plainNeeds struct {
	tokens int32
	blocks int
}

// wait puts a request into the wait queue, which is put in order before it is looked at.
func (r *plainReplica) wait(q *plainRequest) {
	r.waiting = append(r.waiting, q)
	r.noteNeeds(q)
}

// noteNeeds writes down the tokens that a request has to compute, and the blocks that the
// cache lacks for its admission.
func (r *plainReplica) noteNeeds(q *plainRequest) {
	first := func(tokens int32) int32 {
		if r.ReserveFullPrompt {
			return tokens
		}
		return min(r.capped(q, tokens), int32(r.MaxNumBatchedTokens))
	}
	if q.sequence != nil {
		tokens := q.Total - q.Computed
		q.needed = plainNeeds{tokens, blocksOf(first(tokens), r)}
		return
	}
	cached := int32(r.cache.Match(q.identities, int(q.Total-1)))
	tokens, chunk := q.Total-cached, first(q.Total-cached)
	if q.receives() {
		tokens, chunk = 1, q.Total-cached
	}
	q.needed = plainNeeds{tokens, blocksOf(cached+chunk, r) - int(cached)/r.BlockTokens}
}

// watchFormed looks at everybody who waits once a step is formed.
func (r *plainReplica) watchFormed(p *plain) {
	if !r.WatchQueue && !p.WatchQueues {
		return
	}
	longest := int32(0)
	for _, q := range r.running {
		if q.Chunk > 0 && q.Computed < q.PrefillEnd {
			longest = max(longest, q.Total-q.Computed)
		}
	}
	for _, q := range r.waiting {
		if r.isLate(q) {
			continue
		}
		shown := q.shown()
		if !shown.Overtaken && slices.ContainsFunc(r.admitted, func(o *plainRequest) bool { return o.Info.Priority < q.Info.Priority }) {
			shown.Overtaken = true
			r.did.Inversions += measuredOnce(shown)
		}
		byHead := q.needed.tokens*int32(cmp.Or(p.LongPrompt, simulator.DefaultLongPrompt)) <= longest
		byBlocks := r.refused != nil && r.refused != q && q.needed.blocks <= len(r.cache.Free())
		if !shown.Blocked && (byHead || byBlocks) {
			shown.Blocked = true
			r.did.Blocked += measuredOnce(shown)
		}
	}
}

func measuredOnce(q *plainRequest) int64 {
	if q.Cell == measure.Discard {
		return 0
	}
	return 1
}

func (r *plainReplica) reportQueue() *simulator.QueueUse {
	if !r.WatchQueue {
		return nil
	}
	return &r.did
}
