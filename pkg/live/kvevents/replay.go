// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/go-zeromq/zmq4"
)

// keptBatches is how many batches a replica keeps for readers that missed them: vLLM's buffer_steps.
const keptBatches = 10_000

// replay answers readers that missed batches, over a ROUTER socket. A reader asks with an empty frame and the number
// of the first batch. The answer is each batch from there on, as it was published, behind an empty frame, and then an
// end: no topic, the number −1, no payload. vLLM leaves the topic out; llm-d's router at ebab687 expects it.
type replay struct {
	socket zmq4.Socket

	mu sync.Mutex
	// kept has each batch at its number, modulo keptBatches.
	kept []zmq4.Msg
	// next is the number of the next batch.
	next uint64
}

func openReplay(ctx context.Context, endpoint string) (*replay, error) {
	r := &replay{socket: zmq4.NewRouter(ctx, quiet)}
	if err := r.socket.Listen(endpoint); err != nil {
		return nil, err
	}
	return r, nil
}

// keep takes the next batch.
func (r *replay) keep(m zmq4.Msg) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) < keptBatches {
		r.kept = append(r.kept, m)
	} else {
		r.kept[r.next%keptBatches] = m
	}
	r.next++
}

// since are the kept batches from a number on.
func (r *replay) since(number uint64) (batches []zmq4.Msg) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := max(number, r.next-uint64(len(r.kept))); n < r.next; n++ {
		batches = append(batches, r.kept[n%keptBatches])
	}
	return batches
}

// run answers until the context ends, which is no error. What is no request has no answer.
func (r *replay) run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = r.socket.Close() })() // which ends Recv
	for {
		request, err := r.socket.Recv()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("KV events: replay: %w", err)
		}
		if f := request.Frames; len(f) == 3 && len(f[1]) == 0 && len(f[2]) == 8 {
			r.answer(f[0], binary.BigEndian.Uint64(f[2]))
		}
	}
}

// answer sends a reader what it asks for, as far as it goes: one that is gone does not need it.
func (r *replay) answer(reader []byte, number uint64) {
	for _, m := range r.since(number) {
		if r.socket.SendMulti(zmq4.NewMsgFrom(reader, nil, m.Frames[0], m.Frames[1], m.Frames[2])) != nil {
			return
		}
	}
	_ = r.socket.SendMulti(zmq4.NewMsgFrom(reader, nil, nil, binary.BigEndian.AppendUint64(nil, math.MaxUint64), nil))
}
