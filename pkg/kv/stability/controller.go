// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Controller watches one replica. It takes what happened and answers with
// what that means for the replica's memory. Equal calls give equal answers, to
// the last bit on every architecture. Not safe for concurrent use.
type Controller interface {
	// Arrival tells of one request that arrived at the replica.
	Arrival(at simtime.Time)
	// Completion tells of one request that was completed.
	Completion(at simtime.Time, c Completion)
	// Steps tells of count steps that ended by at and lasted total together.
	// Time without work is no step.
	Steps(at simtime.Time, count int, total time.Duration)
	// State is what is known at a time. A decision about an arriving request
	// reads it before that arrival is recorded: at the instant of an arrival a
	// rate is always high.
	State(at simtime.Time, m Memory) State
	// Decide returns what to evict so that requestedBlocks can be allocated.
	// A decision to evict is taken to be carried out.
	Decide(at simtime.Time, m Memory, requestedBlocks int) EvictionPlan
}

// Completion is what is known of a request at its end.
type Completion struct {
	PromptTokens, OutputTokens int
	// Blocks are those that it held at its end.
	Blocks int
	// SharedBlocks are those of Blocks that another request held too, such as
	// those of a common prefix.
	SharedBlocks int
	// Service is the time from the request's admission to its end. Only
	// QueueingSeed reads it.
	Service time.Duration
}

func (c Completion) check() {
	if c.PromptTokens < 0 || c.OutputTokens < 0 || c.Service < 0 || c.SharedBlocks < 0 || c.Blocks < c.SharedBlocks {
		panic(fmt.Sprintf("stability: not a completion: %+v", c))
	}
}

// Memory is the KV cache of a replica at one time. Of TotalBlocks,
// FreeBlocks hold nothing, EvictableBlocks hold what no running request uses,
// and running requests hold the rest, each block counted once.
type Memory struct {
	TotalBlocks, FreeBlocks, EvictableBlocks int
	// SharedBlocks are those that several running requests hold. They are not
	// there for any request of its own. Leave it 0 where it is not known:
	// common prefixes then count for nothing.
	SharedBlocks int
}

func (m Memory) check() {
	if m.FreeBlocks < 0 || m.EvictableBlocks < 0 || m.SharedBlocks < 0 || m.heldBlocks() < m.SharedBlocks {
		panic(fmt.Sprintf("stability: blocks do not add up: %+v", m))
	}
}

// heldBlocks are those that running requests hold.
func (m Memory) heldBlocks() int { return m.TotalBlocks - m.FreeBlocks - m.EvictableBlocks }

// EvictionPlan is what to do before a request gets its blocks. The three numbers
// add up to the blocks that are wanted.
type EvictionPlan struct {
	// EvictBlocks are to be evicted now.
	EvictBlocks int
	// DeferredBlocks are wanted too, but an eviction was made a moment ago.
	DeferredBlocks int
	// ShortfallBlocks are needed, and evicting all that can be evicted does not
	// give them: the request has to wait until others complete.
	ShortfallBlocks int
	// Infeasible says that the request is larger than the cache, so that
	// waiting does not help either.
	Infeasible bool
}

// Form names an implementation of Controller.
type Form string

const (
	// FormQueueing is Queueing, the default.
	FormQueueing Form = "queueing"
	// FormQueueingSeed is QueueingSeed.
	FormQueueingSeed Form = "queueing-seed"
)

// Forms lists the forms that New knows.
func Forms() []Form { return []Form{FormQueueing, FormQueueingSeed} }

// New returns a controller that watches from start on; an empty form is
// FormQueueing. The configuration has to be valid. It is an error where the
// form is unknown.
func New(form Form, c Config, start simtime.Time) (Controller, error) {
	switch form {
	case FormQueueing, "":
		return NewQueueing(c, start), nil
	case FormQueueingSeed:
		return NewQueueingSeed(c), nil
	default:
		return nil, fmt.Errorf("unknown stability controller %q, want one of %v", form, Forms())
	}
}
