// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// replicaCounts are the replicas of each pool that start, and that serve, as changes of stages tell.
type replicaCounts struct {
	stages         []autoscaling.Stage // by endpoint
	pending, ready []int               // by pool
}

func newReplicaCounts(pools []simulator.Pool) replicaCounts {
	n := replicaCounts{pending: make([]int, len(pools)), ready: make([]int, len(pools))}
	for i := range pools {
		n.ready[i] = pools[i].Replicas
		for place := range pools[i].Places() {
			stage := autoscaling.Absent
			if place < pools[i].Replicas {
				stage = autoscaling.Serving
			}
			n.stages = append(n.stages, stage)
		}
	}
	return n
}

func (n *replicaCounts) staged(endpoint, pool int, to autoscaling.Stage) {
	from := n.stages[endpoint]
	n.stages[endpoint] = to
	n.pending[pool] += one(to.Starts()) - one(from.Starts())
	n.ready[pool] += one(to.Serves()) - one(from.Serves())
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// The actions of scalers.
const (
	scaleUp   = "up"
	scaleDown = "down"
	scaleNone = "none"
)

func actionOf(was, wanted int) string {
	switch {
	case wanted > was:
		return scaleUp
	case wanted < was:
		return scaleDown
	default:
		return scaleNone
	}
}

// scaled makes a record for each pool of a decision.
func (n *recordObserver) scaled(d simulator.ScalerCall) {
	u := &n.scaling[d.Unit]
	var metrics []result.NamedValue
	for _, note := range d.Notes {
		metrics = append(metrics, result.NamedValue{Name: note.Name, Value: note.Value})
	}
	for k, pool := range u.Pools {
		n.tell(&result.ScalingRecord{
			ReplicaOrigin: result.ReplicaOrigin{RecordOrigin: n.at(d.At)}, Scaler: u.Name, Pool: n.pools[pool],
			Action: actionOf(d.Was[k], d.Wanted[k]), PreviousCount: int64(d.Was[k]), NewCount: int64(d.Wanted[k]), Stated: int64(d.Stated[k]),
			Pending: int64(n.replicas.pending[pool]), Ready: int64(n.replicas.ready[pool]),
			Reason: string(d.Reason), Triggered: d.Triggered, Metrics: metrics,
		})
	}
}

func (n *recordObserver) staged(s simulator.StageChange) {
	pool := n.poolOf[s.Endpoint]
	n.replicas.staged(s.Endpoint, pool, s.Stage)
	n.tell(&result.ReplicaRecord{
		ReplicaOrigin: result.ReplicaOrigin{RecordOrigin: n.at(s.At)}, Pool: n.pools[pool], Replica: n.names[s.Endpoint], Stage: s.Stage.String(),
		Pending: int64(n.replicas.pending[pool]), Ready: int64(n.replicas.ready[pool]),
	})
}
