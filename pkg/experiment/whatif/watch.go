// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"context"
	"slices"
	"sort"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A watch notes how the requests of some windows end, and stops a simulation when all of
// them have. A window begins with the arrival of a request.
type watch struct {
	workload.Source
	length time.Duration
	// awaited are the requests whose windows have not begun, ascending; windows are the
	// others, in order.
	awaited []int
	windows []window
	// open counts the requests of windows that have not ended. over says that no further
	// request arrives in a window.
	open int
	over bool
	// arrivals are of the requests of windows.
	arrivals map[int]simtime.Time
	ends     []end

	stop     context.CancelFunc
	stopped  bool
	closeErr error
}

// A window is the requests that arrive from a request on, before a time. Requests are numbered
// in order of arrival. next is the first one after the last window that has begun; 0 where it
// has not arrived, or another window began before.
type window struct {
	request, next int
	until         simtime.Time
}

// end is how a request of a window ended. ttft and e2e are of completed ones.
type end struct {
	request     int
	arrival, at simtime.Time
	completed   bool
	ttft, e2e   time.Duration
}

// newWatch watches the windows of requests, which are ascending and differ.
func newWatch(requests []int, length time.Duration) *watch {
	return &watch{length: length, awaited: requests, arrivals: map[int]simtime.Time{}}
}

// simulate runs a simulation until all windows are over.
func (w *watch) simulate(ctx context.Context, c simulator.Config) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	w.stop = stop
	w.Source, c.Source = c.Source, w
	c.Ended = w.ended
	_, err := simulation.Run(running, c)
	if w.stopped && ctx.Err() == nil {
		return w.closeErr
	}
	return err
}

// Close implements [io.Closer].
func (w *watch) Close() error {
	w.closeErr = workload.Close(w.Source)
	return w.closeErr
}

// Next implements [workload.Source]. There is no more request when all windows are over: the
// simulator looks at its context only once in a while.
func (w *watch) Next() (workload.Request, bool) {
	if w.stopped {
		return workload.Request{}, false
	}
	r, ok := w.Source.Next()
	if !ok {
		return r, false
	}
	if len(w.awaited) > 0 && r.ID == w.awaited[0] {
		w.windows = append(w.windows, window{request: r.ID, until: r.Arrival.Add(w.length)})
		w.awaited = w.awaited[1:]
	}
	if n := len(w.windows); n > 0 && w.windows[n-1].next == 0 && r.Arrival >= w.windows[n-1].until {
		w.windows[n-1].next = r.ID
		w.over = len(w.awaited) == 0
	}
	if w.holds(r.ID) {
		w.open++
		w.arrivals[r.ID] = r.Arrival
	}
	w.stopIfOver()
	return r, true
}

// holds reports whether a request that has arrived is in a window.
func (w *watch) holds(request int) bool {
	after := sort.Search(len(w.windows), func(i int) bool { return w.windows[i].request > request })
	return after > 0 && (w.windows[after-1].next == 0 || request < w.windows[after-1].next)
}

func (w *watch) ended(e simulator.RequestEnd) {
	if !w.holds(e.ID) {
		return
	}
	is := end{request: e.ID, arrival: e.Arrival, at: e.End}
	if e.Ended == "completed" {
		is.completed, is.ttft, is.e2e = true, e.FirstToken.Sub(e.Arrival), e.End.Sub(e.Arrival)
	}
	w.ends = append(w.ends, is)
	w.open--
	w.stopIfOver()
}

func (w *watch) stopIfOver() {
	if w.over && w.open == 0 {
		w.stopped = true
		w.stop()
	}
}

// window returns that of a request whose window has begun.
func (w *watch) window(request int) window {
	return w.windows[sort.Search(len(w.windows), func(i int) bool { return w.windows[i].request >= request })]
}

// endOf returns when a request ended that arrived.
func (w *watch) endOf(request int) simtime.Time {
	at := slices.IndexFunc(w.ends, func(e end) bool { return e.request == request })
	return w.ends[at].at
}
