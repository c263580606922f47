// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Tools make the turns of sessions that wait for answers call tools, one call after the
// other. A turn of n calls has n+1 requests: each call's result is what the next request
// asks.
type Tools struct {
	// Probability is that of a turn with calls, greater than 0 and at most 1.
	Probability float64
	// Calls is the number of calls of such a turn, at most MaxCalls.
	Calls Lengths
	// Latency is the time from the answer to the next request, in place of a think time.
	Latency Durations
	// Result is the length of a call's result in tokens.
	Result Lengths
}

// Branches make a turn of a session that waits for answers several requests at once.
// All have the context and what the turn asks as their prefix. Once each of them is
// answered, their answers join the context in the order of the branches.
type Branches struct {
	// Probability is that of a turn with branches, greater than 0 and at most 1.
	Probability float64
	// Count is the number of branches of such a turn, at most MaxBranches.
	Count Lengths
	// Input, if set, is the length of a branch's own part, which does not join the
	// context. Otherwise the branches have the same prompt.
	Input *Lengths
}

// Bounds of what a turn has.
const (
	// MaxCalls is the greatest number of calls.
	MaxCalls = 1000
	// MaxBranches is the greatest number of branches.
	MaxBranches = 64
)

// draw returns the number of calls of a turn.
func (t *Tools) draw(s *stats.Stream) int {
	if t == nil || !happens(t.Probability, s) {
		return 0
	}
	return t.Calls.draw(s)
}

// draw appends the lengths of the own parts of a turn's branches; none where the turn is
// one request.
func (b *Branches) draw(parts []int, s *stats.Stream) []int {
	if b == nil || !happens(b.Probability, s) {
		return parts
	}
	for range b.Count.draw(s) {
		tokens := 0
		if b.Input != nil {
			tokens = b.Input.draw(s)
		}
		parts = append(parts, tokens)
	}
	return parts
}

// happens draws whether something of that probability happens. What is certain takes no
// draw.
func happens(probability float64, s *stats.Stream) bool {
	return probability == 1 || s.Float64() < probability
}

// Validate returns the faults of the tools, under the names that the API gives their
// fields.
func (t *Tools) Validate(path *field.Path) field.ErrorList {
	errs := validateProbability(t.Probability, path.Child("probability"))
	errs = append(errs, validateCount(t.Calls, MaxCalls, path.Child("calls"))...)
	errs = append(errs, t.Latency.Validate(path.Child("latency"))...)
	return append(errs, t.Result.Validate(path.Child("resultTokens"))...)
}

// Validate returns the faults of the branches, under the names that the API gives their
// fields.
func (b *Branches) Validate(path *field.Path) field.ErrorList {
	errs := validateProbability(b.Probability, path.Child("probability"))
	errs = append(errs, validateCount(b.Count, MaxBranches, path.Child("count"))...)
	if b.Input != nil {
		errs = append(errs, b.Input.Validate(path.Child("inputTokens"))...)
	}
	return errs
}

func validateProbability(p float64, path *field.Path) field.ErrorList {
	if !(p > 0 && p <= 1) {
		return field.ErrorList{field.Invalid(path, p, "must be greater than 0 and at most 1")}
	}
	return nil
}

// validateCount returns the faults of a number of things of which there are limit at
// most.
func validateCount(count Lengths, limit int, path *field.Path) field.ErrorList {
	errs := count.Validate(path)
	if len(errs) == 0 && count.maximum() > limit {
		errs = append(errs, field.Invalid(path.Child("max"), count.maximum(), fmt.Sprintf("must be at most %d", limit)))
	}
	return errs
}
