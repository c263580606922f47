// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Reasoning is what a model generates before the answer: a chain of steps. Metrics count
// its tokens as generated tokens, so the first token is one of them.
type Reasoning struct {
	// steps is the number of steps, at most 1000.
	// +required
	Steps Amounts `json:"steps,omitzero"`
	// tokensPerStep is the length of a step.
	// +required
	TokensPerStep Amounts `json:"tokensPerStep,omitzero"`
	// context says whether the next turn of a conversation contains the reasoning.
	// +optional
	// +kubebuilder:default=Dropped
	Context ReasoningContext `json:"context,omitempty"`
}

// ReasoningContext says what becomes of reasoning in the next turn.
// +kubebuilder:validation:Enum=Dropped;Kept
type ReasoningContext string

const (
	// DroppedReasoning is not in the next prompt. The answer behind it is then at another
	// place, so it has to be computed again.
	DroppedReasoning ReasoningContext = "Dropped"
	// KeptReasoning is in the next prompt.
	KeptReasoning ReasoningContext = "Kept"
)
