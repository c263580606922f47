// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// replica is one engine: a wait queue, a batch, a block cache, and at most
// one step under way.
type replica struct {
	index int32
	pool  int

	timer          latency.StepTimer
	cost           latency.RequestCost
	maxSeqs        int
	maxTokens      int32
	maxModelTokens int64
	prefixCaching  bool

	cache   *kv.Cache
	waiting queue
	// running is the batch in order of admission.
	running []int32

	// stepping says that a step is under way, since stepStart; waking that
	// the replica is idle and its wake event is on the agenda.
	stepping, waking bool
	stepStart        simtime.Time

	// nextScrape is the first tick of the scrape clock that the router's
	// view does not hold yet.
	nextScrape simtime.Time

	use use
}

// newReplica returns an idle replica of the pool.
func newReplica(index int32, poolIndex int, p *Pool, firstScrape simtime.Time) replica {
	return replica{
		index:          index,
		pool:           poolIndex,
		timer:          p.Timer,
		cost:           p.Cost,
		maxSeqs:        p.MaxNumSeqs,
		maxTokens:      int32(min(p.MaxNumBatchedTokens, math.MaxInt32)),
		maxModelTokens: int64(p.MaxModelLen),
		prefixCaching:  p.PrefixCaching,
		cache:          kv.New(p.KVBlocks, p.BlockTokens, p.PrefixCaching),
		nextScrape:     firstScrape,
	}
}

// refuses says whether the engine can never serve so many tokens, and why.
func (r *replica) refuses(prompt, total int64) (Reason, bool) {
	capacity := int64(r.cache.Blocks()) * int64(r.cache.BlockTokens())
	switch {
	case prompt == 0:
		return EmptyPrompt, true
	case r.maxModelTokens > 0 && total > r.maxModelTokens:
		return ExceedsModelLength, true
	case total > capacity:
		return ExceedsKVCache, true
	}
	return 0, false
}

// entryDelay is how long a request is held up before it enters the wait queue.
func (r *replica) entryDelay(prompt int32) time.Duration {
	return r.cost.QueueBase + time.Duration(prompt)*r.cost.QueuePerInputToken
}

// enter puts a request into its replica's wait queue. An idle replica wakes
// after the arrivals of this nanosecond, so that all of them are in its first
// batch.
func (s *simulation) enter(id int32) {
	q := &s.requests.all[id]
	r := &s.replicas[q.replica]
	s.scrape(r)
	q.phase = phaseWaiting
	q.turn = s.entered
	s.entered++
	r.waiting.pushBack(id)
	if !r.stepping && !r.waking {
		r.waking = true
		s.agenda.push(s.now, kindWake, r.index)
	}
}

// wake starts an idle replica.
func (s *simulation) wake(r *replica) {
	r.waking = false
	s.startStep(r)
}

// endStep makes the step's results take hold and then forms the next one: the
// places and blocks of what completed serve at once.
func (s *simulation) endStep(r *replica) {
	s.scrape(r)
	r.use.settle(s.now, r.cache.Used())
	s.applyStep(r)
	s.startStep(r)
}

// startStep forms the next batch, or leaves the replica idle when there is
// nothing to do.
func (s *simulation) startStep(r *replica) {
	s.scrape(r)
	r.use.settle(s.now, r.cache.Used())
	step := s.formStep(r)
	r.use.seen(r.cache.Used())
	r.stepping = step.Sequences > 0
	for _, o := range s.observers {
		o.formed(s, r, step)
	}
	if !r.stepping {
		return
	}
	r.stepStart = s.now
	s.schedule(r.timer.StepTime(step), kindStepEnd, r.index)
}
