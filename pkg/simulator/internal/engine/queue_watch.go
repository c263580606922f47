// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// queueWatch measures a QueueUse. A nil one measures nothing.
type queueWatch struct {
	state   *run.State
	cluster *shared
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

// newQueueWatch returns the watch of a replica; nil if the run does not watch queues.
func newQueueWatch(state *run.State, cluster *shared, c *simulator.Config, p *simulator.Pool) *queueWatch {
	if !p.WatchQueue && !c.WatchQueues {
		return nil
	}
	ranked := queue.Tickets{Ranked: true}
	return &queueWatch{
		state: state, cluster: cluster, reports: p.WatchQueue, longPrompt: int64(cmp.Or(c.LongPrompt, simulator.DefaultLongPrompt)), entries: map[int32]int64{},
		byPriority: ranked, byTokens: ranked, byBlocks: ranked, refused: none,
	}
}

// waits notes that a request waits from now on, with what needsToStart says of it.
func (w *queueWatch) waits(q *request.Request, id, tokens, blocks int32) {
	w.entered++
	w.entries[id] = w.entered
	if !q.Overtaken {
		w.byPriority.PushBack(queue.Ticket{Rank: -int64(q.Info.Priority), Turn: w.entered, Id: id})
	}
	if !q.Blocked {
		w.byTokens.PushBack(queue.Ticket{Rank: int64(tokens), Turn: w.entered, Id: id})
		w.byBlocks.PushBack(queue.Ticket{Rank: int64(blocks), Turn: w.entered, Id: id})
	}
}

// leaves notes that a request is not in the wait queue any more.
func (w *queueWatch) leaves(q *request.Request, id int32) {
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
func (w *queueWatch) forms() {
	if w != nil {
		w.admits, w.refused = false, none
	}
}

// tries notes that the engine looks for blocks for those who wait.
func (w *queueWatch) tries() {
	if w != nil {
		w.refused = none
	}
}

// refuses notes that there are no blocks for the first request of the queue.
func (w *queueWatch) refuses(id int32) {
	if w != nil {
		w.refused = id
	}
}

// admitted notes that a request that has left the wait queue runs.
func (w *queueWatch) admitted(q *request.Request) {
	if w == nil {
		return
	}
	if !w.admits {
		w.admits, w.lowest = true, q.Info.Priority
	}
	w.lowest = min(w.lowest, q.Info.Priority)
}

// formed counts requests that wait now that a step is formed, and should not. The step could
// have those that joined the queue up to cutoff; longest is the most tokens that are left of a
// prompt in it, and free the blocks that it leaves.
func (w *queueWatch) formed(cutoff, longest int64, free int) {
	if w == nil || len(w.entries) == 0 {
		return
	}
	for w.admits && w.byPriority.Len() > 0 && -w.byPriority.Front().Rank > int64(w.lowest) {
		if t, ok := w.take(&w.byPriority, cutoff); ok {
			w.noteOvertaken(t.Id)
		}
	}
	w.putBack(&w.byPriority)
	for w.byTokens.Len() > 0 && w.byTokens.Front().Rank*w.longPrompt <= longest {
		if t, ok := w.take(&w.byTokens, cutoff); ok {
			w.byBlocks.Remove(t.Turn)
			w.noteBlocked(t.Id)
		}
	}
	w.putBack(&w.byTokens)
	if w.refused == none {
		return
	}
	for w.byBlocks.Len() > 0 && w.byBlocks.Front().Rank <= int64(free) {
		if t, ok := w.take(&w.byBlocks, cutoff); ok {
			w.byTokens.Remove(t.Turn)
			w.noteBlocked(t.Id)
		}
	}
	w.putBack(&w.byBlocks)
}

// take takes the front of a queue out. It returns false for one that cannot blame
// the order: it came too late for the step, or is itself the head of the line.
func (w *queueWatch) take(of *queue.Tickets, cutoff int64) (queue.Ticket, bool) {
	t := of.Front()
	of.Pop()
	if w.state.Requests.All[t.Id].Join > cutoff || of == &w.byBlocks && t.Id == w.refused {
		w.spared = append(w.spared, t)
		return t, false
	}
	return t, true
}

// putBack puts those back into a queue that take has spared.
func (w *queueWatch) putBack(into *queue.Tickets) {
	for _, t := range w.spared {
		into.PushBack(t)
	}
	w.spared = w.spared[:0]
}

// noteOvertaken counts a request that one of lower priority has overtaken.
func (w *queueWatch) noteOvertaken(id int32) {
	q := &w.state.Requests.All[id]
	shown := w.cluster.Handoffs.Client(q)
	if !shown.Overtaken && shown.Cell != measure.Discard {
		w.Inversions++
	}
	q.Overtaken, shown.Overtaken = true, true
}

// noteBlocked counts a request that the head of the line has blocked.
func (w *queueWatch) noteBlocked(id int32) {
	q := &w.state.Requests.All[id]
	shown := w.cluster.Handoffs.Client(q)
	if !shown.Blocked && shown.Cell != measure.Discard {
		w.QueueUse.Blocked++
	}
	q.Blocked, shown.Blocked = true, true
}

// none is no request's number.
const none = -1
