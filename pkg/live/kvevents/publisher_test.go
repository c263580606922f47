// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
)

func TestAddresses(t *testing.T) {
	tests := map[string]struct {
		of    string
		hosts []string
		want  []Address
		err   string
	}{
		"one host": {of: "tcp://*:5557", hosts: []string{"127.0.0.1", "127.0.0.1", "127.0.0.2"}, want: []Address{
			{"tcp://127.0.0.1:5557", true}, {"tcp://127.0.0.1:5558", true}, {"tcp://127.0.0.2:5557", true},
		}},
		"IPv6":       {of: "tcp://[::]:5557", hosts: []string{"::1"}, want: []Address{{"tcp://[::1]:5557", true}}},
		"a reader":   {of: "tcp://epp:5557", hosts: []string{"::1", "::1"}, want: []Address{{"tcp://epp:5557", false}, {"tcp://epp:5557", false}}},
		"no scheme":  {of: "*:5557", err: "must be tcp://HOST:PORT"},
		"no host":    {of: "tcp://:5557", err: "must be tcp://HOST:PORT"},
		"no port":    {of: "tcp://*", err: "must be tcp://HOST:PORT"},
		"port 70000": {of: "tcp://*:70000", err: "must be tcp://HOST:PORT"},
		"few ports":  {of: "tcp://*:65535", hosts: []string{"::1", "::1"}, err: "2 replicas at ::1 need ports above 65535"},
	}
	for name, tc := range tests {
		got, err := Addresses(tc.of, tc.hosts)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %v, want %q", name, err, tc.err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
	}
}

// freeEndpoint is an endpoint that nothing listens at.
func freeEndpoint(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "tcp://" + l.Addr().String()
}

// A reader that subscribes to llm-d's topics gets three frames for the events of each moment, over a socket
// that either side binds.
func TestAReaderGetsBatches(t *testing.T) {
	for _, binds := range []bool{true, false} {
		t.Run(fmt.Sprintf("the replica binds: %v", binds), func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			endpoint := freeEndpoint(t)
			p, err := Open(ctx, []Options{{
				Address: Address{endpoint, binds}, Pod: "127.0.0.1:8000", Model: "llama", BlockTokens: 2, Format: Maps,
				Now: func() time.Time { return time.Unix(7, 0) },
			}})
			if err != nil {
				t.Fatal(err)
			}
			reader := zmq4.NewSub(ctx)
			t.Cleanup(func() { reader.Close(); p.Close() })
			open := reader.Listen
			if binds {
				open = reader.Dial
			}
			if err := open(endpoint); err != nil {
				t.Fatal(err)
			}
			if err := reader.SetOption(zmq4.OptionSubscribe, "kv@"); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- p.Run(ctx) }()
			if err := p.AwaitReaders(ctx); err != nil {
				t.Fatal(err)
			}
			p.Hear(replicas.BlockEvent{At: 1, Hash: 1, Tokens: []uint32{1, 2}})
			p.Hear(replicas.BlockEvent{At: 2, Kind: replicas.BlocksCleared})
			for i, want := range []string{"BlockStored", "AllBlocksCleared"} {
				m, err := reader.Recv()
				if err != nil {
					t.Fatal(err)
				}
				if len(m.Frames) != 3 || string(m.Frames[0]) != "kv@127.0.0.1:8000@llama" || len(m.Frames[1]) != 8 {
					t.Fatalf("a message has the frames %q", m.Frames)
				}
				if number := binary.BigEndian.Uint64(m.Frames[1]); number != uint64(i) {
					t.Errorf("batch %d has the number %d", i, number)
				}
				if batch := decoded(t, m.Frames[2]); batch[0] != 7.0 || !strings.Contains(fmt.Sprint(batch), want) {
					t.Errorf("batch %d is %v, want %s at 7 s", i, batch, want)
				}
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNoReaderComes(t *testing.T) {
	endpoint := freeEndpoint(t)
	p, err := Open(t.Context(), []Options{{Address: Address{endpoint, true}, Pod: "127.0.0.1:8000"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("gave up"))
	if got, want := fmt.Sprint(p.AwaitReaders(ctx)), "KV events of 127.0.0.1:8000: none reads them at "+endpoint+": gave up"; got != want {
		t.Errorf("the error is %q, want %q", got, want)
	}
}

// A replica whose endpoint is taken does not start.
func TestATakenEndpoint(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Open(t.Context(), []Options{{Address: Address{"tcp://" + l.Addr().String(), true}}})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("%v", err)
	}
}

// A replica does not wait for a publisher that has ended.
func TestNothingWaitsForTheEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p, err := Open(ctx, []Options{{Address: Address{freeEndpoint(t), true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	stop()
	for range 2 * waitingEvents {
		p.Hear(replicas.BlockEvent{})
	}
}

// A socket that keeps 10 messages loses some of 200 large ones while its reader reads nothing: the numbers that the
// reader then gets have a gap.
func TestSlowReadersMissBatches(t *testing.T) {
	socket, err := newSocket(t.Context(), true, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	endpoint := freeEndpoint(t)
	if err := socket.Listen(endpoint); err != nil {
		t.Fatal(err)
	}
	reader := zmq4.NewSub(t.Context())
	defer reader.Close()
	if err := reader.Dial(endpoint); err != nil {
		t.Fatal(err)
	}
	if err := reader.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		t.Fatal(err)
	}
	large := make([]byte, 1<<20)
	flood, flooded := make(chan struct{}), make(chan struct{})
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for n := uint64(0); ; n++ {
			_ = socket.SendMulti(zmq4.NewMsgFrom([]byte("topic"), binary.BigEndian.AppendUint64(nil, n), large))
			select {
			case <-flood:
				for range 200 {
					n++
					_ = socket.SendMulti(zmq4.NewMsgFrom([]byte("topic"), binary.BigEndian.AppendUint64(nil, n), large))
				}
				close(flooded)
				flood = nil
			case <-tick.C:
			case <-t.Context().Done():
				return
			}
		}
	}()
	number := func() uint64 {
		t.Helper()
		m, err := reader.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return binary.BigEndian.Uint64(m.Frames[1])
	}
	last := number()
	close(flood)
	<-flooded
	for range 200 {
		next := number()
		if next != last+1 {
			return
		}
		last = next
	}
	t.Error("no batch is lost")
}

// Readers that come and go leave no open files behind, not even until the garbage collector closes them.
func TestReadersThatGoLeaveNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const files = "/proc/self/fd"
	opened, err := os.ReadDir(files)
	if err != nil {
		t.Skip("no list of open files: ", err)
	}
	socket, err := newSocket(t.Context(), true, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	endpoint := freeEndpoint(t)
	if err := socket.Listen(endpoint); err != nil {
		t.Fatal(err)
	}
	tick, timeout := time.NewTicker(time.Millisecond), time.After(5*time.Second)
	defer tick.Stop()
	const readers = 20
	for range readers {
		reader := zmq4.NewSub(t.Context())
		if err := reader.Dial(endpoint); err != nil {
			t.Fatal(err)
		}
		if err := reader.SetOption(zmq4.OptionSubscribe, ""); err != nil {
			t.Fatal(err)
		}
		received := make(chan error, 1)
		go func() {
			_, err := reader.Recv()
			received <- err
		}()
		for got := false; !got; {
			select {
			case err := <-received:
				if got = true; err != nil {
					t.Fatal(err)
				}
			case <-tick.C:
				_ = socket.SendMulti(zmq4.NewMsgFrom([]byte("topic"), nil, nil))
			}
		}
		_ = reader.Close()
	}
	// The socket that listens is one, and what Go opens for itself a few.
	for most := len(opened) + readers/2; ; {
		now, err := os.ReadDir(files)
		if err == nil && len(now) <= most {
			return
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("%d files are open, %d were before: %v", len(now), len(opened), err)
		}
	}
}
