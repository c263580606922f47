// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// leastAttained is −(prompt tokens of the tenant's earlier requests ÷ its share), in whole
// tokens, each token counting for half after every halfLife. So a tenant that has
// sent little comes before one that has sent much. The router knows no answer lengths
// when a request arrives, so prompts stand for all service.
type leastAttained struct {
	shares   []float64
	halfLife time.Duration
	tenants  []attained
}

// attained is the service of one tenant, as of a time.
type attained struct {
	tokens float64
	at     simtime.Time
}

func readLeastAttained(l *loader) func() policy.Priority {
	shares := l.PositiveOf("share", "tenant", l.world.Tenants, 1, "the share of one tenant: with 2, its tokens count half")
	halfLife := l.Duration("halfLife", time.Minute, "the time after which tokens count half")
	return func() policy.Priority {
		return &leastAttained{shares, halfLife, make([]attained, len(shares))}
	}
}

func (p *leastAttained) Prioritize(view *policy.View, request *policy.Request) (int, policy.Hints) {
	a := &p.tenants[request.Tenant]
	a.tokens = float64(a.tokens * stats.Pow(0.5, view.Now.Sub(a.at).Seconds()/p.halfLife.Seconds()))
	a.at = view.Now
	priority := -int(min(a.tokens/p.shares[request.Tenant], math.MaxInt32))
	a.tokens += float64(request.Tokens)
	return priority, policy.Hints{}
}
