// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// flows count requests, for the scalers of each router and for policies.
type flows struct {
	// Flows is nil where there is no scaler.
	Flows []autoscaling.Gateway
	// patience is Config.AwaitReplicas.
	patience time.Duration
	// traffic is Policies.Traffic; nil where no policy asks for it.
	traffic *policy.Traffic
}

// CountFlows counts the requests of a number of routers for scalers, and lets them wait for a
// replica to serve.
func (f *flows) CountFlows(routers int, patience time.Duration) {
	f.Flows = make([]autoscaling.Gateway, routers)
	f.patience = patience
}

// countArrival counts a request that reaches the gateway, for scalers.
func (f *flows) countArrival(q *request.Request) {
	if f.Flows != nil {
		f.Flows[q.Info.Router].Arrived++
	}
}

// countSend counts a request that goes to an engine, for scalers.
func (f *flows) countSend(q *request.Request) {
	if f.Flows != nil {
		f.Flows[q.Info.Router].Sent++
	}
}

// countAdmission counts a request that enters.
func (f *flows) countAdmission(now simtime.Time, q *request.Request) {
	if f.traffic != nil {
		f.traffic.Admit(now, &q.Info)
		q.Counted = true
	}
}

// countRejection counts a request that is turned away.
func (f *flows) countRejection(now simtime.Time, q *request.Request) {
	f.countEnd(q)
	if f.Flows != nil {
		f.Flows[q.Info.Router].Rejected++
	}
	if f.traffic != nil {
		f.traffic.Reject(now, &q.Info)
	}
}

// countDelay counts a request that begins to wait at the gateway, or ends to.
func (f *flows) countDelay(q *request.Request, n int) {
	if f.traffic != nil {
		f.traffic.Delay(&q.Info, n)
	}
}

// countCompletion counts a request whose answer ends whole at a time.
func (f *flows) countCompletion(at simtime.Time, q *request.Request, good bool) {
	if f.traffic != nil {
		f.traffic.Complete(&q.Info, good)
	}
	if f.Flows != nil {
		f := &f.Flows[q.Info.Router]
		f.Completed++
		f.AnswerTokens += int64(q.Generated())
		f.Answers.Add(q.Info.Tokens, q.FirstToken.Sub(q.Info.Arrival), at.Sub(q.Info.Arrival))
		if good {
			f.Good++
		}
	}
}

// countEnd counts the end of a request, if it was admitted.
func (f *flows) countEnd(q *request.Request) {
	if f.Flows != nil {
		f.Flows[q.Info.Router].Ended++
	}
	if q.Counted {
		f.traffic.End(&q.Info)
		q.Counted = false
	}
}
