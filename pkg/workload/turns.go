// SPDX-License-Identifier: Apache-2.0

package workload

import "windtunnel.dev/windtunnel/pkg/simtime"

// turns are streams in the order of their next requests, streams of one time in that of
// their numbers: a binary heap that knows where each stream is.
type turns struct {
	heap   []turn
	places []int32 // of the streams in heap
}

// turn is when the next request of a stream comes.
type turn struct {
	at     simtime.Time
	stream int32
}

func (t turn) before(u turn) bool {
	if t.at != u.at {
		return t.at < u.at
	}
	return t.stream < u.stream
}

// add gives the next stream a turn.
func (t *turns) add(at simtime.Time) {
	stream := int32(len(t.heap))
	t.heap, t.places = append(t.heap, turn{at, stream}), append(t.places, stream)
	t.hasten(stream, at)
}

// first is the turn that comes first. There is one.
func (t *turns) first() turn { return t.heap[0] }

// delay moves the first turn to a time that is not before its own.
func (t *turns) delay(at simtime.Time) {
	moved := turn{at, t.heap[0].stream}
	heap, i := t.heap, 0
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1].before(heap[child]) {
			child++
		}
		if !heap[child].before(moved) {
			break
		}
		t.put(i, heap[child])
		i = child
	}
	t.put(i, moved)
}

// hasten moves the turn of a stream to a time that is not after its own.
func (t *turns) hasten(stream int32, at simtime.Time) {
	moved := turn{at, stream}
	i := int(t.places[stream])
	for i > 0 {
		parent := (i - 1) / 2
		if !moved.before(t.heap[parent]) {
			break
		}
		t.put(i, t.heap[parent])
		i = parent
	}
	t.put(i, moved)
}

func (t *turns) put(i int, moved turn) {
	t.heap[i] = moved
	t.places[moved.stream] = int32(i)
}
