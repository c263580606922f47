// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// newReplicas notes when replicas that scalers start first serve.
type newReplicas struct {
	starting []int          // endpoints that were created and do not serve yet
	serve    []simtime.Time // in order
	created  int
}

// watchNewReplicas returns what notes them.
func watchNewReplicas(c *simulator.Config) *newReplicas {
	n := &newReplicas{}
	staged := c.Staged
	c.Staged = func(change simulator.StageChange) {
		n.note(change)
		if staged != nil {
			staged(change)
		}
	}
	return n
}

func (n *newReplicas) note(change simulator.StageChange) {
	at := slices.Index(n.starting, change.Endpoint)
	switch starts := change.Stage.Starts(); {
	case starts && at < 0:
		n.created++
		n.starting = append(n.starting, change.Endpoint)
	case change.Stage.Serves() && at >= 0:
		n.serve = append(n.serve, change.At)
		n.starting = slices.Delete(n.starting, at, at+1)
	case change.Stage == autoscaling.Absent && at >= 0:
		n.starting = slices.Delete(n.starting, at, at+1)
	}
}

// traffic says when requests came, and who was there to serve them; nil of a sweep's
// simulation, which has no document.
func traffic(p *experiment.Plan, c *simulator.Config, b *backlog, n *newReplicas, g *scalerGaps, outcome *simulator.Result) *result.Traffic {
	if p.IsSweep() || b == nil {
		return nil
	}
	t := &result.Traffic{
		Requests: b.arrived, HorizonRequests: c.Horizon.Requests, HorizonSeconds: c.Horizon.Duration.Seconds(), BacklogGrowth: b.growth(),
		NewReplicas: n.created, ScalerGaps: g.upTo(outcome.End), IdlePools: idlePools(c, outcome),
	}
	if b.arrived == 0 {
		return t
	}
	t.LastArrivalSeconds = b.last.Seconds()
	for _, at := range n.serve {
		if at < b.last {
			t.NewReplicasInTime++
		}
	}
	return t
}

// idlePools are the pools of fixed replicas of which some never computed a step on any rank.
func idlePools(c *simulator.Config, outcome *simulator.Result) []result.IdlePool {
	var all []result.IdlePool
	for i := range c.Pools {
		p := &c.Pools[i]
		if p.MaxReplicas > p.Replicas {
			continue
		}
		ranks := slices.DeleteFunc(slices.Clone(outcome.Replicas), func(u simulator.ReplicaUse) bool { return u.Pool != i })
		idle, replicas := 0, 0
		for replica := range slices.Chunk(ranks, p.RanksPerReplica()) {
			replicas++
			if !slices.ContainsFunc(replica, func(u simulator.ReplicaUse) bool { return u.Busy > 0 }) {
				idle++
			}
		}
		if idle > 0 {
			all = append(all, result.IdlePool{Name: p.Name, Replicas: replicas, Idle: idle})
		}
	}
	return all
}
