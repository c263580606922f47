// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// advisor is a replica's stability controller and what the engine makes of its
// advice. A nil advisor receives nothing and advises nothing.
//
// It receives the steps when it is asked something, all since the last time
// together. An arrival is a request that comes to the wait queue: one that is
// turned away at the door is none, or else a replica that refuses what is too
// much would go on to refuse what is not.
type advisor struct {
	controller stability.Controller
	Evict      bool
	admission  simulator.StabilityAdmission

	// steps and worked are what the controller knows of the replica's.
	steps  int64
	worked time.Duration

	// decision is about the request that is about to be admitted, evictions the
	// cache's count when it was made, floor the blocks that are then left for
	// the growth of what runs.
	decision  stability.Decision
	evictions int64
	Floor     int
	FloorAt   simtime.Time

	// Last is what was known when arrivals ended.
	Last *stability.State
}

func newAdvisor(p *simulator.Pool, start simtime.Time) *advisor {
	if p.Stability == nil {
		return nil
	}
	config := p.Stability.Config
	config.BlockTokens = p.BlockTokens
	if errs := config.Validate(nil); len(errs) > 0 {
		panic(fmt.Sprintf("simulator: pool %q: %v", p.Name, errs.ToAggregate()))
	}
	controller, err := stability.New(p.Stability.Form, config, start)
	if err != nil {
		panic(fmt.Sprintf("simulator: pool %q: %v", p.Name, err))
	}
	return &advisor{controller: controller, Evict: p.Stability.Evict, admission: p.Stability.Admission, FloorAt: request.Unset}
}

// arrived tells of a request that came to the wait queue.
func (a *advisor) arrived(now simtime.Time) {
	if a != nil {
		a.controller.Arrival(now)
	}
}

// completed tells of a request that has its last token and still its blocks.
func (a *advisor) completed(r *Replica, q *request.Request, now simtime.Time) {
	if a == nil {
		return
	}
	a.controller.Completion(now, stability.Completion{
		PromptTokens: int(q.Prompt),
		OutputTokens: int(max(q.Generated(), 0)),
		Blocks:       r.BlocksHeld(q),
		SharedBlocks: r.Cache.SharedBy(q.Blocks),
		Service:      now.Sub(q.ScheduledAt),
	})
}

// State is what is known now.
func (a *advisor) State(r *Replica, now simtime.Time, m stability.Memory) stability.State {
	if steps := r.Batch.steps - a.steps; steps > 0 {
		a.controller.Steps(now, int(steps), r.Use.Worked-a.worked)
		a.steps, a.worked = r.Batch.steps, r.Use.Worked
	}
	return a.controller.State(now, m)
}

// lacks says that all that can be evicted is not what a decision asks for. The
// literal form does not see that itself.
func lacks(d stability.Decision, m stability.Memory) bool {
	return d.ShortfallBlocks > 0 || d.EvictBlocks > m.EvictableBlocks
}

// HasRoom says whether a prompt finds room at a replica's door.
func (r *Replica) HasRoom(prompt int64) bool {
	if r.Advisor == nil || r.Advisor.admission != simulator.AdmitOrRefuse {
		return true
	}
	return r.Advisor.hasRoomFor(r, r.Now, int(r.blocksOf(int32(prompt))), r.awaitedBlocks())
}

// awaitedBlocks is how many blocks those want that are in the wait queue or on their
// way to it, and have none.
func (r *Replica) awaitedBlocks() int {
	blocks := 0
	add := func(id int32) {
		if q := &r.Requests.All[id]; q.Phase() != request.Ready {
			blocks += int(r.blocksOf(q.Total))
		}
	}
	r.entries.Each(add)
	r.Waiting.Each(add)
	return blocks
}

// hasRoomFor says whether a prompt will have room in addition to what runs and what waits.
// Where there is neither, it always has.
func (a *advisor) hasRoomFor(r *Replica, now simtime.Time, blocks, awaited int) bool {
	m := r.Memory()
	if a.State(r, now, m).Insufficient {
		return true
	}
	d := a.controller.Decide(now, m, awaited+blocks)
	if lacks(d, m) && awaited+len(r.Batch.Running) > 0 {
		return false
	}
	if a.Evict {
		r.Cache.EvictFree(d.EvictBlocks)
	}
	return true
}

// defers says whether a request that would be admitted now is to stay in the
// wait queue. It never is where nothing runs: nothing would end its wait.
func (a *advisor) defers(r *Replica, now simtime.Time, want kv.Admission) bool {
	if a == nil || !a.Evict && a.admission != simulator.AdmitOrQueue {
		return false
	}
	a.decision, a.evictions = stability.Decision{}, r.Cache.Evictions()
	fresh, idle := r.Cache.AdmitNeeds(want)
	m := r.Memory()
	// What the request takes over of the cache is not to be evicted for it.
	m.EvictableBlocks -= idle
	state := a.State(r, now, m)
	if state.Insufficient {
		return false
	}
	a.decision = a.controller.Decide(now, m, fresh)
	lacking := lacks(a.decision, m)
	if lacking && a.admission == simulator.AdmitOrQueue && len(r.Batch.Running) > 0 {
		return true
	}
	a.Floor, a.FloorAt = state.ReserveBlocks, now
	if lacking || m.FreeBlocks+m.EvictableBlocks == m.TotalBlocks {
		a.Floor = 0 // it cannot be met, or there is nothing to reserve for
	}
	return false
}

// admitted carries out what was decided about a request that has its blocks now.
// Those that it took from others count.
func (a *advisor) admitted(r *Replica) {
	if a != nil && a.Evict {
		r.Cache.EvictFree(a.decision.EvictBlocks - int(r.Cache.Evictions()-a.evictions))
	}
}

// resumed notes that a request has gone on that was admitted earlier: it takes of
// what was kept free.
func (a *advisor) resumed() {
	if a != nil {
		a.FloorAt = request.Unset
	}
}

// admitBlocks is Cache.Admit, unless the advisor holds the request back.
func (r *Replica) admitBlocks(want kv.Admission) (kv.Sequence, bool) {
	if r.Advisor.defers(r, r.Now, want) {
		return 0, false
	}
	blocks, ok := r.Cache.Admit(want)
	if ok {
		r.Advisor.admitted(r)
	}
	return blocks, ok
}

// again returns the advisor of a replica that has just started again: it knows
// nothing of what was before.
func (a *advisor) again(r *Replica, now simtime.Time) *advisor {
	if a == nil {
		return nil
	}
	b := newAdvisor(r.Config, now)
	b.worked, b.Last = r.Use.Worked, a.Last
	return b
}
