// SPDX-License-Identifier: Apache-2.0

package stability

import "math"

// State is what a controller knows at one time. QueueingSeed fills the fields
// that it has a formula for; its comment says what they are there.
type State struct {
	// Insufficient says that too little has been seen: nothing below is known
	// but ArrivalsPerSecond.
	Insufficient bool

	// ArrivalsPerSecond is λ.
	ArrivalsPerSecond float64
	// ServedPerSecond is μ, the most requests that the memory lets through;
	// +Inf where requests hold nothing.
	ServedPerSecond float64
	// Utilization is ρ = λ/μ. It may be above 1.
	Utilization float64
	// UtilizationStdError is the standard error of Utilization that comes of
	// the finite window, for Poisson arrivals of independent lengths; the step
	// time is taken for exact.
	UtilizationStdError float64
	// IsStable says that λ < μ.
	IsStable bool
	// StabilityMarginPercent is (1-ρ)·100; below 0 where the queue grows.
	StabilityMarginPercent float64

	// StepSeconds is b̄, the mean time of a step.
	StepSeconds float64
	// TokenIterationsPerRequest is E[g]: tokens of its own that a request
	// holds, summed over its steps.
	TokenIterationsPerRequest float64
	// BlocksPerRequest is the mean of the blocks of their own that requests
	// hold at their ends.
	BlocksPerRequest float64

	// UsedBlocks is the mean of the blocks that running requests are going to
	// hold at this rate, each block counted once. It may exceed the total.
	UsedBlocks float64
	// UsedBlocksStdDev is the standard deviation of that over time.
	UsedBlocksStdDev float64
	// MinimumStableBlocks is the size of a cache for this rate, margin
	// included, to be compared with the total.
	MinimumStableBlocks int
	// MissingBlocks is how many blocks of MinimumStableBlocks there are not.
	// Where it is not 0, no eviction meets the margin.
	MissingBlocks int
	// CriticalArrivalsPerSecond is the arrival rate at which the cache just has
	// the margin: MinimumStableBlocks would equal the total.
	CriticalArrivalsPerSecond float64
	// ReserveBlocks are to be free for the growth of the requests that run.
	ReserveBlocks int

	// RecommendedKVBits is how many bits an element of the cache should have
	// at this utilization: 16, 8, 4 or 2. It is advice: other bits change the
	// capacity and the model's answers at once, and no engine changes them
	// under load. 0 where nothing is known.
	RecommendedKVBits int
}

// recommendedKVBits returns the bits of the least compression that the
// thresholds of 70, 85 and 95 % allow.
func recommendedKVBits(utilization float64) int {
	switch {
	case utilization < 0.70:
		return 16
	case utilization < 0.85:
		return 8
	case utilization < 0.95:
		return 4
	default:
		return 2
	}
}

const (
	// roundingSlack is what a number of blocks may exceed an integer by and
	// still be that integer.
	roundingSlack = 1e-9
	// maxBlocks stands for every larger number.
	maxBlocks = 1 << 40
)

// wholeBlocks rounds a number of blocks up, save what arithmetic added to it.
func wholeBlocks(blocks float64) int {
	return int(min(math.Ceil(max(blocks, 0)-roundingSlack), maxBlocks))
}
