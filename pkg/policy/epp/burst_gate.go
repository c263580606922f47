// SPDX-License-Identifier: Apache-2.0

package epp

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
	leaving []*burstItem
}

// A window is a producer that lets requests wait until it closes, and then chooses
// their places together.
type window interface {
	// isFull reports whether the window takes no more requests.
	isFull() bool
	// join lets the request of a cycle wait. The window is not full.
	join(c *cycle, item *burstItem)
	// closesAt is when the window closes; false where no request waits.
	closesAt() (simtime.Time, bool)
	// close chooses places, and returns the requests in the order in which they came.
	close() []*burstItem
	// recall says what came of the window for the request under way.
	recall(place burstPlace)
}

// A burstPlace is what came of a window for a request. The zero value is of one
// that was in none.
type burstPlace struct {
	blocks   int // of the prompt
	assigned bool
	endpoint int // if assigned
}

// A burstItem is a request that waits, or has.
type burstItem struct {
	request policy.Request
	seen    burstView
	// places are what came of the windows that it has been in.
	places []burstPlace

	// What follows is of the window that it is in: the prompt's blocks, and the
	// endpoint that it is assigned; none where that is none.
	chain    []prompt.Stretch
	blocks   int
	assigned int
}

// A burstView is what the EPP knew of the endpoints when it let a request in.
type burstView struct {
	engines  []policy.Scrape
	adapters []policy.Adapters
	down     []bool
	// running are the requests that ran on each, as far as the EPP knew.
	running []int
}

// keep lets the request of a cycle wait, unless there is no window, or it is
// full.
func (g *burstGate) keep(c *cycle, request *policy.Request) bool {
	if len(g.windows) == 0 {
		return false
	}
	g.close(c.now)
	c.changed = nil // those that wait have seen some of it
	for _, w := range g.windows {
		w.recall(burstPlace{})
	}
	if g.windows[0].isFull() {
		return false
	}
	g.windows[0].join(c, &burstItem{request: *request, seen: c.remembered()})
	return true
}

// keepOn lets a request wait in its next window, unless there is none, or it is
// full.
func (g *burstGate) keepOn(c *cycle, item *burstItem) bool {
	for i, w := range g.windows {
		if i < len(item.places) {
			w.recall(item.places[i])
		} else {
			w.recall(burstPlace{})
		}
	}
	if next := len(item.places); next < len(g.windows) && !g.windows[next].isFull() {
		g.windows[next].join(c, item)
		return true
	}
	return false
}

// close closes the windows that are over.
func (g *burstGate) close(now simtime.Time) {
	for _, w := range g.windows {
		if at, ok := w.closesAt(); ok && at <= now {
			g.leaving = append(g.leaving, w.close()...)
		}
	}
}

// next is a request whose window has closed by now; nil if there is none.
func (g *burstGate) next(now simtime.Time) *burstItem {
	g.close(now)
	if len(g.leaving) == 0 {
		return nil
	}
	item := g.leaving[0]
	g.leaving = g.leaving[1:]
	return item
}

// wake is when the next window closes; false where nobody waits.
func (g *burstGate) wake() (simtime.Time, bool) {
	earliest, some := simtime.Never, false
	for _, w := range g.windows {
		if at, ok := w.closesAt(); ok {
			earliest, some = min(earliest, at), true
		}
	}
	return earliest, some
}

// remembered keeps what a cycle knows of the endpoints for later.
func (c *cycle) remembered() burstView {
	v := burstView{
		engines: slices.Clone(c.engines),
		down:    slices.Clone(c.down),
		running: make([]int, len(c.scrapes)),
	}
	for e := range c.scrapes {
		v.running[e] = c.scrapes[e].Running
	}
	for _, a := range c.adapters {
		v.adapters = append(v.adapters, policy.Adapters{Active: slices.Clone(a.Active), Waiting: slices.Clone(a.Waiting), Max: a.Max})
	}
	return v
}

// recall has a cycle see what was remembered. Endpoints that have gone since then
// are gone, and those that have come are not there yet.
func (c *cycle) recall(v *burstView) {
	c.engines, c.changed = v.engines, nil
	if !c.unscraped {
		c.scrapes, c.adapters = v.engines, v.adapters
	}
	if v.down == nil {
		return
	}
	down, there := slices.Clone(v.down), 0
	for e := range down {
		down[e] = down[e] || c.gone(e)
		if !down[e] {
			there++
		}
	}
	c.down, c.there = down, there
}
