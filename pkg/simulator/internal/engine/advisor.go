// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
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
	memory *memory
	batch  *batch
	use    *measure.Use

	controller stability.Controller
	Evict      bool
	admission  simulator.StabilityAdmission

	// steps and worked are what the controller knows of the replica's.
	steps  int64
	worked time.Duration

	// decision is about the request that is about to be admitted, evictions the
	// cache's count when it was made, floor the blocks that are then left for
	// the growth of what runs.
	decision  stability.EvictionPlan
	evictions int64
	Floor     int
	FloorAt   simtime.Time

	// Last is what was known when arrivals ended.
	Last *stability.State
}

func newAdvisor(m *memory, b *batch, u *measure.Use, start simtime.Time) *advisor {
	p := m.limits.Config
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
	return &advisor{
		memory: m, batch: b, use: u, controller: controller,
		Evict: p.Stability.Evict, admission: p.Stability.Admission, FloorAt: request.Unset,
	}
}

// arrived tells of a request that came to the wait queue.
func (a *advisor) arrived(now simtime.Time) {
	if a != nil {
		a.controller.Arrival(now)
	}
}

// completed tells of a request that has its last token and still its blocks.
func (a *advisor) completed(q *request.Request, now simtime.Time) {
	if a == nil {
		return
	}
	a.controller.Completion(now, stability.Completion{
		PromptTokens: int(q.Prompt),
		OutputTokens: int(max(q.Generated(), 0)),
		Blocks:       a.memory.BlocksHeld(q),
		SharedBlocks: a.memory.Cache.SharedBy(q.Blocks),
		Service:      now.Sub(q.ScheduledAt),
	})
}

// State is what is known now.
func (a *advisor) State(now simtime.Time, m stability.Memory) stability.State {
	if steps := a.batch.steps - a.steps; steps > 0 {
		a.controller.Steps(now, int(steps), a.use.Worked-a.worked)
		a.steps, a.worked = a.batch.steps, a.use.Worked
	}
	return a.controller.State(now, m)
}

// lacks says that all that can be evicted is not what a decision asks for. The
// literal form does not see that itself.
func lacks(d stability.EvictionPlan, m stability.Memory) bool {
	return d.ShortfallBlocks > 0 || d.EvictBlocks > m.EvictableBlocks
}

// hasRoom says whether a prompt finds room at the replica's door.
func (a *advisor) hasRoom(now simtime.Time, prompt int64, w *line) bool {
	if a == nil || a.admission != simulator.AdmitOrRefuse {
		return true
	}
	return a.hasRoomFor(now, int(a.memory.blocksOf(int32(prompt))), w.awaitedBlocks())
}

// hasRoomFor says whether a prompt will have room in addition to what runs and what waits.
// Where there is neither, it always has.
func (a *advisor) hasRoomFor(now simtime.Time, blocks, awaited int) bool {
	m := a.memory.Memory()
	if a.State(now, m).Insufficient {
		return true
	}
	d := a.controller.Decide(now, m, awaited+blocks)
	if lacks(d, m) && awaited+len(a.batch.Running) > 0 {
		return false
	}
	if a.Evict {
		a.memory.Cache.EvictFree(d.EvictBlocks)
	}
	return true
}

// defers says whether a request that would be admitted now is to stay in the
// wait queue. It never is where nothing runs: nothing would end its wait.
func (a *advisor) defers(now simtime.Time, want kv.Admission) bool {
	if a == nil || !a.Evict && a.admission != simulator.AdmitOrQueue {
		return false
	}
	a.decision, a.evictions = stability.EvictionPlan{}, a.memory.Cache.Evictions()
	fresh, idle := a.memory.Cache.AdmitNeeds(want)
	m := a.memory.Memory()
	// What the request takes over of the cache is not to be evicted for it.
	m.EvictableBlocks -= idle
	state := a.State(now, m)
	if state.Insufficient {
		return false
	}
	a.decision = a.controller.Decide(now, m, fresh)
	lacking := lacks(a.decision, m)
	if lacking && a.admission == simulator.AdmitOrQueue && len(a.batch.Running) > 0 {
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
func (a *advisor) admitted() {
	if a != nil && a.Evict {
		a.memory.Cache.EvictFree(a.decision.EvictBlocks - int(a.memory.Cache.Evictions()-a.evictions))
	}
}

// resumed notes that a request has gone on that was admitted earlier: it takes of
// what was kept free.
func (a *advisor) resumed() {
	if a != nil {
		a.FloorAt = request.Unset
	}
}

// again returns the advisor of a replica that has just started again: it knows
// nothing of what was before.
func (a *advisor) again(now simtime.Time) *advisor {
	if a == nil {
		return nil
	}
	b := newAdvisor(a.memory, a.batch, a.use, now)
	b.worked, b.Last = a.use.Worked, a.Last
	return b
}
