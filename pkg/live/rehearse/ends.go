// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// asEnded has a simulated EPP count the ends of requests when the real one did. An end that the real one does not tell
// is counted when it is simulated.
type asEnded struct {
	policy.ResponseListener // nil where none counts
	// told are the requests whose end the real EPP tells, and open those of them that are not counted, by the time of
	// their ends.
	told map[int]bool
	open []openRequest
}

// openRequest is a request that has an endpoint.
type openRequest struct {
	request  policy.Request
	endpoint int
	ends     simtime.Time
}

// newEnds takes the place of the listener of a router. One that hears of what answers cost hears it with their ends, and
// stays.
func newEnds(r *policy.Routing) *asEnded {
	a := &asEnded{told: map[int]bool{}}
	if r.Responses != nil && r.Usage == nil {
		a.ResponseListener = r.Responses
		r.Responses = a
	}
	return a
}

// routed takes a request that an endpoint was chosen for, and the time of its end; 0 is unknown.
func (a *asEnded) routed(request *policy.Request, endpoint int, ends simtime.Time) {
	if ends == 0 || a.ResponseListener == nil {
		return
	}
	n, _ := slices.BinarySearchFunc(a.open, ends, func(o openRequest, at simtime.Time) int { return cmp.Compare(o.ends, at) })
	a.open = slices.Insert(a.open, n, openRequest{*request, endpoint, ends})
	a.told[request.ID] = true
}

// until counts the ends before a time.
func (a *asEnded) until(at simtime.Time) {
	for len(a.open) > 0 && a.open[0].ends < at {
		over := a.open[0]
		a.open = a.open[1:]
		a.ResponseListener.Finished(&over.request, over.endpoint)
	}
}

// FirstToken implements [policy.ResponseListener].
func (a *asEnded) FirstToken(request *policy.Request, endpoint int) {
	if !a.told[request.ID] || slices.ContainsFunc(a.open, func(o openRequest) bool { return o.request.ID == request.ID }) {
		a.ResponseListener.FirstToken(request, endpoint)
	}
}

// Finished implements [policy.ResponseListener].
func (a *asEnded) Finished(request *policy.Request, endpoint int) {
	if !a.told[request.ID] {
		a.ResponseListener.Finished(request, endpoint)
	}
}
