// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// ScaledUnit is a pool, or a prefill and a decode pool, that a scaler scales.
type ScaledUnit struct {
	Name string
	// Pools index Config.Pools. No pool is in two units, and none of them has
	// Disruptions.
	Pools []int
	// Min and Max bound the replicas of each of Pools.
	Min, Max []int
	// Scaler decides, at Interval and its multiples, and where Trigger fires; nil does
	// not. The run owns both.
	Scaler   autoscaling.Scaler
	Interval time.Duration
	Trigger  autoscaling.Trigger
	// Monitor is filled in by the run, at its Interval and its multiples. It has an
	// engine for each endpoint of Pools, in order.
	Monitor *autoscaling.Monitor
	// Router indexes the router that serves the pools.
	Router int
}

// Startup is how long a replica takes from its creation until it serves.
type Startup struct {
	// Provisioning makes a machine ready, where the pool has no NodePool. ImagePull and
	// ModelLoad follow.
	Provisioning, ImagePull, ModelLoad Delay
	// FailureShare is the share of the starts that fail when they are over, and begin
	// again. It is less than 1.
	FailureShare float64
	// WarmUp is how the replica comes to its full speed.
	WarmUp WarmUp
}

// Delay is a time that varies: gamma distributed, with a coefficient of variation of
// Variation. If that is 0, it is Mean each time.
type Delay struct {
	Mean      time.Duration
	Variation float64
}

// WarmUp makes the steps of a replica slower that has just started.
type WarmUp struct {
	// Duration is how long that lasts; 0 is no warm-up.
	Duration time.Duration
	Curve    WarmUpCurve
	// Penalty is the factor of a step's duration at the start, at least 1.
	Penalty float64
}

// WarmUpCurve is how the factor comes down to 1.
type WarmUpCurve int

const (
	// LinearWarmUp falls evenly.
	LinearWarmUp WarmUpCurve = iota
	// ExponentialWarmUp falls fast at first: as exp(−5·age ÷ Duration), moved and scaled to
	// end at 1.
	ExponentialWarmUp
	// StepWarmUp stays at the penalty to the end.
	StepWarmUp
)

// Ending is what becomes of the requests of a replica that a scaler takes away.
type Ending struct {
	Mode EndingMode
	// Timeout is how long EndWhenServed waits for them; what is left then fails. 0 is
	// without end.
	Timeout time.Duration
	// Poll is how often EndWhenServed looks whether they have ended; 0 is once a second.
	Poll time.Duration
}

// EndingMode is a way to end a replica.
type EndingMode int

const (
	// EndWhenServed lets the replica serve them.
	EndWhenServed EndingMode = iota
	// EndAtOnce lets them fail. Clients may try again.
	EndAtOnce
	// EndElsewhere routes them again. They keep the tokens that they were given, and are
	// computed again.
	EndElsewhere
)

// NodePool is a set of equal nodes, which are made when a replica finds no place on one.
type NodePool struct {
	Name string
	// Accelerators is how many a node has.
	Accelerators int
	// Nodes is how many there are at the start, MaxNodes how many there may be, those on
	// their way included.
	Nodes, MaxNodes int
	// Provisioning is how long a node takes to come. FailureShare is the share of those
	// that do not come when they should; another one is asked for then. It is less than 1.
	Provisioning Delay
	FailureShare float64
	// IdleTimeout is after how long a node is taken away that has no replica; 0 is never.
	IdleTimeout time.Duration
}

// checkScaling panics where the rules of the fields are broken that scaling adds.
func (c *Config) checkScaling() {
	for i := range c.Scaling {
		u := &c.Scaling[i]
		if len(u.Pools) == 0 || len(u.Min) != len(u.Pools) || len(u.Max) != len(u.Pools) || u.Scaler == nil || u.Interval <= 0 || u.Monitor == nil {
			panic(fmt.Sprintf("simulator: unit %q of %d pools, bounds %v to %v, asked each %v", u.Name, len(u.Pools), u.Min, u.Max, u.Interval))
		}
		for k, p := range u.Pools {
			pool := &c.Pools[p]
			if pool.RanksPerReplica() > 1 {
				panic(fmt.Sprintf("simulator: unit %q scales pool %q, whose replicas have %d ranks", u.Name, pool.Name, pool.Ranks))
			}
			if u.Min[k] < 0 || u.Max[k] < max(u.Min[k], 1) || u.Max[k] > pool.Places() {
				panic(fmt.Sprintf("simulator: unit %q: %d to %d replicas of %d in pool %q", u.Name, u.Min[k], u.Max[k], pool.Places(), pool.Name))
			}
		}
	}
	for i := range c.Pools {
		p := &c.Pools[i]
		switch {
		case p.Startup.FailureShare < 0 || p.Startup.FailureShare >= 1 || p.Startup.WarmUp.Duration > 0 && p.Startup.WarmUp.Penalty < 1:
			panic(fmt.Sprintf("simulator: pool %q: startup %+v", p.Name, p.Startup))
		case p.NodePool < 0 || p.NodePool > len(c.NodePools) || p.NodePool > 0 && (p.Accelerators < 1 || p.Accelerators > c.NodePools[p.NodePool-1].Accelerators):
			panic(fmt.Sprintf("simulator: pool %q: %d accelerators of node pool %d", p.Name, p.Accelerators, p.NodePool))
		}
	}
}

// ScalerCall is what a scaler was asked at a time, and what it said.
type ScalerCall struct {
	At simtime.Time
	// Unit indexes Config.Scaling.
	Unit int
	// Triggered says that the trigger had it asked, and not its interval.
	Triggered bool
	// Was and Wanted are the replicas wanted of each pool, before and after, within the
	// bounds. Stated is what the scaler said.
	Was, Wanted, Stated []int
	Reason              autoscaling.Reason
	// Notes are the values that the decision rests on.
	Notes []autoscaling.Note
	// Gaps are the values that the decision lacked.
	Gaps autoscaling.Gaps
}

// StageChange is a replica that comes into another stage.
type StageChange struct {
	At simtime.Time
	// Endpoint numbers the replica through all pools.
	Endpoint int
	Stage    autoscaling.Stage
}

// Draw draws how long something takes.
func (d Delay) Draw(s *stats.Stream) time.Duration {
	if d.Variation == 0 || d.Mean == 0 {
		return d.Mean
	}
	mean := float64(d.Mean)
	return time.Duration(stats.GammaOf(mean, float64(mean*d.Variation)).Sample(s))
}
