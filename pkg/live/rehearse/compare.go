// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

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
	// OneSided are requests that only one of the two was asked for.
	OneSided int `json:"oneSided"`
}

// Share is the part of the requests whose decisions are equal or tied; 1 of none.
func (d *Decisions) Share() float64 {
	all := d.Equal + d.Tied + d.Different + d.NotRouted + d.OneSided
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
	// on simulated ones, which are read at other moments. Differences are the first of Decisions, by time.
	Decisions, BySimulated Decisions
	Differences            []Difference
}

// Maker makes the input of a simulation, anew for each call and always the same.
type Maker func() (simulator.Config, error)

// Compare simulates a scenario by itself, and with the choices of the real EPP: on simulated metrics
// of endpoints, and on what the EPP had read. In the second simulation, requests of open loops come
// when the EPP had chosen, since they reach an endpoint then; or, where they may wait for the choice,
// when they were sent. Both are late on a busy machine. In the third, they come when the EPP chose,
// and are decided on at once: how long they wait, and which one goes first, is for the second. The
// scenario has one router, which is an EPP.
func Compare(ctx context.Context, maker Maker, choices *Choices, scrapes Scrapes) (*Simulated, error) {
	config, err := maker()
	if err != nil {
		return nil, err
	}
	own, err := metricsOf(ctx, config)
	if err != nil {
		return nil, err
	}
	same := newFollower(choices)
	if err := same.follow(ctx, maker, nil); err != nil {
		return nil, err
	}
	read := newFollower(choices)
	read.whole = same
	if err := read.follow(ctx, maker, scrapes); err != nil {
		return nil, err
	}
	return &Simulated{Own: own, Same: same.metrics, Decisions: read.decisions, BySimulated: same.decisions, Differences: read.first()}, nil
}

// Alone simulates a scenario by itself, for a run whose choices no simulation can follow.
func Alone(ctx context.Context, maker Maker) (*Simulated, error) {
	config, err := maker()
	if err != nil {
		return nil, err
	}
	own, err := metricsOf(ctx, config)
	return &Simulated{Own: own, Same: own}, err
}

// follow simulates with the choices of the real EPP, on simulated scrapes or on given ones.
func (f *follower) follow(ctx context.Context, maker Maker, scrapes Scrapes) error {
	config, err := maker()
	if err != nil {
		return err
	}
	of, is := config.Policies.Routing.Router.(router)
	if !is {
		return errors.New("the router of the scenario takes no choices of another: it must be one EPP")
	}
	f.waits = config.Policies.Routing.Queue != nil
	source := &noted{Source: config.Source, ids: f.ids}
	switch { // what waits for answers has its times from them
	case config.Listener != nil:
	case scrapes != nil:
		ordered := f.choices.inOrder(config.Source, func(c *choice) simtime.Time { return f.choices.at(c, f.waits) })
		source.Source, config.Horizon.Duration, config.Horizon.Requests = ordered, 0, max(len(ordered.requests), 1)
	case f.waits:
		source.sent = f.choices.sent
	default:
		source.Source = f.choices.inOrder(config.Source, func(c *choice) simtime.Time { return c.Answered })
	}
	config.Source = source
	of.Force(f.force)
	of.SetSpeed(f.choices.Speed)
	if scrapes != nil {
		routing := &config.Policies.Routing
		routing.Router = &asScraped{of, scrapes, f.chosen, f.waits, f.choices, newEnds(routing)}
		if f.waits {
			routing.Queue = &queueAsScraped{routing.Queue, scrapes, f.choices}
		}
	}
	detach := execute.WatchDecisions(&config, f.decided)
	f.metrics, err = metricsOf(ctx, config)
	detach()
	f.decisions.OneSided += len(f.choices.of) - len(f.compared)
	return err
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
	// whole, unless it is nil, is the simulation with flow control: which requests are refused is
	// compared with it.
	whole *follower
	// waits says that requests wait in the EPP.
	waits bool
	ids   map[int]identity
	// own are the choices of the simulated EPP by the ID of the request.
	own map[int]int
	// compared are the choices of the simulated EPP that were compared; -1 is none.
	compared    map[identity]int
	metrics     result.Metrics
	decisions   Decisions
	differences []Difference
}

func newFollower(choices *Choices) *follower {
	return &follower{choices: choices, ids: map[int]identity{}, own: map[int]int{}, compared: map[identity]int{}}
}

// first are the first differences.
func (f *follower) first() []Difference {
	slices.SortFunc(f.differences, func(a, b Difference) int { return cmp.Or(cmp.Compare(a.AtSeconds, b.AtSeconds), a.Request-b.Request) })
	return f.differences[:min(len(f.differences), mostDifferences)]
}

// chosen is what the real EPP chose for a request. One that it refused is compared here: it comes to
// no decision.
func (f *follower) chosen(request int) (choice, bool) {
	live, known := f.choices.of[f.ids[request]]
	if known && live.Endpoint < 0 {
		own, is := f.whole.compared[f.ids[request]]
		if !is {
			own = -1
		}
		f.compare(f.ids[request], live, own, &execute.RoutingRecord{Explanation: &scheduler.Explanation{AtSeconds: f.choices.at(&live, f.waits).Seconds()}})
	}
	return live, known
}

// force implements [policy.Force].
func (f *follower) force(request int, candidates []int, chosen int) int {
	f.own[request] = chosen
	if live, known := f.choices.of[f.ids[request]]; known && slices.Contains(candidates, live.Endpoint) {
		return live.Endpoint
	}
	return chosen
}

// decided compares a decision.
func (f *follower) decided(d *execute.RoutingRecord) {
	of := f.ids[d.Request.ID]
	own, routed := f.own[d.Request.ID]
	delete(f.own, d.Request.ID)
	if !routed {
		own = -1
	}
	live, known := f.choices.of[of]
	if !known {
		f.decisions.OneSided++
		return
	}
	f.compare(of, live, own, d)
}

// compare compares two choices, and says what the simulated one knew if they differ.
func (f *follower) compare(of identity, live choice, own int, d *execute.RoutingRecord) {
	f.compared[of] = own
	scores := scoresOf(d.Primary())
	n := &f.decisions
	switch {
	case own == live.Endpoint:
		n.Equal++
		return
	case own < 0 || live.Endpoint < 0:
		n.NotRouted++
	case isBest(scores, live.Endpoint), isBest(live.Scores, own):
		n.Tied++
		return
	default:
		n.Different++
	}
	f.differences = append(f.differences, Difference{
		Request: live.Request, AtSeconds: d.AtSeconds, Live: live.Endpoint, Simulated: own,
		LiveScores: live.Scores, Scores: scores,
		Signals: slices.Clone(d.Endpoints), Prefixes: slices.Clone(d.Prefixes),
	})
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
