// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// randomAdmission puts a priority and an admission policy before the router.
func randomAdmission(c *choices, config *simulator.Config) {
	config.Policies.Priority = reversed{}
	b := bouncer{most: 1 + c.pick(8), router: scatterOf(config)}
	if c.pick(3) > 0 {
		b.tick = simtime.Time(1 + c.pick(20))
	}
	if c.pick(2) > 0 {
		config.Policies.Traffic = policy.NewTraffic(2, 2, time.Duration(16+c.pick(100)))
		b.tenantMost = 1 + c.pick(4)
	}
	config.Policies.Admission = &b
}

// reversed makes the least important requests the most important ones, and hints that the
// prompts of some are to be computed in chunks of one to three tokens.
type reversed struct{}

func (reversed) Prioritize(_ *policy.View, q *policy.Request) (int, policy.Hints) {
	return -q.Priority, policy.Hints{PrefillChunk: q.ID % 4}
}

// bouncer admits no request below priority 0 while replicas hold more than so many
// requests together, as they were last scraped, and no request of a tenant that has so
// many in flight, if there is such a bound. With a tick it makes four of five requests
// wait for some multiples of it, and asks for as long as the tenant is over the bound.
type bouncer struct {
	most, tenantMost int
	tick             simtime.Time
	router           *scatter // writes down what the bouncer sees
}

func (b *bouncer) Admit(v *policy.View, q *policy.Request) policy.AdmissionResponse {
	over := false
	if t := v.Traffic; t != nil {
		f := &t.Tenants[q.Tenant]
		b.router.log = append(b.router.log, fmt.Sprintf("admit %d at %v: %+v %+v %+v, rates %v %v %v", q.ID, v.Now, t.All.InFlight, f.Delayed, t.Classes[q.Class],
			f.ArrivalRate(v.Now), f.AdmissionRate(v.Now), f.RejectionRate(v.Now)))
		over = f.InFlight >= b.tenantMost
	}
	load := 0
	for _, s := range v.Scrapes {
		load += loadOf(s)
	}
	waited := v.Now.Sub(q.Arrival)
	switch {
	case load > b.most && q.Priority < 0:
		return policy.Reject([]error{policy.ErrShed, policy.ErrRateLimited, policy.ErrOverBudget, policy.ErrClassRefused}[q.ID%4])
	case b.tick > 0 && q.ID%5 > 0 && (over && waited < 90 || waited < time.Duration(b.tick)*time.Duration(q.ID%3)):
		return policy.DelayUntil((v.Now/b.tick + 1) * b.tick)
	case over:
		return policy.Reject(policy.ErrOverBudget)
	}
	return policy.AdmissionResponse{Hints: policy.Hints{PrefillChunk: q.ID / 4 % 3}}
}
