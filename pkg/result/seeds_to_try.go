// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/verdict"
)

// fewSeeds are what a gate asks for that has too few to tell the spread.
const fewSeeds = 5

// maxSeedsToTry is beyond what more seeds are worth: the figure lies at the bound.
const maxSeedsToTry = 1000

// SeedsToTry estimates how many seeds would decide a claim that is undecided, if
// mean and spread stay as they are: the margin shrinks with the root of their
// number. It is 0 where the claim is decided,
// where more seeds exercise nothing more or the model's error decides, and where the mean lies so near the
// bound that more than a thousand would be needed.
func (r *GateResult) SeedsToTry() int {
	switch {
	case r.Verdict != verdict.Undecided, r.Doubt != "", r.Change != nil && r.Change.Unexercised != "":
		return 0
	case r.N < 2:
		return fewSeeds
	case r.Estimate == nil || r.Limit == nil:
		return 2 * r.N
	}
	distance, margin := math.Abs(r.Bound-*r.Estimate), math.Abs(*r.Limit-*r.Estimate)
	if distance == 0 {
		return 0
	}
	n := math.Ceil(float64(r.N) * (margin / distance) * (margin / distance))
	if n > maxSeedsToTry {
		return 0
	}
	return max(r.N+1, int(n))
}
