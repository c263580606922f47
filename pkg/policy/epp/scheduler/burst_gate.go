// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A burstGate is where requests wait for their windows to close, one window after
// the other where several producers have one.
type burstGate struct {
	windows []window
	// leaving are those whose window has closed, in the order in which they came.
	leaving []*HeldRequest
	// cancelled are requests whose clients gave them up, until their windows close.
	cancelled map[int]bool
}

// A window is a producer that lets requests wait until it closes, and then chooses
// their places together.
type window interface {
	// IsFull reports whether the window takes no more requests.
	IsFull() bool
	// Join lets the request of a cycle wait. The window is not full.
	Join(c *Cycle, item *HeldRequest)
	// ClosesAt is when the window closes; false where no request waits.
	ClosesAt() (simtime.Time, bool)
	// Close chooses places, and returns the requests in the order in which they came.
	Close() []*HeldRequest
	// Recall says what came of the window for the request under way.
	Recall(place WindowResult)
}

// A WindowResult is what came of a window for a request. The zero value is of one
// that was in none.
type WindowResult struct {
	Blocks   int // of the prompt
	Assigned bool
	Endpoint int // if assigned
}

// A HeldRequest is a request that waits, or has.
type HeldRequest struct {
	request policy.Request
	Seen    EndpointSnapshot
	// Places are what came of the windows that it has been in.
	Places []WindowResult

	// What follows is of the window that it is in: the prompt's blocks, and the
	// endpoint that it is assigned; none where that is none.
	Chain    []prompt.Stretch
	Blocks   int
	Assigned int
}

// An EndpointSnapshot is what the EPP knew of the endpoints when it let a request in.
type EndpointSnapshot struct {
	engines  []policy.Scrape
	adapters []policy.Adapters
	Down     []bool
	// Running are the requests that ran on each, as far as the EPP knew.
	Running []int
}

// hold lets the request of a cycle wait in the first window, unless there is no window or it is
// full.
func (g *burstGate) hold(c *Cycle, request *policy.Request) bool {
	if len(g.windows) == 0 {
		return false
	}
	g.Close(c.Now)
	c.changed = nil // those that wait have seen some of it
	for _, w := range g.windows {
		w.Recall(WindowResult{})
	}
	if g.windows[0].IsFull() {
		return false
	}
	g.windows[0].Join(c, &HeldRequest{request: *request, Seen: c.snapshot()})
	return true
}

// holdAgain lets a request wait in its next window, unless there is none or it is full.
func (g *burstGate) holdAgain(c *Cycle, item *HeldRequest) bool {
	for i, w := range g.windows {
		if i < len(item.Places) {
			w.Recall(item.Places[i])
		} else {
			w.Recall(WindowResult{})
		}
	}
	if next := len(item.Places); next < len(g.windows) && !g.windows[next].IsFull() {
		g.windows[next].Join(c, item)
		return true
	}
	return false
}

// Close closes the windows that are over.
func (g *burstGate) Close(now simtime.Time) {
	for _, w := range g.windows {
		if at, ok := w.ClosesAt(); ok && at <= now {
			g.leaving = append(g.leaving, w.Close()...)
		}
	}
}

// next is a request whose window has closed by now; nil if there is none.
func (g *burstGate) next(now simtime.Time) *HeldRequest {
	g.Close(now)
	for len(g.leaving) > 0 {
		item := g.leaving[0]
		g.leaving = g.leaving[1:]
		if !g.cancelled[item.request.ID] {
			return item
		}
		delete(g.cancelled, item.request.ID)
	}
	return nil
}

// cancel gives a request up that is in a window, and in the way until that closes.
func (g *burstGate) cancel(request int) {
	if g.cancelled == nil {
		g.cancelled = map[int]bool{}
	}
	g.cancelled[request] = true
}

// Wake is when the next window closes; false if no request waits.
func (g *burstGate) Wake() (simtime.Time, bool) {
	earliest, some := simtime.Never, false
	for _, w := range g.windows {
		if at, ok := w.ClosesAt(); ok {
			earliest, some = min(earliest, at), true
		}
	}
	return earliest, some
}

// snapshot copies what a cycle knows of the endpoints.
func (c *Cycle) snapshot() EndpointSnapshot {
	v := EndpointSnapshot{
		engines: slices.Clone(c.Engines),
		Down:    slices.Clone(c.Down),
		Running: make([]int, len(c.Scrapes)),
	}
	for e := range c.Scrapes {
		v.Running[e] = c.Scrapes[e].Running
	}
	for _, a := range c.Adapters {
		v.adapters = append(v.adapters, policy.Adapters{Active: slices.Clone(a.Active), Waiting: slices.Clone(a.Waiting), Max: a.Max})
	}
	return v
}

// restore gives a cycle the endpoints of a snapshot, without those that have gone since then
// and those that have come.
func (c *Cycle) restore(v *EndpointSnapshot) {
	c.Engines, c.changed = v.engines, nil
	if !c.Unscraped {
		c.Scrapes, c.Adapters = v.engines, v.adapters
	}
	if v.Down == nil {
		return
	}
	down, there := slices.Clone(v.Down), 0
	for e := range down {
		down[e] = down[e] || c.Gone(e)
		if !down[e] {
			there++
		}
	}
	c.Down, c.Present = down, there
}
