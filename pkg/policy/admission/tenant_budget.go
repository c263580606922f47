// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// tenantBudget divides a capacity of requests, or of prompt tokens, in flight among the
// tenants that have some in flight, in proportion to their shares. As long as capacity
// is free, every request enters. Then only those of tenants enter that are below their
// part, so a tenant within its part never waits for one above it.
type tenantBudget struct {
	capacity float64
	tokens   bool
	shares   []float64 // by tenant
	wait     patience
}

func readTenantBudget(l *loader) func(int64) policy.Admission {
	capacity := l.Positive("capacity", 64, "requests, or prompt tokens, in flight that tenants share")
	unit := l.Choice("unit", "what is counted", "requests", "tokens")
	l.requireForTokens(unit, "capacity")
	b := &tenantBudget{
		capacity: capacity,
		tokens:   unit == "tokens",
		shares:   l.PositiveOf("share", "tenant", l.names.Tenants, 1, "the share of one tenant"),
		wait:     readPatience(l, "a tenant over its part"),
	}
	l.seesTraffic(countOnly)
	return func(int64) policy.Admission { return b }
}

func (b *tenantBudget) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	t, needs := view.Traffic, 1.0
	if b.tokens {
		needs = float64(request.Tokens)
	}
	if b.inFlight(&t.All)+needs <= b.capacity {
		return policy.AdmissionResponse{}
	}
	shares := 0.0
	for i := range t.Tenants {
		if t.Tenants[i].InFlight > 0 || i == request.Tenant {
			shares += b.shares[i]
		}
	}
	part := b.capacity * b.shares[request.Tenant] / shares
	if used := b.inFlight(&t.Tenants[request.Tenant]); used == 0 || used+needs <= part {
		return policy.AdmissionResponse{}
	}
	return b.wait.orReject(view.Now, request, policy.ErrOverBudget)
}

func (b *tenantBudget) inFlight(f *policy.Flow) float64 {
	if b.tokens {
		return float64(f.InFlightTokens)
	}
	return float64(f.InFlight)
}

// patience is what a policy does with a request that it does not let enter now.
type patience struct{ every, longest time.Duration }

func readPatience(l *loader, of string) patience {
	over := l.Choice("over", "what happens to a request of "+of, "reject", "delay")
	p := patience{
		every:   l.Duration("retryEvery", 100*time.Millisecond, "the time between two looks at a request that waits, with over=delay"),
		longest: l.Duration("maxDelay", 10*time.Second, "the longest wait with over=delay; then the request is rejected"),
	}
	if over == "reject" {
		l.needsDelay("retryEvery", "maxDelay")
		p.longest = 0
	}
	return p
}

// orReject delays a request until the next look, or rejects it after the longest wait.
func (p patience) orReject(now simtime.Time, request *policy.Request, reason error) policy.AdmissionResponse {
	next := min(now.Add(p.every), request.Arrival.Add(p.longest))
	if next <= now {
		return policy.Reject(reason)
	}
	return policy.DelayUntil(next)
}
