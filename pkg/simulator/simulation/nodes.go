// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// noNode is the node of a replica without a place.
const noNode = -1

// nodes are the machines of the node pools. Replicas find places on the first nodes that
// have enough free accelerators, in the order in which the replicas were created.
type nodes struct {
	scaling *scaling
	pools   []simulator.NodePool
	all     []node
	pending []*life // scratch
}

// node is a place for a node of a pool.
type node struct {
	pool  int
	state nodeState
	free  int
	// event is when the node comes, or is taken away.
	event  events.Event
	chance *stats.Stream
}

// nodeState is where a node stands.
type nodeState uint8

const (
	nodeAbsent nodeState = iota
	nodeComes
	nodeThere
)

func newNodes(x *scaling, pools []simulator.NodePool) nodes {
	n := nodes{scaling: x, pools: pools}
	for i := range pools {
		for k := range pools[i].MaxNodes {
			index := len(n.all)
			m := node{pool: i, free: pools[i].Accelerators}
			m.event = events.Idle(events.NodeChanges, index)
			m.chance = stats.NewStream(x.Seed, "scaling/node/"+strconv.Itoa(index))
			if k < pools[i].Nodes {
				m.state = nodeThere
			}
			n.all = append(n.all, m)
		}
	}
	return n
}

// of returns the settings of the replica's pool.
func (n *nodes) of(l *life) *simulator.Pool { return n.scaling.cluster.Replicas[l.endpoint].Config }

// takeAtStart gives a replica a place that serves from the start.
func (n *nodes) takeAtStart(l *life) {
	if n.of(l).NodePool > 0 && !n.take(l) {
		panic(fmt.Sprintf("simulator: no place on a node for replica %d at the start", l.endpoint))
	}
}

// take gives a replica a place on the first node that has one.
func (n *nodes) take(l *life) bool {
	p := n.of(l)
	for i := range n.all {
		m := &n.all[i]
		if m.state == nodeThere && m.pool == p.NodePool-1 && m.free >= p.Accelerators {
			m.free -= p.Accelerators
			l.node = i
			n.scaling.events.Move(&m.event, simtime.Never)
			return true
		}
	}
	return false
}

// leave frees the place of a replica. A node without replicas is taken away in time.
func (n *nodes) leave(l *life) {
	if l.node == noNode {
		return
	}
	m := &n.all[l.node]
	l.node = noNode
	m.free += n.of(l).Accelerators
	if p := &n.pools[m.pool]; m.free == p.Accelerators && p.IdleTimeout > 0 {
		n.scaling.events.Move(&m.event, n.scaling.Now.Add(p.IdleTimeout))
	}
}

// place gives places to the replicas that wait for one, and asks for the nodes that they
// need beside those on their way.
func (n *nodes) place() {
	x := n.scaling
	n.pending = n.pending[:0]
	for i := range x.lives {
		if l := &x.lives[i]; l.stage == autoscaling.Pending {
			n.pending = append(n.pending, l)
		}
	}
	slices.SortStableFunc(n.pending, func(a, b *life) int { return cmp.Compare(a.created, b.created) })
	coming := make([]int, len(n.all)) // what is free on those that come
	for i := range n.all {
		if n.all[i].state == nodeComes {
			coming[i] = n.pools[n.all[i].pool].Accelerators
		}
	}
	for _, l := range n.pending {
		if n.take(l) {
			x.load(l)
			continue
		}
		n.await(n.of(l), coming)
	}
}

// await takes accelerators from the nodes that come, and has another one come if theirs
// do not suffice and there may be one more.
func (n *nodes) await(p *simulator.Pool, coming []int) {
	vacant := noNode
	for i := range n.all {
		m := &n.all[i]
		switch {
		case m.pool != p.NodePool-1:
		case m.state == nodeComes && coming[i] >= p.Accelerators:
			coming[i] -= p.Accelerators
			return
		case m.state == nodeAbsent && vacant == noNode:
			vacant = i
		}
	}
	if vacant == noNode {
		return
	}
	m, of := &n.all[vacant], &n.pools[n.all[vacant].pool]
	m.state = nodeComes
	coming[vacant] = of.Accelerators - p.Accelerators
	n.scaling.events.Move(&m.event, n.scaling.Now.Add(of.Provisioning.Draw(m.chance)))
}

// change lets a node come, or fail to, or takes it away.
func (n *nodes) change(index int) {
	m := &n.all[index]
	p := &n.pools[m.pool]
	switch {
	case m.state == nodeThere:
		m.state = nodeAbsent
	case p.FailureShare > 0 && m.chance.Float64() < p.FailureShare:
		m.state = nodeAbsent
	default:
		m.state = nodeThere
		if p.IdleTimeout > 0 {
			n.scaling.events.Move(&m.event, n.scaling.Now.Add(p.IdleTimeout))
		}
	}
	n.place()
}
