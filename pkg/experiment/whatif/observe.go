// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"context"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// An Observation is what a whole simulation says of one request and of the router's first
// pick for it.
type Observation struct {
	Request int
	// ScoreRegret is by how much the highest score exceeds that of the picked endpoint.
	// Margin is by how much the picked endpoint exceeds the best other candidate where it
	// has the highest score, else 0. Scored says that there are both.
	Scored              bool
	ScoreRegret, Margin float64
	PromptTokens        int
	// TTFT is the time to the first token, and Target is the one that an SLO states; 0
	// where there is none.
	TTFT, Target time.Duration
}

// Observe simulates to the end and returns an observation of each request that the router
// picked an endpoint for and that completed, in the order of the requests.
func Observe(ctx context.Context, m Maker) ([]Observation, error) {
	config, err := m()
	if err != nil {
		return nil, err
	}
	n := pickRecorder{wanted: func(int) bool { return true }}
	detach := n.record(&config)
	completed := map[int]Observation{}
	last := -1
	config.Ended = func(e simulator.RequestEnd) {
		last = max(last, e.ID)
		if e.Ended != "completed" {
			return
		}
		target := simulator.FindTarget(config.Targets, config.TenantTargets, e.Tenant, e.Class)
		completed[e.ID] = Observation{Request: e.ID, PromptTokens: e.PromptTokens, TTFT: e.FirstToken.Sub(e.Arrival), Target: target.TTFT}
	}
	_, err = simulation.Run(ctx, config)
	detach()
	if err != nil {
		return nil, err
	}
	var all []Observation
	for id := range last + 1 {
		o, ok := completed[id]
		if p := n.picks[id]; ok && p != nil && p.explained {
			o.score(p)
			all = append(all, o)
		}
	}
	return all, nil
}

// score fills in what a pick says of scores.
func (o *Observation) score(p *pick) {
	regret := p.regret()
	if regret == nil {
		return
	}
	o.ScoreRegret = *regret
	first := true
	for _, e := range p.left {
		if e == p.chosen {
			continue
		}
		if gap := p.gap(e); first || gap < o.Margin {
			o.Margin, first = gap, false
		}
	}
	o.Scored = !first
	if o.ScoreRegret > 0 {
		o.Margin = 0
	}
}
