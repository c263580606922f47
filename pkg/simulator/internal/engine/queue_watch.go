// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// QueueWatch measures a QueueUse. A nil one measures nothing.
type QueueWatch struct {
	simulator.QueueUse
	// reports says that the pool measures it, and not only a listener wants to know.
	reports    bool
	longPrompt int64
	// entries numbers the entries of those who wait into the three queues: the turn of
	// their tickets there.
	entries map[int32]int64
	entered int64
	// byPriority are those who wait and have not been overtaken, the one with the highest
	// priority first.
	byPriority queue.Tickets
	// byTokens and byBlocks are those who wait and have not been blocked: by the tokens
	// that they had to compute when they came, and the KV blocks that the cache lacked.
	byTokens, byBlocks queue.Tickets
	// Of the step that is being formed: whether it admits requests, the lowest priority of
	// those, and the request for which there were no blocks, or none.
	admits  bool
	lowest  int
	refused int32
	spared  []queue.Ticket // scratch
}

// NewQueueWatch returns the watch of a replica; nil if the run does not watch queues.
func NewQueueWatch(c *simulator.Config, p *simulator.Pool) *QueueWatch {
	if !p.WatchQueue && !c.WatchQueues {
		return nil
	}
	ranked := queue.Tickets{Ranked: true}
	return &QueueWatch{
		reports: p.WatchQueue, longPrompt: int64(cmp.Or(c.LongPrompt, simulator.DefaultLongPrompt)), entries: map[int32]int64{},
		byPriority: ranked, byTokens: ranked, byBlocks: ranked, refused: none,
	}
}

// watchWaiting notes that a request waits from now on.
func (r *Replica) watchWaiting(q *request.Request, id int32) {
	w := r.Watch
	if w == nil {
		return
	}
	w.entered++
	w.entries[id] = w.entered
	if !q.Overtaken {
		w.byPriority.PushBack(queue.Ticket{Rank: -int64(q.Info.Priority), Turn: w.entered, Id: id})
	}
	if !q.Blocked {
		tokens, blocks := r.needsToStart(q)
		w.byTokens.PushBack(queue.Ticket{Rank: int64(tokens), Turn: w.entered, Id: id})
		w.byBlocks.PushBack(queue.Ticket{Rank: int64(blocks), Turn: w.entered, Id: id})
	}
}

// needsToStart is how many tokens a request has to compute to be served, as the cache is
// now, and how many blocks it takes to be admitted, in addition to those that the cache has.
func (r *Replica) needsToStart(q *request.Request) (tokens int32, blocks int) {
	if q.Phase() == request.Ready {
		tokens = q.Total - q.Computed
		return tokens, int(r.blocksOf(r.firstChunk(q, tokens)))
	}
	r.nameBlocks(q)
	cached := r.match(q)
	tokens = q.Total - cached
	chunk := r.firstChunk(q, tokens)
	if q.Handoff != 0 && !q.Job {
		tokens, chunk = 1, tokens
	}
	return tokens, int(r.blocksOf(cached+chunk) - r.blocksOf(cached))
}

// leaves notes that a request is not in the wait queue any more.
func (w *QueueWatch) leaves(q *request.Request, id int32) {
	if w == nil {
		return
	}
	turn := w.entries[id]
	delete(w.entries, id)
	if !q.Overtaken {
		w.byPriority.Remove(turn)
	}
	if !q.Blocked {
		w.byTokens.Remove(turn)
		w.byBlocks.Remove(turn)
	}
}

// forms notes that the forming of a step begins.
func (w *QueueWatch) forms() {
	if w != nil {
		w.admits, w.refused = false, none
	}
}

// tries notes that the engine looks for blocks for those who wait.
func (w *QueueWatch) tries() {
	if w != nil {
		w.refused = none
	}
}

// refuses notes that there are no blocks for the first request of the queue.
func (w *QueueWatch) refuses(id int32) {
	if w != nil {
		w.refused = id
	}
}

// admitted notes that a request that has left the wait queue runs.
func (w *QueueWatch) admitted(q *request.Request) {
	if w == nil {
		return
	}
	if !w.admits {
		w.admits, w.lowest = true, q.Info.Priority
	}
	w.lowest = min(w.lowest, q.Info.Priority)
}

// watchFormed counts those who wait now that a step is formed, and should not.
func (r *Replica) watchFormed() {
	w := r.Watch
	if w == nil || len(w.entries) == 0 {
		return
	}
	for w.admits && w.byPriority.Len() > 0 && -w.byPriority.Front().Rank > int64(w.lowest) {
		if t, ok := r.takeWatched(&w.byPriority); ok {
			r.noteOvertaken(t.Id)
		}
	}
	w.putBack(&w.byPriority)
	longest := r.longestPrompt()
	for w.byTokens.Len() > 0 && w.byTokens.Front().Rank*w.longPrompt <= longest {
		if t, ok := r.takeWatched(&w.byTokens); ok {
			w.byBlocks.Remove(t.Turn)
			r.noteBlocked(t.Id)
		}
	}
	w.putBack(&w.byTokens)
	if w.refused != none {
		r.watchBlocks()
	}
}

// takeWatched takes the front of a queue out. It returns false for one that cannot blame
// the order: it came too late for the step, or is itself the head of the line.
func (r *Replica) takeWatched(of *queue.Tickets) (queue.Ticket, bool) {
	t, w := of.Front(), r.Watch
	of.Pop()
	if r.isLate(&r.Requests.All[t.Id]) || of == &w.byBlocks && t.Id == w.refused {
		w.spared = append(w.spared, t)
		return t, false
	}
	return t, true
}

// putBack puts those back into a queue that takeWatched has spared.
func (w *QueueWatch) putBack(into *queue.Tickets) {
	for _, t := range w.spared {
		into.PushBack(t)
	}
	w.spared = w.spared[:0]
}

// watchBlocks counts those who would have blocks where the first of the queue has none.
func (r *Replica) watchBlocks() {
	w := r.Watch
	free := int64(r.Cache.Free())
	for w.byBlocks.Len() > 0 && w.byBlocks.Front().Rank <= free {
		if t, ok := r.takeWatched(&w.byBlocks); ok {
			w.byTokens.Remove(t.Turn)
			r.noteBlocked(t.Id)
		}
	}
	w.putBack(&w.byBlocks)
}

// longestPrompt is the most tokens that are left to compute of a prompt of which the step
// computes some.
func (r *Replica) longestPrompt() int64 {
	longest := int32(0)
	for _, id := range r.Batch.prefilling {
		if q := &r.Requests.All[id]; q.Chunk > 0 && !q.Decoding() {
			longest = max(longest, q.Total-q.Computed)
		}
	}
	return int64(longest)
}

// noteOvertaken counts a request that one of lower priority has overtaken.
func (r *Replica) noteOvertaken(id int32) {
	q := &r.Requests.All[id]
	shown := r.Cluster.Handoffs.Client(q)
	if !shown.Overtaken && shown.Cell != measure.Discard {
		r.Watch.Inversions++
	}
	q.Overtaken, shown.Overtaken = true, true
}

// noteBlocked counts a request that the head of the line has blocked.
func (r *Replica) noteBlocked(id int32) {
	q := &r.Requests.All[id]
	shown := r.Cluster.Handoffs.Client(q)
	if !shown.Blocked && shown.Cell != measure.Discard {
		r.Watch.Blocked++
	}
	q.Blocked, shown.Blocked = true, true
}

// none is no request's number.
const none = -1
