// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"strconv"
	"sync"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// Stream is the answer to one request, as counts of its tokens. One goroutine reads it. The
// pool never waits for that: a slow reader gets several tokens at once.
type Stream struct {
	pool    *Pool
	id      string // the client's
	number  int
	replica int
	arrival simtime.Time
	prompt  int
	keeps   bool
	held    []*stretch
	wake    chan struct{} // something has come

	mu       sync.Mutex
	unread   int
	tokens   int
	progress Progress
	ended    bool
	err      error
}

// Progress is how far an answer is. Times are simulated; those that have not come are 0.
type Progress struct {
	// Arrived is when the request was submitted, Queued when it last came to the wait queue of its
	// engine, Scheduled when a step first computed something of it, First and Last when
	// tokens were given.
	Arrived, Queued, Scheduled, First, Last simtime.Time
	// TTFT is how long the engine took for the first token, from when the request last came to its wait
	// queue before.
	TTFT time.Duration
	// Tokens is how many were given.
	Tokens int
	// Cached is how many tokens of the prompt the prefix cache gave, Remote how many came from the
	// replica that computed it.
	Cached, Remote int
}

// Handle is what another request names the stream by that takes its blocks over; empty where the
// replica keeps none.
func (s *Stream) Handle() string {
	if !s.keeps {
		return ""
	}
	return s.pool.id + "-" + strconv.Itoa(s.number)
}

// Next waits for tokens and returns how many more of the answer were given, at least 1. It returns
// false when the answer has ended, whole unless there is an error, and the error of ctx when that
// ends.
func (s *Stream) Next(ctx context.Context) (n int, ok bool, err error) {
	for {
		s.mu.Lock()
		n, s.unread = s.unread, 0
		ended, err := s.ended, s.err
		s.mu.Unlock()
		if n > 0 {
			return n, true, nil
		}
		if ended {
			return 0, false, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	}
}

// Progress is how far the answer is.
func (s *Stream) Progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.progress
	p.Arrived, p.Tokens = s.arrival, s.tokens
	return p
}

// Close gives up what has not been given: the engine frees the request's blocks. It does nothing
// where the answer has ended.
func (s *Stream) Close() {
	s.pool.giveUp(s)
	s.end(context.Canceled)
}

// give adds tokens.
func (s *Stream) give(g *simulation.Given) {
	s.mu.Lock()
	if s.tokens == 0 {
		s.progress.First, s.progress.TTFT = g.At, g.At.Sub(g.Entered)
	}
	s.progress.Queued, s.progress.Scheduled, s.progress.Last = g.Entered, g.Scheduled, g.At
	s.progress.Cached, s.progress.Remote = g.Cached, g.Remote
	s.unread += g.Tokens
	s.tokens += g.Tokens
	s.mu.Unlock()
	s.rouse()
}

// end ends the stream, whole where err is nil.
func (s *Stream) end(err error) {
	s.mu.Lock()
	if !s.ended {
		s.ended, s.err = true, err
	}
	s.mu.Unlock()
	s.rouse()
}

// rouse lets the reader look.
func (s *Stream) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
