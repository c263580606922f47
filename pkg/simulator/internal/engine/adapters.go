// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// adapters are the LoRA adapters that a replica holds. Nil ones gate nothing.
type adapters struct {
	simulator.AdapterPlaces
	// Held are in order of use, the least recently used first. One is in use
	// from the time on that it begins to be loaded, and when a request of it
	// begins or ends to run.
	Held []adapter
}

// adapter is one that is held, or that is being loaded.
type adapter struct {
	Id      int32
	Running int          // requests in the batch
	Ready   simtime.Time // when it was or will be loaded
}

func newAdapters(p *simulator.AdapterPlaces) *adapters {
	if p == nil {
		return nil
	}
	return &adapters{AdapterPlaces: *p}
}

func (a *adapters) find(id int32) int {
	return slices.IndexFunc(a.Held, func(h adapter) bool { return h.Id == id })
}

// serves says whether a request of an adapter may run now; 0 is the base model. If
// there is a place for the adapter it begins to be loaded.
func (a *adapters) serves(id int32, now simtime.Time) bool {
	if a == nil || id == 0 {
		return true
	}
	if at := a.find(id); at >= 0 {
		return a.Held[at].Ready <= now
	}
	if len(a.Held) == a.Max {
		idle := slices.IndexFunc(a.Held, func(h adapter) bool { return h.Running == 0 && h.Ready <= now })
		if idle < 0 {
			return false
		}
		a.Held = slices.Delete(a.Held, idle, idle+1)
	}
	a.Held = append(a.Held, adapter{Id: id, Ready: now.Add(a.LoadTime)})
	return a.LoadTime == 0
}

// runs counts a request of an adapter that begins to run, or ends to.
func (a *adapters) runs(id int32, n int) {
	if a == nil || id == 0 {
		return
	}
	at := a.find(id)
	used := a.Held[at]
	used.Running += n
	a.Held = append(slices.Delete(a.Held, at, at+1), used)
}

// due is when the next adapter is loaded of those that are on their way; Never
// if none is.
func (a *adapters) due(now simtime.Time) simtime.Time {
	due := simtime.Never
	if a != nil {
		for _, h := range a.Held {
			if h.Ready > now {
				due = min(due, h.Ready)
			}
		}
	}
	return due
}

// loading says whether adapters are on their way.
func (a *adapters) loading(now simtime.Time) bool { return a.due(now) < simtime.Never }
