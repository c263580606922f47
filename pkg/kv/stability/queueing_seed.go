// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"math"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const (
	// seedMinCompletions are needed before the fallbacks below give way.
	seedMinCompletions      = 10
	seedArrivalsPerSecond   = 0.1
	seedServiceSeconds      = 1
	seedMinServiceSeconds   = 0.001
	seedMaxUtilization      = 0.9999
	seedMinServedPerSecond  = 1e-9
	seedMinBlocksPerRequest = 1
)

// QueueingSeed is the published sketch of a stability controller, literally:
//
//	α = 1-exp(-Δt/T),  λ ← α/Δt + (1-α)·λ    at arrivals with Δt > 0
//	μ = 1/E[S]                               E[S], E[B] over all time
//	ρ = min(λ/μ, 0.9999)
//	minimum = ⌈λ·E[S]·E[B]·margin⌉            compared with the free blocks
//	critical λ = free/(E[S]·E[B]·margin)
//
// with S the service time and B the blocks of a completed request. Until 10
// have completed λ is 0.1/s, E[S] is 1 s and E[B] is the size of a block in
// tokens. What this costs, and Queueing does otherwise:
//
//   - λ is high by the factor (1+λT)·ln(1+1/(λT)) for Poisson arrivals, low
//     where many arrive at one instant, and stays where it was when arrivals
//     stop.
//   - Requests are served one at a time in this ρ: a replica that serves fifty
//     at once reads 50, or 0.9999, and is "stable" at any load.
//   - As many blocks are to be free as are in use on average.
//   - A throttled decision breaks the floor, and one that asks for more than
//     can be evicted is not told from one that does not.
//
// Its state has no field that the sketch does not have, and no Insufficient.
// IsStable means ρ < 1 and minimum <= free.
//
// The sketch and this differ in what follows. Times are whole nanoseconds of
// the one clock that is passed in; the sketch takes some from its caller and
// the throttle's from the host, counted from boot, so that the first eviction
// is never throttled, as here. It locks, and keeps arrivals, gaps, token counts
// and a variance that nothing reads: they are not kept here. A decision that is
// throttled says what it withholds, in DeferredBlocks. A minimum beyond 2⁴⁰
// blocks is 2⁴⁰.
type QueueingSeed struct {
	config Config

	arrivalsPerSecond float64
	arrived           bool
	lastArrival       simtime.Time

	serviceSeconds runningMean
	blocks         runningMean

	throttle throttle
}

// NewQueueingSeed returns a controller that has seen nothing. The
// configuration has to be valid.
func NewQueueingSeed(c Config) *QueueingSeed {
	return &QueueingSeed{config: c, throttle: throttle{interval: c.MinEvictionInterval}}
}

// Arrival blends the reciprocal of the gap to the last arrival into the rate.
func (q *QueueingSeed) Arrival(at simtime.Time) {
	if gap := at.Sub(q.lastArrival).Seconds(); q.arrived && gap > 0 {
		alpha := 1 - stats.Exp(-gap/q.config.Window.Seconds())
		q.arrivalsPerSecond = float64(alpha*(1/gap)) + float64((1-alpha)*q.arrivalsPerSecond)
	}
	q.arrived, q.lastArrival = true, at
}

// Completion takes in the service time and, unless it is 0, the number of
// blocks.
func (q *QueueingSeed) Completion(_ simtime.Time, c Completion) {
	c.check()
	q.serviceSeconds.add(c.Service.Seconds())
	if c.Blocks > 0 {
		q.blocks.add(float64(c.Blocks))
	}
}

// Steps does nothing: the sketch does not know of steps.
func (*QueueingSeed) Steps(simtime.Time, int, time.Duration) {}

// State returns what is known, rounded as the sketch does. The time does not
// matter.
func (q *QueueingSeed) State(_ simtime.Time, m Memory) State {
	m.check()
	arrivals, service, blocks := q.estimates()
	served := 1 / service
	utilization := min(arrivals/max(served, seedMinServedPerSecond), seedMaxUtilization)
	minimum := seedBlocks(arrivals * service * blocks * q.config.Margin)
	return State{
		ArrivalsPerSecond:         decimals(arrivals, 6),
		ServedPerSecond:           decimals(served, 6),
		BlocksPerRequest:          decimals(blocks, 4),
		Utilization:               decimals(utilization, 6),
		IsStable:                  utilization < 1 && m.FreeBlocks >= minimum,
		CriticalArrivalsPerSecond: decimals(float64(m.FreeBlocks)/(service*blocks*q.config.Margin), 6),
		MinimumStableBlocks:       minimum,
		StabilityMarginPercent:    decimals((1-utilization)*100, 4),
		RecommendedKVBits:         recommendedKVBits(decimals(utilization, 6)),
	}
}

// estimates returns λ, E[S] and E[B], or the fallbacks.
func (q *QueueingSeed) estimates() (arrivalsPerSecond, serviceSeconds, blocks float64) {
	if q.serviceSeconds.count < seedMinCompletions {
		return seedArrivalsPerSecond, seedServiceSeconds, float64(q.config.BlockTokens)
	}
	arrivalsPerSecond = q.arrivalsPerSecond
	if arrivalsPerSecond <= 0 {
		arrivalsPerSecond = seedArrivalsPerSecond
	}
	return arrivalsPerSecond,
		max(seedMinServiceSeconds, q.serviceSeconds.mean),
		max(seedMinBlocksPerRequest, q.blocks.mean)
}

// Decide returns requested - free + minimum where the free blocks would be
// fewer than the minimum, and nothing within MinEvictionInterval of the last
// such answer.
func (q *QueueingSeed) Decide(at simtime.Time, m Memory, requestedBlocks int) EvictionPlan {
	needed := requestedBlocks - m.FreeBlocks + q.State(at, m).MinimumStableBlocks
	if needed <= 0 {
		return EvictionPlan{}
	}
	if q.throttle.holds(at) {
		return EvictionPlan{DeferredBlocks: needed}
	}
	q.throttle.evicted(at)
	return EvictionPlan{EvictBlocks: needed}
}

// runningMean is Welford's mean (Note on a method for calculating corrected
// sums of squares and products, Technometrics 4, 1962).
type runningMean struct {
	count int
	mean  float64
}

func (r *runningMean) add(x float64) {
	r.count++
	r.mean += (x - r.mean) / float64(r.count)
}

// seedBlocks is a plain ceiling, which takes what arithmetic added for a block.
func seedBlocks(blocks float64) int {
	return int(min(math.Ceil(max(blocks, 0)), maxBlocks))
}

// decimals rounds to a number of decimals, correctly, as Python's round does.
func decimals(x float64, n int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', n, 64), 64)
	if err != nil {
		panic(err)
	}
	return rounded
}
