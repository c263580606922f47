// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"context"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// A pick is the first one of a request, which may be routed again where a replica fails.
type pick struct {
	request, router int
	names           []string
	// candidates are the endpoints that the router chose among, and chosen is what it chose.
	candidates []int
	chosen     int
	// explained says that the rest is known: the profile that chose, its filters, the
	// endpoints that they left, and the scores of these; nil without scores.
	explained bool
	profile   string
	filters   []scheduler.FilterRun
	left      []int
	scores    []scheduler.Number
}

// score is that of an endpoint; nil where the router gave it none.
func (p *pick) score(endpoint int) *float64 {
	at := slices.Index(p.left, endpoint)
	if at < 0 || p.scores == nil {
		return nil
	}
	return new(float64(p.scores[at]))
}

// gap is how far apart the router holds the chosen endpoint and another candidate: the
// difference of their scores. It is 0 between endpoints that are left where there are no
// scores, and infinite for one that a stage of a policy took out before.
func (p *pick) gap(endpoint int) float64 {
	chosen, other := p.score(p.chosen), p.score(endpoint)
	switch {
	case chosen != nil && other != nil && *chosen == *other: // infinite ones too
		return 0
	case chosen != nil && other != nil && !math.IsNaN(*chosen-*other):
		return math.Abs(*chosen - *other)
	case p.scores == nil && slices.Contains(p.left, endpoint):
		return 0
	default:
		return math.Inf(1)
	}
}

// regret is how much the highest score exceeds that of the chosen endpoint; nil where there
// are no scores.
func (p *pick) regret() *float64 {
	chosen := p.score(p.chosen)
	if chosen == nil {
		return nil
	}
	most := *chosen
	for _, score := range p.scores {
		most = max(most, float64(score))
	}
	if most == *chosen {
		return new(0.0)
	}
	return new(most - *chosen)
}

// A pickRecorder notes the first picks of the requests that the question names.
type pickRecorder struct {
	wanted func(request int) bool
	picks  map[int]*pick
}

// record has the picks of a simulation noted. What it returns is to be called when the
// simulation is over.
func (n *pickRecorder) record(c *simulator.Config) (detach func()) {
	n.picks = map[int]*pick{}
	c.Policies.Routing.Router.(policy.Forcible).Force(n.chosen)
	return execute.WatchDecisions(c, n.decided)
}

// chosen leaves each pick as it is.
func (n *pickRecorder) chosen(request int, candidates []int, chosen int) int {
	if n.wanted(request) && n.picks[request] == nil {
		n.picks[request] = &pick{request: request, candidates: slices.Clone(candidates), chosen: chosen}
	}
	return chosen
}

// decided adds what the router says of a pick.
func (n *pickRecorder) decided(d *execute.RoutingRecord) {
	p, run := n.picks[d.Request.ID], d.Primary()
	if p == nil || p.explained || run == nil {
		return
	}
	p.explained, p.router, p.names = true, d.Router, d.Names
	p.profile, p.filters, p.left, p.scores = run.Profile, run.Filters, run.Candidates, run.Scores
	if slices.Equal(p.left, p.candidates) {
		p.left = p.candidates // once in memory
	}
}

// simulatePicks simulates until the windows are over, and returns the first picks of their
// requests.
func (m Maker) simulatePicks(ctx context.Context, w *watch) (map[int]*pick, error) {
	config, err := m()
	if err != nil {
		return nil, err
	}
	n := pickRecorder{wanted: w.holds}
	detach := n.record(&config)
	err = w.simulate(ctx, config)
	detach()
	return n.picks, err
}
