// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// mostDifferences is how many differences are kept.
const mostDifferences = 20

// Decisions count the requests by how the simulated EPP decides on them, after the same decisions
// before.
type Decisions struct {
	// Equal are those with the same choice, Tied those where one of the two gives both choices its
	// highest score, and Different the others.
	Equal     int `json:"equal"`
	Tied      int `json:"tied"`
	Different int `json:"different"`
	// NotRouted are requests that one of the two gives no endpoint.
	NotRouted int `json:"notRouted"`
}

// Share is the part of the decisions that are equal or tied; 1 of none.
func (d *Decisions) Share() float64 {
	all := d.Equal + d.Tied + d.Different + d.NotRouted
	if all == 0 {
		return 1
	}
	return float64(d.Equal+d.Tied) / float64(all)
}

// Difference is a decision that is neither equal nor tied.
type Difference struct {
	Request int `json:"request"`
	// AtSeconds is the time of the simulated decision.
	AtSeconds float64 `json:"atSeconds"`
	// Live and Simulated are the choices; -1 is none.
	Live      int `json:"live"`
	Simulated int `json:"simulated"`
	// LiveScores are those of the real EPP by endpoint, where it tells, and Scores the simulated ones.
	LiveScores map[int]float64 `json:"liveScores,omitempty"`
	Scores     map[int]float64 `json:"scores"`
	// Signals are what the simulated EPP knew of the endpoints, and Prefixes of their caches.
	Signals  []scheduler.EndpointSignals `json:"signals"`
	Prefixes []scheduler.PrefixSignal    `json:"prefixes,omitempty"`
}

// Simulated is what the simulations of a scenario give.
type Simulated struct {
	// Own has the metrics of the simulation by itself, Same those under the choices of the real EPP.
	Own, Same result.Metrics
	// Decisions are those on the metrics of endpoints that the real EPP had read, and BySimulated those
	// on simulated ones, which are read at other moments. Differences are the first of Decisions.
	Decisions, BySimulated Decisions
	Differences            []Difference
}

// Maker makes the input of a simulation, anew for each call and always the same.
type Maker func() (simulator.Config, error)

// Compare simulates a scenario by itself, and with the choices of the real EPP: on simulated metrics
// of endpoints, and on what the EPP had read. Requests of open loops then come when they were sent,
// which a busy client does late. The scenario has one router, which is an EPP.
func Compare(ctx context.Context, maker Maker, choices *Choices, scrapes *Scrapes) (*Simulated, error) {
	config, err := maker()
	if err != nil {
		return nil, err
	}
	own, err := metricsOf(ctx, config)
	if err != nil {
		return nil, err
	}
	same, err := follow(ctx, maker, choices, nil)
	if err != nil {
		return nil, err
	}
	read, err := follow(ctx, maker, choices, scrapes)
	if err != nil {
		return nil, err
	}
	return &Simulated{Own: own, Same: same.metrics, Decisions: read.decisions, BySimulated: same.decisions, Differences: read.differences}, nil
}

// follow simulates with the choices of the real EPP, on simulated scrapes or on given ones.
func follow(ctx context.Context, maker Maker, choices *Choices, scrapes *Scrapes) (*follower, error) {
	config, err := maker()
	if err != nil {
		return nil, err
	}
	of, is := config.Policies.Routing.Router.(router)
	if !is {
		return nil, errors.New("the router of the scenario takes no choices of another: it must be one EPP")
	}
	f := &follower{choices: choices, ids: map[int]identity{}, own: map[int]int{}}
	source := &noted{Source: config.Source, ids: f.ids}
	if config.Listener == nil {
		source.sent = choices.sent // what waits for answers has its times from them
	}
	config.Source = source
	of.Force(f.force)
	if scrapes != nil {
		routing := &config.Policies.Routing
		routing.Router = &asScraped{of, scrapes, f.chosen}
		if routing.Queue != nil {
			routing.Queue = &queueAsScraped{routing.Queue, scrapes, choices.Start}
		}
	}
	detach := execute.WatchDecisions(&config, f.decided)
	f.metrics, err = metricsOf(ctx, config)
	detach()
	return f, err
}

// metricsOf simulates.
func metricsOf(ctx context.Context, c simulator.Config) (result.Metrics, error) {
	targets, tenants, warmUp, seed := c.Targets, c.TenantTargets, c.Horizon.WarmUp, c.Seed
	outcome, err := simulation.Run(ctx, c)
	if err != nil {
		return result.Metrics{}, fmt.Errorf("simulate the scenario: %w", err)
	}
	return result.RowOf(outcome, result.Meta{Key: "rehearse", Seed: seed, WarmUp: warmUp, Targets: targets, TenantTargets: tenants}, 0).Metrics, nil
}

// noted is a source that notes which request has which ID.
type noted struct {
	workload.Source
	ids map[int]identity
	// sent, unless it is nil, is when a request was sent; last is when the last one was.
	sent func(identity) (simtime.Time, bool)
	last simtime.Time
}

// Next implements [workload.Source].
func (n *noted) Next() (workload.Request, bool) {
	q, ok := n.Source.Next()
	if !ok {
		return q, false
	}
	n.ids[q.ID] = identityOf(&q)
	if n.sent != nil {
		if at, known := n.sent(n.ids[q.ID]); known {
			q.Arrival = at
		}
		q.Arrival = max(q.Arrival, n.last)
		n.last = q.Arrival
	}
	return q, true
}

// Close implements [io.Closer].
func (n *noted) Close() error { return workload.Close(n.Source) }

// follower makes a simulation follow the choices, and compares its own.
type follower struct {
	choices *Choices
	ids     map[int]identity
	// own are the choices of the simulated EPP by the ID of the request.
	own         map[int]int
	metrics     result.Metrics
	decisions   Decisions
	differences []Difference
}

// chosen is when the real EPP chose for a request.
func (f *follower) chosen(request int) (time.Time, bool) {
	of, known := f.choices.of[f.ids[request]]
	return of.at, known
}

// force implements [policy.Force].
func (f *follower) force(request int, candidates []int, chosen int) int {
	f.own[request] = chosen
	if live, known := f.choices.of[f.ids[request]]; known && slices.Contains(candidates, live.endpoint) {
		return live.endpoint
	}
	return chosen
}

// decided compares a decision.
func (f *follower) decided(d *execute.RoutingRecord) {
	live, known := f.choices.of[f.ids[d.Request.ID]]
	if !known {
		return // the real EPP was not asked
	}
	own, routed := f.own[d.Request.ID]
	delete(f.own, d.Request.ID)
	scores := scoresOf(d.Primary())
	n := &f.decisions
	switch {
	case !routed && live.endpoint < 0:
		n.Equal++
		return
	case !routed || live.endpoint < 0:
		n.NotRouted++
		if !routed {
			own = -1
		}
	case own == live.endpoint:
		n.Equal++
		return
	case isBest(scores, live.endpoint), isBest(live.scores, own):
		n.Tied++
		return
	default:
		n.Different++
	}
	if len(f.differences) < mostDifferences {
		f.differences = append(f.differences, Difference{
			Request: d.Request.ID, AtSeconds: d.AtSeconds, Live: live.endpoint, Simulated: own,
			LiveScores: live.scores, Scores: scores,
			Signals: slices.Clone(d.Endpoints), Prefixes: slices.Clone(d.Prefixes),
		})
	}
}

// scoresOf are the scores of a profile by endpoint.
func scoresOf(p *scheduler.ProfileRun) map[int]float64 {
	scores := map[int]float64{}
	if p == nil {
		return scores
	}
	for i, score := range p.Scores {
		scores[p.Candidates[i]] = float64(score)
	}
	return scores
}

// isBest reports whether an endpoint has the highest of some scores.
func isBest(scores map[int]float64, endpoint int) bool {
	own, scored := scores[endpoint]
	if !scored {
		return false
	}
	for _, score := range scores { // in any order: each is compared
		if score > own {
			return false
		}
	}
	return true
}
