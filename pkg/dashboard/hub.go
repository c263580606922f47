// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"sync"

	"github.com/go-logr/logr"
)

// hub tells all streams of events what changes. However many there are, the source is watched once,
// and only as long as there are some.
type hub struct {
	watch func(context.Context, func(Key)) error
	log   logr.Logger

	mu      sync.Mutex
	streams map[*subscription]struct{}
	stop    context.CancelFunc
}

func newHub(watch func(context.Context, func(Key)) error, log logr.Logger) *hub {
	return &hub{watch: watch, log: log, streams: map[*subscription]struct{}{}}
}

// subscription is what one stream wants to know.
type subscription struct {
	concerns func(Key) bool
	// changed has a value if something has changed since it was last read.
	changed chan struct{}
}

// subscribe returns a subscription, and what ends it.
func (h *hub) subscribe(concerns func(Key) bool) (s *subscription, end func()) {
	s = &subscription{concerns: concerns, changed: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streams[s] = struct{}{}
	if len(h.streams) == 1 {
		var ctx context.Context
		ctx, h.stop = context.WithCancel(context.Background())
		go func() {
			if err := h.watch(ctx, h.tell); err != nil && ctx.Err() == nil {
				h.log.Error(err, "Pages do not follow changes")
			}
		}()
	}
	return s, func() { h.unsubscribe(s) }
}

func (h *hub) unsubscribe(s *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s)
	if len(h.streams) == 0 && h.stop != nil {
		h.stop()
		h.stop = nil
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
