// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// NoNode is the node of a replica without a place.
const NoNode = -1

// nodes are the machines of the node pools. Replicas find places on the first nodes that
// have enough free accelerators, in the order in which the replicas were created.
type nodes struct {
	*run.State
	cluster *engine.Cluster
	events  *events.Queue
	Pools   []simulator.NodePool
	All     []node
	pending []*Life // scratch
}

// node is a place for a node of a pool.
type node struct {
	Pool  int
	State nodeState
	Free  int
	// event is when the node comes, or is taken away.
	event  events.Event
	chance *stats.Stream
}

// nodeState is where a node stands.
type nodeState uint8

const (
	// nodeAbsent is the state of a node that is not ordered.
	nodeAbsent nodeState = iota
	// nodeComes is the state of a node that is ordered and not ready.
	nodeComes
	// NodeThere is the state of a node that runs replicas.
	NodeThere
)

func newNodes(state *run.State, cluster *engine.Cluster, queue *events.Queue, pools []simulator.NodePool) nodes {
	n := nodes{State: state, cluster: cluster, events: queue, Pools: pools}
	for i := range pools {
		for k := range pools[i].MaxNodes {
			index := len(n.All)
			m := node{Pool: i, Free: pools[i].Accelerators}
			m.event = events.Idle(events.NodeChanges, index)
			m.chance = stats.NewStream(n.Seed, "scaling/node/"+strconv.Itoa(index))
			if k < pools[i].Nodes {
				m.State = NodeThere
			}
			n.All = append(n.All, m)
		}
	}
	return n
}

// Of returns the settings of the replica's pool.
func (n *nodes) Of(l *Life) *simulator.Pool { return n.cluster.Replicas[l.Endpoint].Config }

// takeAtStart gives a replica a place that serves from the start.
func (n *nodes) takeAtStart(l *Life) {
	if n.Of(l).NodePool > 0 && !n.take(l) {
		panic(fmt.Sprintf("simulator: no place on a node for replica %d at the start", l.Endpoint))
	}
}

// take gives a replica a place on the first node that has one.
func (n *nodes) take(l *Life) bool {
	p := n.Of(l)
	for i := range n.All {
		m := &n.All[i]
		if m.State == NodeThere && m.Pool == p.NodePool-1 && m.Free >= p.Accelerators {
			m.Free -= p.Accelerators
			l.Node = i
			n.events.Move(&m.event, simtime.Never)
			return true
		}
	}
	return false
}

// leave frees the place of a replica. A node without replicas is taken away in time.
func (n *nodes) leave(l *Life) {
	if l.Node == NoNode {
		return
	}
	m := &n.All[l.Node]
	l.Node = NoNode
	m.Free += n.Of(l).Accelerators
	if p := &n.Pools[m.Pool]; m.Free == p.Accelerators && p.IdleTimeout > 0 {
		n.events.Move(&m.event, n.Now.Add(p.IdleTimeout))
	}
}

// place gives places to the replicas that wait for one, which it returns, and asks for the
// nodes that they need in addition to those on their way.
func (n *nodes) place(lives []Life) []*Life {
	n.pending = n.pending[:0]
	for i := range lives {
		if l := &lives[i]; l.Stage == autoscaling.Pending {
			n.pending = append(n.pending, l)
		}
	}
	slices.SortStableFunc(n.pending, func(a, b *Life) int { return cmp.Compare(a.created, b.created) })
	coming := make([]int, len(n.All)) // what is free on those that come
	for i := range n.All {
		if n.All[i].State == nodeComes {
			coming[i] = n.Pools[n.All[i].Pool].Accelerators
		}
	}
	placed := n.pending[:0]
	for _, l := range n.pending {
		if n.take(l) {
			placed = append(placed, l)
			continue
		}
		n.await(n.Of(l), coming)
	}
	return placed
}

// await takes accelerators from the nodes that come, and has another one come if theirs
// do not suffice and there may be one more.
func (n *nodes) await(p *simulator.Pool, coming []int) {
	vacant := NoNode
	for i := range n.All {
		m := &n.All[i]
		switch {
		case m.Pool != p.NodePool-1:
		case m.State == nodeComes && coming[i] >= p.Accelerators:
			coming[i] -= p.Accelerators
			return
		case m.State == nodeAbsent && vacant == NoNode:
			vacant = i
		}
	}
	if vacant == NoNode {
		return
	}
	m, of := &n.All[vacant], &n.Pools[n.All[vacant].Pool]
	m.State = nodeComes
	coming[vacant] = of.Accelerators - p.Accelerators
	n.events.Move(&m.event, n.Now.Add(of.Provisioning.Draw(m.chance)))
}

// change lets a node come, or fail to, or takes it away.
func (n *nodes) change(index int) {
	m := &n.All[index]
	p := &n.Pools[m.Pool]
	switch {
	case m.State == NodeThere:
		m.State = nodeAbsent
	case p.FailureShare > 0 && m.chance.Float64() < p.FailureShare:
		m.State = nodeAbsent
	default:
		m.State = NodeThere
		if p.IdleTimeout > 0 {
			n.events.Move(&m.event, n.Now.Add(p.IdleTimeout))
		}
	}
}
