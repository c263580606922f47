// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"time"

	"github.com/go-zeromq/zmq4"
	"golang.org/x/sync/errgroup"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
)

// Options say what one replica publishes.
type Options struct {
	Address
	// Replay is where readers ask for batches that they missed; empty for nowhere.
	Replay string
	// Pod is where the replica serves, as ip:port, and Model what it serves.
	Pod, Model string
	// BlockTokens is the tokens of a block.
	BlockTokens int
	Format      Format
	// Now is the wall clock.
	Now func() time.Time
}

// Publisher publishes the events of replicas, each over a socket of its own.
type Publisher struct {
	replicas []*source
	// ended is closed when nothing is sent any more.
	ended <-chan struct{}
}

// source is one replica.
type source struct {
	Options
	events chan replicas.BlockEvent
	socket zmq4.Socket
	writer *writer
	// replay is nil if there is none.
	replay *replay
}

// waitingEvents is how many events of a replica wait to be encoded. The replicas wait for the rest, and
// tell where that makes them late.
const waitingEvents = 4096

// waitingBatches is how many batches wait for readers that are slow. Those beyond are lost, as in vLLM, which
// has 100,000: a reader finds the gap by the numbers.
const waitingBatches = 10_000

// dialInterval is how soon a socket tries again to connect.
const dialInterval = time.Second

// quiet keeps the sockets from writing about readers that come and go.
var quiet = zmq4.WithLogger(log.New(io.Discard, "", 0))

// Open binds the sockets of replicas that bind. The publisher ends with the context.
func Open(ctx context.Context, all []Options) (*Publisher, error) {
	p := &Publisher{ended: ctx.Done()}
	for _, o := range all {
		socket, err := newSocket(ctx, o.Binds, waitingBatches)
		if err != nil {
			p.Close()
			return nil, err
		}
		s := &source{
			Options: o, events: make(chan replicas.BlockEvent, waitingEvents), writer: newWriter(o.Format, o.BlockTokens), socket: socket,
		}
		p.replicas = append(p.replicas, s)
		if err := s.listen(ctx); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

// newSocket makes a socket whose messages beyond a number are lost while readers are slow. One that binds must not
// connect again when a reader goes: it would connect to itself.
func newSocket(ctx context.Context, binds bool, waiting int) (zmq4.Socket, error) {
	s := zmq4.NewPub(ctx, zmq4.WithDialerRetry(dialInterval), zmq4.WithDialerMaxRetries(-1), zmq4.WithAutomaticReconnect(!binds), quiet)
	return s, s.SetOption(zmq4.OptionHWM, waiting)
}

func (s *source) listen(ctx context.Context) (err error) {
	if s.Binds {
		if err := s.socket.Listen(s.Endpoint); err != nil {
			return err
		}
	}
	if s.Replay != "" {
		s.replay, err = openReplay(ctx, s.Replay)
	}
	return err
}

// readerInterval is how soon a socket is asked again whether it has a reader.
const readerInterval = 20 * time.Millisecond

// AwaitReaders waits until the events of each replica have a reader: those before are lost to it.
func (p *Publisher) AwaitReaders(ctx context.Context) error {
	for _, s := range p.replicas {
		for len(s.socket.(zmq4.Topics).Topics()) == 0 {
			select {
			case <-ctx.Done():
				return fmt.Errorf("KV events of %s: none reads them at %s: %w", s.Pod, s.Endpoint, context.Cause(ctx))
			case <-time.After(readerInterval): //nolint:forbidigo // the network is real
			}
		}
	}
	return nil
}

// Close closes the sockets.
func (p *Publisher) Close() {
	for _, s := range p.replicas {
		_ = s.socket.Close() // what is not sent is of no use to anyone
		if s.replay != nil {
			_ = s.replay.socket.Close()
		}
	}
}

// Hear takes an event; see [replicas.Config]. It waits while many events of the replica are not encoded, until the
// publisher ends.
func (p *Publisher) Hear(e replicas.BlockEvent) {
	select {
	case p.replicas[e.Replica].events <- e:
	case <-p.ended:
	}
}

// Run sends events until the context ends, which is no error.
func (p *Publisher) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range p.replicas {
		if !s.Binds {
			go s.connect(ctx)
		}
		if s.replay != nil {
			group.Go(func() error { return s.replay.run(ctx) })
		}
		group.Go(func() error { return s.run(ctx) })
	}
	return group.Wait()
}

// connect tries to connect until a reader listens. What is sent before is lost, as in vLLM.
func (s *source) connect(ctx context.Context) {
	for s.socket.Dial(s.Endpoint) != nil && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(dialInterval): //nolint:forbidigo // the network is real
		}
	}
}

// run sends the events of each moment in one batch. A batch that has come in only in part when it is sent becomes two.
func (s *source) run(ctx context.Context) error {
	var next []replicas.BlockEvent
	for sequence := uint64(0); ; sequence++ {
		if len(next) == 0 {
			select {
			case e := <-s.events:
				next = append(next, e)
			case <-ctx.Done():
				return nil
			}
		}
		var events []replicas.BlockEvent
		events, next = s.moment(next)
		payload, err := s.writer.payload(events, s.Now())
		if err != nil {
			return fmt.Errorf("KV events: %w", err)
		}
		message := zmq4.NewMsgFrom([]byte(topic(s.Pod, s.Model)), binary.BigEndian.AppendUint64(nil, sequence), payload)
		if s.replay != nil {
			s.replay.keep(message)
		}
		if err := s.socket.SendMulti(message); err != nil && ctx.Err() == nil {
			return fmt.Errorf("KV events: send to %s: %w", s.Endpoint, err)
		}
	}
}

// moment adds what waits of the same time to some events. It returns the event of another time behind them, if there
// is one.
func (s *source) moment(events []replicas.BlockEvent) (same, next []replicas.BlockEvent) {
	for {
		select {
		case e := <-s.events:
			if e.At != events[0].At {
				return events, []replicas.BlockEvent{e}
			}
			events = append(events, e)
		default:
			return events, nil
		}
	}
}

// topic is llm-d's.
func topic(pod, model string) string { return "kv@" + pod + "@" + model }
