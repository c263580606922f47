// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Reasoning is what is generated before an answer: steps of some tokens each.
type Reasoning struct {
	// Steps is the number of steps, at most MaxSteps, and TokensPerStep the length of each.
	Steps, TokensPerStep Lengths
	// Kept says that the next turn of a session has the reasoning in its context.
	Kept bool
}

// MaxSteps is the greatest number of steps of reasoning.
const MaxSteps = 1000

// draw returns the tokens before an answer, so that both are at most MaxTokens.
func (r *Reasoning) draw(answer int, s *stats.Stream) int {
	if r == nil {
		return 0
	}
	tokens := 0
	for range r.Steps.draw(s) {
		tokens += r.TokensPerStep.draw(s)
	}
	return min(tokens, MaxTokens-answer)
}

// Validate returns the faults of the reasoning, under the names that the API gives its
// fields.
func (r *Reasoning) Validate(path *field.Path) field.ErrorList {
	errs := validateCount(r.Steps, MaxSteps, path.Child("steps"))
	return append(errs, r.TokensPerStep.Validate(path.Child("tokensPerStep"))...)
}
