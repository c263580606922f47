// SPDX-License-Identifier: Apache-2.0

package simulation

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
// advice. A nil advisor is told nothing and advises nothing.
//
// Of steps it is told when it is asked something, all since the last time
// together. An arrival is a request that comes to the wait queue: one that is
// turned away at the door is none, or else a replica that refuses what is too
// much would go on to refuse what is not.
type advisor struct {
	controller stability.Controller
	evict      bool
	admission  simulator.StabilityAdmission

	// steps and worked are what the controller was told of the replica's.
	steps  int64
	worked time.Duration

	// decision is about the request that is about to be admitted, evictions the
	// cache's count when it was made, floor the blocks that are then left for
	// the growth of what runs.
	decision  stability.Decision
	evictions int64
	floor     int
	floorAt   simtime.Time

	// last is what was known when arrivals ended.
	last *stability.State
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
	return &advisor{controller: controller, evict: p.Stability.Evict, admission: p.Stability.Admission, floorAt: request.Unset}
}

// arrived tells of a request that came to the wait queue.
func (a *advisor) arrived(now simtime.Time) {
	if a != nil {
		a.controller.Arrival(now)
	}
}

// completed tells of a request that has its last token and still its blocks.
func (a *advisor) completed(r *replica, q *request.Request, now simtime.Time) {
	if a == nil {
		return
	}
	a.controller.Completion(now, stability.Completion{
		PromptTokens: int(q.Prompt),
		OutputTokens: int(max(q.Generated(), 0)),
		Blocks:       r.blocksHeld(q),
		SharedBlocks: r.cache.SharedBy(q.Blocks),
		Service:      now.Sub(q.ScheduledAt),
	})
}

// state is what is known now.
func (a *advisor) state(r *replica, now simtime.Time, m stability.Memory) stability.State {
	if steps := r.batch.steps - a.steps; steps > 0 {
		a.controller.Steps(now, int(steps), r.use.Worked-a.worked)
		a.steps, a.worked = r.batch.steps, r.use.Worked
	}
	return a.controller.State(now, m)
}

// memory is the replica's, as a controller sees it.
func (r *replica) memory() stability.Memory {
	blank := r.cache.Blank()
	return stability.Memory{
		TotalBlocks:     r.cache.Blocks(),
		FreeBlocks:      blank,
		EvictableBlocks: r.cache.Free() - blank,
		SharedBlocks:    r.cache.Shared(),
	}
}

// lacks says that all that can be evicted is not what a decision asks for. The
// literal form does not see that itself.
func lacks(d stability.Decision, m stability.Memory) bool {
	return d.ShortfallBlocks > 0 || d.EvictBlocks > m.EvictableBlocks
}

// hasRoom says whether a prompt finds room at a replica's door.
func (r *replica) hasRoom(prompt int64) bool {
	if r.advisor == nil || r.advisor.admission != simulator.AdmitOrRefuse {
		return true
	}
	return r.advisor.hasRoomFor(r, r.now, int(r.blocksOf(int32(prompt))), r.awaitedBlocks())
}

// awaitedBlocks is how many blocks those want that are in the wait queue or on their
// way to it, and have none.
func (r *replica) awaitedBlocks() int {
	blocks := 0
	add := func(id int32) {
		if q := &r.requests.All[id]; q.Phase() != request.Ready {
			blocks += int(r.blocksOf(q.Total))
		}
	}
	r.entries.Each(add)
	r.waiting.Each(add)
	return blocks
}

// hasRoomFor says whether a prompt will have room beside what runs and what waits.
// Where there is neither, it always has.
func (a *advisor) hasRoomFor(r *replica, now simtime.Time, blocks, awaited int) bool {
	m := r.memory()
	if a.state(r, now, m).Insufficient {
		return true
	}
	d := a.controller.Decide(now, m, awaited+blocks)
	if lacks(d, m) && awaited+len(r.batch.running) > 0 {
		return false
	}
	if a.evict {
		r.cache.EvictFree(d.EvictBlocks)
	}
	return true
}

// defers says whether a request that would be admitted now is to stay in the
// wait queue. It never is where nothing runs: nothing would end its wait.
func (a *advisor) defers(r *replica, now simtime.Time, want kv.Admission) bool {
	if a == nil || !a.evict && a.admission != simulator.AdmitOrQueue {
		return false
	}
	a.decision, a.evictions = stability.Decision{}, r.cache.Evictions()
	fresh, idle := r.cache.AdmitNeeds(want)
	m := r.memory()
	// What the request takes over of the cache is not to be evicted for it.
	m.EvictableBlocks -= idle
	state := a.state(r, now, m)
	if state.Insufficient {
		return false
	}
	a.decision = a.controller.Decide(now, m, fresh)
	lacking := lacks(a.decision, m)
	if lacking && a.admission == simulator.AdmitOrQueue && len(r.batch.running) > 0 {
		return true
	}
	a.floor, a.floorAt = state.ReserveBlocks, now
	if lacking || m.FreeBlocks+m.EvictableBlocks == m.TotalBlocks {
		a.floor = 0 // it cannot be met, or there is nothing to reserve for
	}
	return false
}

// admitted carries out what was decided about a request that has its blocks now.
// Those that it took from others count.
func (a *advisor) admitted(r *replica) {
	if a != nil && a.evict {
		r.cache.EvictFree(a.decision.EvictBlocks - int(r.cache.Evictions()-a.evictions))
	}
}

// resumed notes that a request has gone on that was admitted earlier: it takes of
// what was kept free.
func (a *advisor) resumed() {
	if a != nil {
		a.floorAt = request.Unset
	}
}

// admitBlocks is Cache.Admit, unless the advisor holds the request back.
func (r *replica) admitBlocks(want kv.Admission) (kv.Sequence, bool) {
	if r.advisor.defers(r, r.now, want) {
		return 0, false
	}
	blocks, ok := r.cache.Admit(want)
	if ok {
		r.advisor.admitted(r)
	}
	return blocks, ok
}

// again returns the advisor of a replica that has just started again: it knows
// nothing of what was before.
func (a *advisor) again(r *replica, now simtime.Time) *advisor {
	if a == nil {
		return nil
	}
	b := newAdvisor(r.config, now)
	b.worked, b.last = r.use.Worked, a.last
	return b
}
