// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// ErrNoScaler says that a scenario has no scaler to explain.
var ErrNoScaler = errors.New("the scenario has no scaler")

// A ScalingStory is what the scalers of one simulation decided, and what became of the
// replicas, in order of time.
type ScalingStory struct {
	Seed   int64           `json:"seed"`
	Events []*ScalingEvent `json:"events"`
}

// ScalingEvent is a decision, or a replica that comes into another stage. Of both fields one
// is set.
type ScalingEvent struct {
	AtSeconds float64       `json:"atSeconds"`
	Decision  *ScalerCall   `json:"decision,omitempty"`
	Replica   *ReplicaStage `json:"replica,omitempty"`
}

// ScalerCall is what a scaler decided.
type ScalerCall struct {
	Scaler string `json:"scaler"`
	// Triggered says that the scaler's trigger had it asked, and not its interval.
	Triggered bool          `json:"triggered,omitempty"`
	Pools     []ScaledCount `json:"pools"`
	Reason    string        `json:"reason"`
	// Values are those that the decision rests on.
	Values []NamedValue `json:"values,omitempty"`
}

// ScaledCount is how many replicas of a pool a scaler wants.
type ScaledCount struct {
	Pool string `json:"pool"`
	// Was is how many it wanted before, and Wanted how many it wants now, within its
	// bounds. Stated is what the policy said.
	Was    int `json:"was"`
	Stated int `json:"stated"`
	Wanted int `json:"wanted"`
}

// NamedValue is a value that a decision rests on.
type NamedValue struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// ReplicaStage is a replica that comes into a stage.
type ReplicaStage struct {
	Replica string `json:"replica"`
	Stage   string `json:"stage"`
	// Serving are how many replicas of the pool serve then.
	Serving int `json:"serving"`
}

// ExplainScaling simulates a run's scenario under a seed, which need not be one of the
// plan's, and tells what its scalers decided. The error may wrap ErrNoScaler.
func ExplainScaling(ctx context.Context, p *experiment.Plan, traces trace.Set, seed int64, check bool) (*ScalingStory, error) {
	story := &ScalingStory{Seed: seed}
	w := observers{check: check, scaling: story.watch}
	if _, err := simulateOne(ctx, p, traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: seed}, nil, w); err != nil {
		return nil, err
	}
	if len(story.Events) == 0 {
		return nil, ErrNoScaler
	}
	return story, nil
}

// watch has a simulation tell of its scalers.
func (s *ScalingStory) watch(c *simulator.Config) {
	if len(c.Scaling) == 0 {
		return
	}
	var names []string
	var pools []int   // by endpoint
	var serves []bool // by endpoint
	serving := make([]int, len(c.Pools))
	for i := range c.Pools {
		p := &c.Pools[i]
		serving[i] = p.Replicas
		names = append(names, p.EndpointNames()...)
		for place := range p.Places() {
			pools, serves = append(pools, i), append(serves, place < p.Replicas)
		}
	}
	c.Staged = func(change simulator.StageChange) {
		pool := pools[change.Endpoint]
		if now := change.Stage.Serves(); now != serves[change.Endpoint] {
			serves[change.Endpoint] = now
			if now {
				serving[pool]++
			} else {
				serving[pool]--
			}
		}
		s.Events = append(s.Events, &ScalingEvent{AtSeconds: change.At.Seconds(), Replica: &ReplicaStage{
			Replica: names[change.Endpoint], Stage: change.Stage.String(), Serving: serving[pool],
		}})
	}
	c.Scaled = func(d simulator.ScalerCall) {
		u := &c.Scaling[d.Unit]
		told := &ScalerCall{Scaler: u.Name, Triggered: d.Triggered, Reason: string(d.Reason)}
		for k, pool := range u.Pools {
			told.Pools = append(told.Pools, ScaledCount{c.Pools[pool].Name, d.Was[k], d.Stated[k], d.Wanted[k]})
		}
		for _, n := range d.Notes {
			told.Values = append(told.Values, NamedValue{n.Name, n.Value})
		}
		s.Events = append(s.Events, &ScalingEvent{AtSeconds: d.At.Seconds(), Decision: told})
	}
}
