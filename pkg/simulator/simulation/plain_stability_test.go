// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// plainWatch is the stability control of a plain replica. It shares the
// controllers with the simulator, which have tests of their own.
type plainWatch struct {
	settings   *simulator.Stability
	controller stability.Controller
	// steps and worked are of the steps that the controller was not told of.
	steps  int
	worked time.Duration
	known  *stability.State
}

// watch has a controller begin to know the replica.
func (r *plainReplica) watch(settings *simulator.Stability, start simtime.Time) {
	if settings == nil {
		return
	}
	r.steps, r.worked = 0, 0
	config := settings.Config
	config.BlockTokens = r.BlockTokens
	controller, err := stability.New(settings.Form, config, start)
	if err != nil {
		panic(err)
	}
	r.settings, r.controller = settings, controller
}

func (r *plainReplica) countStep(d time.Duration) {
	r.steps++
	r.worked += d
}

func (r *plainReplica) tellArrival(now simtime.Time) {
	if r.controller != nil {
		r.controller.Arrival(now)
	}
}

func (r *plainReplica) tellCompletion(now simtime.Time, q *plainRequest) {
	if r.controller == nil {
		return
	}
	r.controller.Completion(now, stability.Completion{
		PromptTokens: int(q.Prompt), OutputTokens: int(max(q.Generated(), 0)),
		Blocks: len(q.sequence.Blocks), SharedBlocks: r.cache.SharedBy(q.sequence),
		Service: now.Sub(q.ScheduledAt),
	})
}

// state tells of the steps since the last question and asks.
func (r *plainReplica) state(now simtime.Time) (stability.State, stability.Memory) {
	if r.steps > 0 {
		r.controller.Steps(now, r.steps, r.worked)
		r.steps, r.worked = 0, 0
	}
	m := stability.Memory{TotalBlocks: r.KVBlocks, FreeBlocks: r.cache.Blank(), SharedBlocks: r.cache.Shared()}
	m.EvictableBlocks = len(r.cache.Free()) - m.FreeBlocks
	return r.controller.State(now, m), m
}

// letsIn is the question at the door.
func (p *plain) letsIn(r *plainReplica, prompt int32) bool {
	if r.controller == nil || r.settings.Admission != simulator.AdmitOrRefuse {
		return true
	}
	awaited := 0
	for _, q := range r.waiting {
		if q.sequence == nil {
			awaited += blocksOf(q.Total, r)
		}
	}
	for _, e := range p.events {
		if e.kind == plainEntry && e.replica == r {
			awaited += blocksOf(e.request.Total, r)
		}
	}
	state, m := r.state(p.now)
	if state.Insufficient {
		return true
	}
	d := r.controller.Decide(p.now, m, awaited+blocksOf(prompt, r))
	idle := len(r.running) == 0 && awaited == 0
	if !idle && (d.ShortfallBlocks > 0 || d.EvictBlocks > m.EvictableBlocks) {
		return false
	}
	if r.settings.Evict {
		r.cache.EvictFree(d.EvictBlocks)
	}
	return true
}

// allot is the cache's Admit, unless the controller holds the request back. What
// it evicts has the blocks in it that the request takes itself.
func (r *plainReplica) allot(now simtime.Time, want kvtest.Admission) (*kvtest.Sequence, bool) {
	evict, held := r.advice(now, want)
	if held {
		return nil, false
	}
	evictions := r.cache.Evictions
	sequence, ok := r.cache.Admit(want)
	if ok {
		r.cache.EvictFree(evict - int(r.cache.Evictions-evictions))
	}
	return sequence, ok
}

// advice is how many blocks are to be evicted for an admission, those that it
// takes itself among them, and whether it has to wait.
func (r *plainReplica) advice(now simtime.Time, want kvtest.Admission) (evict int, held bool) {
	if r.controller == nil || !r.settings.Evict && r.settings.Admission != simulator.AdmitOrQueue {
		return 0, false
	}
	state, m := r.state(now)
	if state.Insufficient {
		return 0, false
	}
	fresh, idle := r.cache.AdmitNeeds(want)
	m.EvictableBlocks -= idle
	d := r.controller.Decide(now, m, fresh)
	if r.settings.Admission == simulator.AdmitOrQueue && len(r.running) > 0 &&
		(d.ShortfallBlocks > 0 || d.EvictBlocks > m.EvictableBlocks) {
		return 0, true
	}
	if r.settings.Evict {
		evict = d.EvictBlocks
	}
	return evict, false
}

func (p *plain) noteStability() {
	for _, r := range p.replicas {
		if r.controller != nil {
			state, _ := r.state(p.now)
			r.known = &state
		}
	}
}
