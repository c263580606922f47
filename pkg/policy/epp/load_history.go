// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// endpointLoad is what a predictor knows of an endpoint.
type endpointLoad struct {
	tokens, requests int64
	waiting          int
	kvUsage          float64
}

// historyParts is into how many parts a lag is cut: loads are remembered once a
// part, so that memory does not grow with the rate of requests.
const historyParts = 16

// A loadHistory remembers the endpoints' loads for as long as predictions lag
// behind, to within a part of the lag. Before its beginning all were idle.
type loadHistory struct {
	lag  time.Duration
	part time.Duration
	// notes are in order of time; at the last one all but the first are younger
	// than lag.
	notes []loadNote
}

type loadNote struct {
	at    simtime.Time
	loads []endpointLoad // by endpoint
}

func newLoadHistory(lag time.Duration, endpoints int) *loadHistory {
	return &loadHistory{
		lag:   lag,
		part:  max(1, lag/historyParts),
		notes: []loadNote{{loads: make([]endpointLoad, endpoints)}},
	}
}

// note remembers the loads now, unless that was done just before, and forgets
// what is older than it needs to be.
func (h *loadHistory) note(now simtime.Time, load func(endpoint int) endpointLoad) {
	for len(h.notes) > 1 && now.Sub(h.notes[1].at) >= h.lag {
		h.notes = h.notes[1:]
	}
	last := &h.notes[len(h.notes)-1]
	if len(h.notes) > 1 && now.Sub(last.at) < h.part {
		return
	}
	loads := make([]endpointLoad, len(last.loads))
	for e := range loads {
		loads[e] = load(e)
	}
	h.notes = append(h.notes, loadNote{now, loads})
}

// before is an endpoint's load at least lag before the last note, and hardly
// more.
func (h *loadHistory) before(endpoint int) endpointLoad { return h.notes[0].loads[endpoint] }
