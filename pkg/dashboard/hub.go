// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"net/http"
	"sync"

	"github.com/go-logr/logr"
)

// Bounds of streams: each takes memory for as long as its reader likes.
const (
	mostStreams         = 1000
	mostStreamsOfReader = 100
)

// errTooManyStreams says that a reader, or all of them, have as many streams as they may.
var errTooManyStreams = &faultPage{http.StatusTooManyRequests, "Too many pages", "The server tells no more pages of changes: close some pages and reload this one."}

// hub tells all streams of events what changes. However many there are, the source is watched once,
// and only as long as there are some.
type hub struct {
	watch func(context.Context, func(Key)) error
	log   logr.Logger

	mu      sync.Mutex
	streams map[*subscription]struct{}
	// readers counts the streams of each reader.
	readers map[string]int
	// stop ends the watch; nil without a watch.
	stop context.CancelFunc
}

func newHub(watch func(context.Context, func(Key)) error, log logr.Logger) *hub {
	return &hub{watch: watch, log: log, streams: map[*subscription]struct{}{}, readers: map[string]int{}}
}

// subscription is what one stream wants to know.
type subscription struct {
	reader   string
	concerns func(Key) bool
	// changed has a value if something has changed since it was last read.
	changed chan struct{}
	// lost is closed when the watch has failed: the browser connects again, and so a new watch begins.
	lost chan struct{}
}

// subscribe returns a subscription of a reader, and what ends it.
func (h *hub) subscribe(reader string, concerns func(Key) bool) (s *subscription, end func(), err error) {
	s = &subscription{reader: reader, concerns: concerns, changed: make(chan struct{}, 1), lost: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.streams) >= mostStreams || h.readers[reader] >= mostStreamsOfReader {
		return nil, nil, errTooManyStreams
	}
	h.streams[s] = struct{}{}
	h.readers[reader]++
	if h.stop == nil {
		var ctx context.Context
		ctx, h.stop = context.WithCancel(context.Background())
		go h.follow(ctx)
	}
	return s, func() { h.unsubscribe(s) }, nil
}

// follow watches until the context ends. If the watch ends before, all streams do.
func (h *hub) follow(ctx context.Context) {
	err := h.watch(ctx, h.tell)
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	h.log.Error(err, "Pages do not follow changes until they connect again")
	h.end()
	for s := range h.streams {
		close(s.lost)
		h.remove(s)
	}
}

func (h *hub) unsubscribe(s *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(s)
	if len(h.streams) == 0 && h.stop != nil {
		h.end()
	}
}

// end ends the watch. The caller has the lock.
func (h *hub) end() {
	h.stop()
	h.stop = nil
}

// remove forgets a stream. The caller has the lock.
func (h *hub) remove(s *subscription) {
	if _, known := h.streams[s]; !known {
		return
	}
	delete(h.streams, s)
	if h.readers[s.reader]--; h.readers[s.reader] == 0 {
		delete(h.readers, s.reader)
	}
}

// tell tells all streams that an object concerns. It waits for none.
func (h *hub) tell(key Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		if !s.concerns(key) {
			continue
		}
		select {
		case s.changed <- struct{}{}:
		default: // it will look anyway
		}
	}
}
