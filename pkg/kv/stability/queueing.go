// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Queueing is the stability controller. Its estimates are of the last window
// or so: the arrival rate λ as a decayed count of events, the step time b̄ and
// what requests hold as decayed moments of steps and of completed requests. With
// M the tokens of the cache that no shared prefix takes:
//
//	ρ = λ·b̄·E[g]/M                              stable where it is below 1
//	used = λ·b̄·E[g]                             tokens, by Little's law
//	σ² = λ·b̄·E[Σh²]                             h what a request holds in a step
//	minimum = shared + max(margin·used, used+z·σ)  compared with the total
//	reserve = min(λ, μ)·E[grown]·interval        free, for the growth of what runs
//
// σ is Campbell's theorem, for Poisson arrivals that do not wait: few large
// requests need a wider margin than many small ones. A request grows by its
// output and by all but the first chunk of its prompt. The interval is that
// between two evictions, or a step if that is longer.
//
// b̄ is of the steps that were met. A full cache makes longer ones, so that a
// replica with little to do seems to have more room than it has.
//
// Every request counts as what it holds of its own: prefixes that others hold
// too are taken from the memory instead, once.
type Queueing struct {
	config   Config
	arrivals rate
	steps    moments // seconds
	requests requestMoments
	throttle throttle
}

// requestMoments are the moments of completed requests.
type requestMoments struct {
	count                int
	tokenIterations      moments // g of its own tokens
	squaredTokensInSteps moments // Σh² of them
	grownTokens          moments // held at the end and not from the first step on
	ownBlocks            moments
}

// NewQueueing returns a controller that watches from start on. The
// configuration has to be valid.
func NewQueueing(c Config, start simtime.Time) *Queueing {
	none := newMoments(c.Window, start)
	return &Queueing{
		config:   c,
		arrivals: newRate(c.Window, start),
		steps:    none,
		requests: requestMoments{0, none, none, none, none},
		throttle: throttle{interval: c.MinEvictionInterval},
	}
}

// Arrival counts one arrival.
func (q *Queueing) Arrival(at simtime.Time) { q.arrivals.add(at) }

// Completion takes in what a request held. It panics where a number is
// negative or more blocks are shared than held.
func (q *Queueing) Completion(at simtime.Time, c Completion) {
	c.check()
	own := max(0, c.PromptTokens-c.SharedBlocks*q.config.BlockTokens)
	chunk := q.config.PromptChunkTokens
	r := &q.requests
	r.count++
	r.tokenIterations.add(at, TokenIterations(own, c.OutputTokens, chunk), 1)
	r.squaredTokensInSteps.add(at, squaredTokenIterations(own, c.OutputTokens, chunk), 1)
	r.grownTokens.add(at, grownTokens(own, c.OutputTokens, chunk), 1)
	r.ownBlocks.add(at, float64(c.Blocks-c.SharedBlocks), 1)
}

// Steps takes in how long steps last. It panics where count is below 1 or
// total is negative.
func (q *Queueing) Steps(at simtime.Time, count int, total time.Duration) {
	if count < 1 || total < 0 {
		panic("stability: not steps")
	}
	n := float64(count)
	q.steps.add(at, total.Seconds()/n, n)
}

// State returns what is known at a time. It panics where the blocks of m do
// not add up.
func (q *Queueing) State(at simtime.Time, m Memory) State {
	m.check()
	arrivals, arrivalsError := q.arrivals.perSecond(at)
	s := State{ArrivalsPerSecond: arrivals}
	if q.requests.count < q.config.MinCompletions || q.steps.samples() == 0 {
		s.Insufficient = true
		return s
	}
	s.StepSeconds = q.steps.mean
	s.TokenIterationsPerRequest = q.requests.tokenIterations.mean
	s.BlocksPerRequest = q.requests.ownBlocks.mean
	q.setUtilization(&s, m, arrivalsError)
	q.setBlocks(&s, m)
	return s
}

// setUtilization compares arrivals with what the memory lets through.
func (q *Queueing) setUtilization(s *State, m Memory, arrivalsError float64) {
	capacity := q.ownTokens(m)
	if s.StepSeconds*s.TokenIterationsPerRequest > 0 {
		s.ServedPerSecond = ServedPerSecond(capacity, s.StepSeconds, s.TokenIterationsPerRequest)
	} else {
		s.ServedPerSecond = math.Inf(1)
	}
	if s.ArrivalsPerSecond > 0 {
		s.Utilization = s.ArrivalsPerSecond / s.ServedPerSecond
	}
	if s.Utilization > 0 {
		g := q.requests.tokenIterations.relativeError()
		s.UtilizationStdError = s.Utilization * math.Sqrt(float64(arrivalsError*arrivalsError)+float64(g*g))
	}
	s.IsStable = s.Utilization < 1
	s.StabilityMarginPercent = (1 - s.Utilization) * 100
	s.RecommendedKVBits = recommendedKVBits(s.Utilization)
}

// setBlocks turns the demand into blocks.
func (q *Queueing) setBlocks(s *State, m Memory) {
	size := float64(q.config.BlockTokens)
	// Blocks, and their squares, for each request a second.
	mean := s.StepSeconds * s.TokenIterationsPerRequest / size
	squares := s.StepSeconds * q.requests.squaredTokensInSteps.mean / (size * size)
	used, deviation := float64(s.ArrivalsPerSecond*mean), math.Sqrt(s.ArrivalsPerSecond*squares)
	s.UsedBlocks = used + float64(m.SharedBlocks)
	s.UsedBlocksStdDev = deviation
	needed := max(float64(q.config.Margin*used), used+float64(q.config.MarginDeviations*deviation))
	s.MinimumStableBlocks = m.SharedBlocks + wholeBlocks(needed)
	s.MissingBlocks = max(0, s.MinimumStableBlocks-m.TotalBlocks)
	s.CriticalArrivalsPerSecond = q.critical(mean, squares, float64(m.TotalBlocks-m.SharedBlocks))

	interval := max(q.config.MinEvictionInterval.Seconds(), s.StepSeconds)
	growing := min(s.ArrivalsPerSecond, s.ServedPerSecond) * q.requests.grownTokens.mean * interval
	s.ReserveBlocks = wholeBlocks(growing / size)
}

// critical returns the arrival rate λ at which max(margin·λ·mean,
// λ·mean + z·√(λ·squares)) is as large as blocks.
func (q *Queueing) critical(mean, squares, blocks float64) float64 {
	if mean <= 0 {
		return math.Inf(1)
	}
	// The positive root √λ of mean·λ + z·√squares·√λ = blocks.
	linear := float64(q.config.MarginDeviations * math.Sqrt(squares))
	root := (math.Sqrt(float64(linear*linear)+float64(4*mean*blocks)) - linear) / (2 * mean)
	return min(blocks/(q.config.Margin*mean), root*root)
}

// ownTokens is the memory that is there for what requests hold of their own.
func (q *Queueing) ownTokens(m Memory) float64 {
	return float64(m.TotalBlocks-m.SharedBlocks) * float64(q.config.BlockTokens)
}

// Decide returns what to evict so that requestedBlocks can be allocated.
//
// The floor: the request gets its blocks and ReserveBlocks are free after
// that. No throttle holds back what the floor needs. Where nothing runs there
// is nothing to reserve for, so that a request that fits into the cache is
// served in the end.
//
// Beyond the floor, what runs and what is free are to make up
// MinimumStableBlocks: idle content of the cache may have the rest. That is
// evicted for at most once in MinEvictionInterval. It panics where the blocks
// of m do not add up or requestedBlocks is negative.
func (q *Queueing) Decide(at simtime.Time, m Memory, requestedBlocks int) EvictionPlan {
	s := q.State(at, m)
	throttled := q.throttle.holds(at)
	d := decide(m, requestedBlocks, s.ReserveBlocks, s.MinimumStableBlocks, throttled)
	// In a full cache nearly every request makes the floor evict: if that
	// began the wait anew the rest would wait for ever.
	if d.EvictBlocks > 0 && !throttled {
		q.throttle.evicted(at)
	}
	return d
}
