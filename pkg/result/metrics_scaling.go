// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Scaling is what became of pools whose replicas scalers start and end.
type Scaling struct {
	// Mean is the mean over time of the replicas that held accelerators, Peak the
	// greatest number at once, and Serving the mean of those that served.
	Mean    float64 `json:"mean"`
	Peak    int     `json:"peak"`
	Serving float64 `json:"serving"`
	// Events are the decisions that changed the number of replicas, Reversals those in
	// another direction than the one before.
	Events    int64 `json:"events"`
	Reversals int64 `json:"reversals"`
	// Lost are the requests that failed because their replica was taken away, and
	// FailedStarts the starts of replicas that failed.
	Lost         int64 `json:"lost"`
	FailedStarts int64 `json:"failedStarts"`
	// RatioDrift is the mean over time of the share by which the ratio of prefill to decode
	// replicas was off that at the start; of several scalers that of the one where it is
	// greatest, and absent where none has two pools.
	RatioDrift *float64 `json:"ratioDrift,omitempty"`
	// LongestMiss is the longest time in seconds in which too few requests met their
	// targets.
	LongestMiss float64 `json:"longestMiss"`
	hours       float64
}

// scalings are of the pools that scalers scale.
var scalings = subject{
	gather: func(in *selection, g *Group) {
		if g.Replicas != nil {
			g.Replicas.Scaling = in.scaling()
		}
	},
	families: []family{
		family{name: "scaledReplicas", labels: replicaLabels, statistics: []statistic{
			scalingOf("mean", Count, "mean over time of the replicas that hold accelerators", func(s *Scaling) float64 { return s.Mean }),
			scalingOf("peak", Count, "greatest number of replicas that hold accelerators at once", func(s *Scaling) float64 { return float64(s.Peak) }),
			scalingOf("serving", Count, "mean over time of the replicas that serve", func(s *Scaling) float64 { return s.Serving }),
		}}.needing(NeedsScaler).to(capacityPlanners),
		family{name: "scaling", labels: replicaLabels, statistics: []statistic{
			scalingOf("events", Count, "decisions that changed the number of replicas", func(s *Scaling) float64 { return float64(s.Events) }),
			scalingOf("reversalsPerHour", PerHour, "decisions in another direction than the decision before, per hour", func(s *Scaling) float64 { return float64(s.Reversals) / s.hours }),
			scalingOf("lostRequests", Count, "requests that failed because a scaler took their replica away", func(s *Scaling) float64 { return float64(s.Lost) }),
			scalingOf("failedStarts", Count, "starts of replicas that failed", func(s *Scaling) float64 { return float64(s.FailedStarts) }),
		}}.needing(NeedsScaler),
		single("pdRatioDrift", replicaLabels, statistic{
			unit: Share, direction: Minimize,
			help:  "mean over time of the share by which the ratio of prefill to decode replicas that serve is off the ratio at the start; of several scalers that with the greatest",
			value: ofScaling(func(s *Scaling) (float64, bool) { return optional(s.RatioDrift) }),
		}).needing(NeedsScaler).to(capacityPlanners),
		single("recoveryTime", replicaLabels, statistic{
			unit: Seconds, direction: Minimize,
			help:  "longest time without a scrape of the scaler's metrics since the last of which 90 % of the requests that ended met their targets",
			value: ofScaling(func(s *Scaling) (float64, bool) { return s.LongestMiss, true }),
		}).needing(NeedsScaler).needingTargets(),
		single("goodRequestsPerReplicaHour", replicaLabels, statistic{
			unit: PerHour, direction: Maximize, help: "requests that met every target of their class ÷ replica-hours",
			value: func(g *Group) (float64, bool) {
				if g.Replicas == nil || g.Replicas.Scaling == nil || g.Replicas.Hours == 0 {
					return 0, false
				}
				return float64(g.Requests.Good) / g.Replicas.Hours, true
			},
		}).needing(NeedsScaler).needingTargets(),
	},
}

func scalingOf(name string, u Unit, help string, of func(*Scaling) float64) statistic {
	return statistic{name: name, unit: u, direction: Minimize, help: help, value: ofScaling(func(s *Scaling) (float64, bool) { return of(s), true })}
}

func ofScaling(of func(*Scaling) (float64, bool)) func(*Group) (float64, bool) {
	return ofReplicas(func(r *Replicas) (float64, bool) {
		if r.Scaling == nil {
			return 0, false
		}
		return of(r.Scaling)
	})
}

// scaling sums up the units that have a pool of the selection; nil where none has.
func (in *selection) scaling() *Scaling {
	var sum *Scaling
	for i := range in.outcome.Units {
		u := &in.outcome.Units[i]
		if !slices.ContainsFunc(u.Pools, in.serves) {
			continue
		}
		if sum == nil {
			sum = &Scaling{hours: in.span().Hours()}
		}
		sum.Events += u.Ups + u.Downs
		sum.Reversals += u.Reversals
		sum.Lost += u.Lost
		sum.FailedStarts += u.FailedStarts
		sum.LongestMiss = max(sum.LongestMiss, u.LongestMiss.Seconds())
		if len(u.Pools) > 1 && (sum.RatioDrift == nil || *sum.RatioDrift < u.RatioDrift) {
			drift := u.RatioDrift
			sum.RatioDrift = &drift
		}
	}
	if sum != nil {
		in.countScaled(sum)
	}
	return sum
}

// countScaled counts the replicas of the selection that scalers scale.
func (in *selection) countScaled(sum *Scaling) {
	var held, served time.Duration
	var changes []presence
	for use := range usesOf(in.outcome, func(pool int) bool { return in.serves(pool) && in.scales(pool) }) {
		held += use.Present()
		served += use.Stages[autoscaling.Warming] + use.Stages[autoscaling.Serving]
		for _, l := range use.Lifetimes {
			changes = append(changes, presence{l.From, +1}, presence{l.To, -1})
		}
	}
	sum.Mean, sum.Serving = float64(held)/float64(in.span()), float64(served)/float64(in.span())
	slices.SortFunc(changes, func(a, b presence) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	n := 0
	for _, c := range changes {
		n += c.by
		sum.Peak = max(sum.Peak, n)
	}
}

// presence is a replica that comes or goes.
type presence struct {
	at simtime.Time
	by int
}

// scales reports whether a scaler scales a pool.
func (in *selection) scales(pool int) bool {
	return slices.ContainsFunc(in.outcome.Units, func(u simulator.UnitUse) bool { return slices.Contains(u.Pools, pool) })
}
