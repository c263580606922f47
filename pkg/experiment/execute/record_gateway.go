// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
)

// answered makes a record of what a policy before the router said.
func (n *recordObserver) answered(a scheduler.GatewayAnswer) {
	of := result.RequestOrigin{RecordOrigin: n.of, Request: int64(a.Request.ID)}
	of.AtSeconds = a.AtSeconds
	tenant, class := n.labels.Tenants[a.Request.Tenant], n.labels.Classes[a.Request.Class]
	if p := a.Priority; p != nil {
		n.tell(&result.PriorityRecord{
			RequestOrigin: of, Tenant: tenant, Class: class, Policy: p.Policy, Stated: int64(p.Stated), Priority: int64(p.Value),
		})
		return
	}
	r := &result.AdmissionRecord{
		RequestOrigin: of, Tenant: tenant, Class: class, Priority: int64(a.Request.Priority), PromptTokens: int64(a.Request.PromptTokens),
		Policy: a.Admission.Policy, Verdict: a.Admission.Verdict, Reason: a.Admission.Reason,
	}
	if a.Admission.Verdict == scheduler.Delayed {
		r.UntilSeconds = &a.Admission.UntilSeconds
	}
	if s := a.Admission.Saturation; s != nil {
		r.Saturation = new(float64(s.Level))
	}
	if t := a.Admission.Tenant; t != nil {
		r.Arrived, r.Admitted, r.Rejected = &t.Arrived, &t.Admitted, &t.Rejected
		r.Delayed, r.InFlight, r.InFlightTokens = new(int64(t.Delayed)), new(int64(t.InFlight)), &t.InFlightTokens
		r.ArrivalRate = new(float64(t.ArrivalRate))
	}
	n.tell(r)
}
