// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// hear tells the listener of an end, as long as requests arrive.
func (p *plain) hear(q *plainRequest, how workload.Ending) {
	horizon := simtime.Time(p.Horizon.Duration)
	if p.Listener != nil && !p.closed && (horizon == 0 || p.now < horizon) {
		p.Listener.Ended(workload.End{ID: q.Info.ID, At: p.now, Ending: how})
	}
}

// listen closes the arrivals now if no request can come any more.
func (p *plain) listen() {
	if p.Listener == nil || p.closed {
		return
	}
	_, known := p.Listener.Due()
	enough := p.Horizon.Requests > 0 && p.arrived == p.Horizon.Requests
	closing := slices.ContainsFunc(p.events, func(e plainEvent) bool { return e.kind == plainHorizon })
	if (enough || !known && p.inFlight == 0) && !closing {
		p.schedule(plainEvent{at: p.now, kind: plainHorizon})
	}
}

// known is the arrival or the horizon that the listener's next request stands for.
func (p *plain) known() plainEvent {
	e := plainEvent{at: simtime.Never, kind: plainDrainEnd}
	if p.Listener == nil || p.closed {
		return e
	}
	if end := simtime.Time(p.Horizon.Duration); end > 0 {
		e = plainEvent{at: end, kind: plainHorizon}
	}
	if p.Horizon.Requests > 0 && p.arrived == p.Horizon.Requests {
		return e
	}
	if due, known := p.Listener.Due(); known && due < e.at {
		e = plainEvent{at: due, kind: plainArrival}
	}
	return e
}
