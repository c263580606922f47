// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// A Case is a policy in a scenario.
type Case struct {
	Policy   *Policy
	Scenario *Scenario
	plan     *experiment.Plan // nil where the policy is no bundle
}

// With puts a policy into the scenario. What the policy lacks stays as the scenario has it.
func (s *Scenario) With(p *Policy) *Case {
	c := &Case{Policy: p, Scenario: s}
	if p.fault != nil {
		return c
	}
	joined := s.base
	for name, component := range p.bundle.Components() {
		*place(&joined, name) = component
	}
	c.plan = s.planWith(&joined)
	return c
}

// An Evaluator simulates. It may be used concurrently.
type Evaluator struct {
	// Fence, if set, runs programs. Without it, they run in this process.
	Fence inspect.Fence
	// CheckInvariants makes the simulator check at every event what must always hold. It is
	// slow, and panics where something does not.
	CheckInvariants bool
	// Summary is how answers summarize what went wrong; empty for answers without summaries.
	Summary insight.Strategy
	// Limits are the most that the bundles of policies may state, and the limits of those that
	// state none.
	Limits bundle.Limits
	// Now tells the time, for [Answer.SimWallMS] alone.
	Now func() time.Time
}

// With returns an evaluator whose answers have summaries of a strategy; none where it is empty.
func (e *Evaluator) With(summary insight.Strategy) *Evaluator {
	own := *e
	own.Summary = summary
	return &own
}

// Evaluate simulates a candidate under a seed. An error is none of the policy.
func (e *Evaluator) Evaluate(ctx context.Context, c *Case, seed int64) (*Answer, error) {
	a := newAnswer(c.Policy, c.Scenario, seed)
	if c.plan == nil {
		return a.failed(c.Policy.fault), nil
	}
	round := c.plan.NewRound(0, []experiment.Trial{{Share: 1, Seeds: []int64{seed}}})
	of := round.At(0)
	metrics, err := execute.MetricsOf(c.plan, of)
	if err != nil {
		return nil, err
	}
	began := e.Now()
	seen, err := inspect.Ask(ctx, c.plan, c.Scenario.traces, of, e.question(), e.Fence)
	a.SimWallMS = e.Now().Sub(began).Milliseconds()
	fault := faultOf(err)
	if err != nil && (fault == nil || ctx.Err() != nil) {
		return nil, err
	}
	if fault == nil || fault.Kind != invalidKind {
		a.Key = c.plan.CaseKey(of, metrics)
	}
	if fault != nil {
		return a.failed(fault), nil
	}
	a.judge(&seen.Simulation.Row, c.Policy, c.Scenario)
	a.StepsUsed = int64(seen.Simulation.Steps)
	if seen.Report != nil {
		a.reflect(seen, c.Policy)
	}
	return a, nil
}

// EvaluateEach evaluates a policy in scenarios under seeds, a number at once, and returns the
// answers of the first scenario under all seeds, then those of the second one, and so on.
// Without seeds, each scenario has its own.
func (e *Evaluator) EvaluateEach(ctx context.Context, p *Policy, scenarios []*Scenario, seeds []int64, parallelism int) ([]*Answer, error) {
	type question struct {
		candidate *Case
		seed      int64
	}
	var questions []question
	for _, s := range scenarios {
		c := s.With(p)
		for _, seed := range s.seeds(seeds) {
			questions = append(questions, question{c, seed})
		}
	}
	answers := make([]*Answer, len(questions))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelism)
	for i, q := range questions {
		group.Go(func() (err error) {
			answers[i], err = e.Evaluate(ctx, q.candidate, q.seed)
			return err
		})
	}
	return answers, group.Wait()
}

// seeds are those that are asked for, or else the scenario's.
func (s *Scenario) seeds(asked []int64) []int64 {
	if len(asked) > 0 {
		return asked
	}
	return s.Seeds
}
