// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// tokenBucket limits a rate. A bucket holds up to burst units and fills at the rate; a
// request takes one unit, or as many as its prompt has tokens. A request that needs more
// than the bucket holds is rejected, or waits until the bucket has filled. A request
// that is larger than the bucket takes a full one.
//
// The bucket is kept as the time at which it is full again, in ns, as the generic cell
// rate algorithm keeps it (ITU-T I.371): no level has to be brought up to date.
type tokenBucket struct {
	byTenant bool
	tokens   bool // counts tokens of prompts
	maxDelay time.Duration
	// units are the time in which one unit flows in, bursts that in which a full bucket does,
	// by tenant, or of all.
	units, bursts []float64
	// fullAt is when each bucket is full.
	fullAt []simtime.Time
}

func readTokenBucket(l *loader) func(int64) policy.Admission {
	scope := l.Choice("scope", "what has a bucket", "global", "tenant")
	unit := l.Choice("unit", "what the bucket counts", "requests", "tokens")
	rate := l.Positive("rate", 10, "units per second that flow into the bucket")
	burst := l.Positive("burst", 10, "units that a full bucket holds")
	l.requireForTokens(unit, "rate", "burst")
	over := l.Choice("over", "what happens to a request for which the bucket has not enough", "reject", "delay")
	maxDelay := l.Duration("maxDelay", 10*time.Second, "the longest wait with over=delay; a request that would wait longer is rejected")
	rates := []float64{rate}
	ofTenants := l.PositiveOf("rate", "tenant", l.names.Tenants, rate, "the rate of one tenant, with scope=tenant")
	switch scope {
	case "tenant":
		rates = ofTenants
	case "global":
		for i, of := range ofTenants {
			if of != rate {
				l.Invalid("rate:"+l.names.Tenants[i], "has no effect with scope=global: set scope to tenant")
			}
		}
	}
	if over == "reject" {
		l.needsDelay("maxDelay")
		maxDelay = 0
	}
	return func(int64) policy.Admission {
		b := &tokenBucket{byTenant: scope == "tenant", tokens: unit == "tokens", maxDelay: maxDelay, fullAt: make([]simtime.Time, len(rates))}
		for _, rate := range rates {
			b.units = append(b.units, 1e9/rate)
			b.bursts = append(b.bursts, burst/rate*1e9)
		}
		return b
	}
}

func (b *tokenBucket) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	if view.Now > request.Arrival {
		return policy.AdmissionResponse{} // it has waited for units that are its own
	}
	i := 0
	if b.byTenant {
		i = request.Tenant
	}
	needs := b.units[i]
	if b.tokens {
		needs *= float64(request.Tokens)
	}
	fullAt := max(b.fullAt[i], view.Now) + duration(needs)
	wait := fullAt.Sub(view.Now) - time.Duration(duration(max(b.bursts[i], needs)))
	switch {
	case wait <= 0:
		b.fullAt[i] = fullAt
		return policy.AdmissionResponse{}
	case wait > b.maxDelay:
		return policy.Reject(policy.ErrRateLimited)
	}
	b.fullAt[i] = fullAt
	return policy.DelayUntil(view.Now.Add(wait))
}

// duration rounds ns, and keeps them from overflowing.
func duration(ns float64) simtime.Time { return simtime.Time(min(math.Round(ns), 1<<60)) }
