// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"container/heap"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A flowItem is a request that waits at the gateway.
type flowItem struct {
	request policy.Request
	flow    *flow
	// since is when it came, number its place among all that came.
	since  simtime.Time
	number uint64
	bytes  int64
	// rank is what the ordering policy makes of it: the least goes first.
	rank simtime.Time
	// place is its index in the queue, -1 where it has left it.
	place int
	// expired says that it was given up, and is in the queue until that is swept.
	expired bool
}

// before is the order of a queue. Where ranks are equal, who came first goes
// first.
func (i *flowItem) before(o *flowItem) bool {
	switch {
	case i.rank != o.rank:
		return i.rank < o.rank
	case i.since != o.since:
		return i.since < o.since
	default:
		return i.number < o.number
	}
}

// A flow is the queue of the requests of one tenant and one priority.
type flow struct {
	tenant int
	band   *flowBand
	items  flowHeap
	// idle is since when it has been empty.
	idle simtime.Time
}

// head is the next request; nil if none waits.
func (f *flow) head() *flowItem {
	if len(f.items) == 0 {
		return nil
	}
	return f.items[0]
}

func (f *flow) Add(i *flowItem) {
	i.flow = f
	heap.Push(&f.items, i)
	f.band.count(i, +1)
}

func (f *flow) Remove(i *flowItem, now simtime.Time) {
	heap.Remove(&f.items, i.place)
	f.band.count(i, -1)
	if len(f.items) == 0 {
		f.idle = now
	}
}

// flowHeap implements [heap.Interface], with who goes next in front.
type flowHeap []*flowItem

func (h flowHeap) Len() int           { return len(h) }
func (h flowHeap) Less(i, j int) bool { return h[i].before(h[j]) }

func (h flowHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *flowHeap) Push(x any) {
	i := x.(*flowItem)
	i.place = len(*h)
	*h = append(*h, i)
}

func (h *flowHeap) Pop() any {
	last := len(*h) - 1
	i := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	i.place = -1
	return i
}
