// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// The functions of this file fill in the fields of layouts.go, in their order. They return
// the cells that follow.

// FillRequest fills in the fields of a request.
func FillRequest(cells []float64, now simtime.Time, q *policy.Request) []float64 {
	cells[0] = float64(q.Tokens)
	cells[1] = float64(q.Tenant)
	cells[2] = float64(q.Class)
	cells[3] = float64(q.Priority)
	cells[4] = float64(q.Session)
	cells[5] = float64(q.Adapter)
	cells[6] = now.Sub(q.Arrival).Seconds()
	cells[7] = q.TTFT.Seconds()
	cells[8] = q.TPOT.Seconds()
	return cells[9:]
}

// FillEndpoint fills in the fields of an endpoint.
func FillEndpoint(cells []float64, view *policy.View, endpoint int) []float64 {
	s := &view.Scrapes[endpoint]
	cells[0] = float64(endpoint)
	cells[1] = float64(s.Waiting)
	cells[2] = float64(s.Running)
	cells[3] = s.KVUsage
	cells[4] = view.Now.Sub(s.At).Seconds()
	cells[5] = float64(s.Blocks)
	cells[6] = float64(s.BlockTokens)
	cells[7] = float64(s.Transfers)
	cells[8] = s.TransferDelay.Seconds()
	return cells[9:]
}

// fillEndpoints fills in the rows of the endpoints that are there, for a layout whose rows
// have the fields of an endpoint alone.
func fillEndpoints(f *Frame, l *Layout, view *policy.View) {
	f.Resize(l, len(view.Scrapes))
	f.Rows = 0
	cells := f.Cells
	for e := range view.Scrapes {
		if view.Down == nil || !view.Down[e] {
			cells = FillEndpoint(cells, view, e)
			f.Rows++
		}
	}
}

// fillFlow fills in what the gateway has counted.
func fillFlow(cells []float64, now simtime.Time, flow *policy.Flow) []float64 {
	cells[0] = float64(flow.InFlight)
	cells[1] = float64(flow.InFlightTokens)
	cells[2] = float64(flow.Delayed)
	cells[3] = flow.ArrivalRate(now)
	cells[4] = flow.AdmissionRate(now)
	cells[5] = flow.RejectionRate(now)
	return cells[6:]
}

// FillGateway fills in the frame of a policy before the router: of the layouts of
// admissions and of priorities. The view has traffic.
func FillGateway(c *Caller, view *policy.View, q *policy.Request) {
	rest := FillRequest(c.Frame.Scalars, view.Now, q)
	rest = fillFlow(rest, view.Now, &view.Traffic.All)
	fillFlow(rest, view.Now, &view.Traffic.Tenants[q.Tenant])
	fillEndpoints(c.Frame, c.Layout, view)
}
