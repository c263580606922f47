// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/go-zeromq/zmq4"
	"github.com/google/go-cmp/cmp"
)

// A reader gets the batches that it asks for, and an end, as often as it asks.
func TestAReaderAsksForMissedBatches(t *testing.T) {
	endpoint := freeEndpoint(t)
	r, err := openReplay(t.Context(), endpoint)
	if err != nil {
		t.Fatal(err)
	}
	defer r.socket.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	number := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	for n := range uint64(3) {
		r.keep(zmq4.NewMsgFrom([]byte("topic"), number(n), []byte(fmt.Sprint("batch ", n))))
	}
	reader := zmq4.NewDealer(t.Context())
	defer reader.Close()
	if err := reader.Dial(endpoint); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		from uint64
		want []string
	}{{0, []string{"batch 0", "batch 1", "batch 2"}}, {2, []string{"batch 2"}}, {3, nil}, {99, nil}} {
		if err := reader.SendMulti(zmq4.NewMsgFrom(nil, number(tc.from))); err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			m, err := reader.Recv()
			if err != nil || len(m.Frames) != 4 || len(m.Frames[0]) > 0 {
				t.Fatalf("frames %q, %v", m.Frames, err)
			}
			if len(m.Frames[3]) == 0 {
				break
			}
			got = append(got, string(m.Frames[3]))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("from %d on (−want +got):\n%s", tc.from, diff)
		}
	}
}

// The oldest batch makes room.
func TestBatchesAreForgotten(t *testing.T) {
	var r replay
	for n := range uint64(keptBatches + 2) {
		r.keep(zmq4.NewMsgFrom(binary.BigEndian.AppendUint64(nil, n)))
	}
	kept := r.since(0)
	if len(kept) != keptBatches || len(r.since(keptBatches+1)) != 1 {
		t.Errorf("%d batches are kept, and %d from the last one on", len(kept), len(r.since(keptBatches+1)))
	}
	for i, m := range kept {
		if n := binary.BigEndian.Uint64(m.Frames[0]); n != uint64(i)+2 {
			t.Fatalf("batch %d is at place %d", n, i)
		}
	}
}
