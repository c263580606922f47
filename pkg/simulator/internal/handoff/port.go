// SPDX-License-Identifier: Apache-2.0

package handoff

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Engine is what hand-overs want of a replica.
type Engine interface {
	// SendToQueue sends a job on its way to the wait queue.
	SendToQueue(id int32)
	// Enter puts a request into the wait queue, now.
	Enter(id int32)
	// Withdraw takes a request off the replica again.
	Withdraw(id int32)
	// Resume puts a request back into the wait queue whose KV has come.
	Resume(id int32)
	// Publish lets other requests use the blocks of a request.
	Publish(q *request.Request)
	// ReleaseJob frees the blocks of a job, and their content too if it is to be dropped.
	ReleaseJob(job *request.Request, drop bool)
	// Wake lets an idle replica look for work.
	Wake()
}

// Port is a replica's end of hand-overs.
type Port struct {
	Engine
	Pool            *simulator.Pool
	fabric          *network.Fabric
	links           *network.Links
	egress, ingress transfer.StationID
	// Jobs counts the prefill jobs in its batch.
	Jobs int32
	// leaving are the jobs that have computed their prompts, whose blocks stay until they have
	// been handed over, in the order in which they had. sending counts those whose request has
	// its blocks on the decode replica.
	leaving []int32
	sending int
	// pending counts the hand-overs that are under way to here, and held are the prefill
	// jobs of those that wait until one ends, in the order in which they came. Both are
	// kept only where something bounds the hand-overs; then pending <= MaxPending, and none
	// is held unless they are equal.
	pending int
	held    []int32
	most    int // Handoff.MaxPending
}

// Connect gives a replica its links to the others and from them.
func (p *Port) Connect(config *simulator.Handoff, fabric *network.Fabric, links *network.Links) {
	p.fabric, p.links, p.most = fabric, links, config.MaxPending
	p.egress, p.ingress = fabric.Add(config.Egress), fabric.Add(config.Ingress)
	links.Add(fabric, "egress", p.egress, false)
	links.Add(fabric, "ingress", p.ingress, false)
}

// Idle says whether no hand-over has to do with the replica.
func (p *Port) Idle() bool {
	return p.Jobs == 0 && p.pending == 0 && len(p.held) == 0 && len(p.leaving) == 0
}

// Check checks that no more hand-overs to the replica are under way than may be.
func (p *Port) Check() error {
	if p.most > 0 && p.pending > p.most {
		return fmt.Errorf("%d hand-overs are under way to it, more than %d", p.pending, p.most)
	}
	return nil
}

// left notes that a job has given its blocks up.
func (p *Port) left(job int32) {
	at := slices.Index(p.leaving, job)
	p.leaving = slices.Delete(p.leaving, at, at+1)
}

// complete is how many blocks of a prompt hold computed tokens alone, or belong to a prompt
// that is computed.
func (p *Port) complete(computed, total int32) int32 {
	block := int32(p.Pool.BlockTokens)
	if computed == total {
		return (total + block - 1) / block
	}
	return computed / block
}
