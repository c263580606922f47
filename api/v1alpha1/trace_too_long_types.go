// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// TooLong says what happens to rows of a trace that are too long.
type TooLong struct {
	// maxTokens is the greatest number of tokens of a prompt and its answer together.
	// +required
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=20000000
	MaxTokens int32 `json:"maxTokens,omitempty"`
	// action says what happens to rows that have more tokens. Results count them.
	// +required
	Action TooLongAction `json:"action,omitempty"`
}

// TooLongAction is what happens to a row that is too long.
// +kubebuilder:validation:Enum=Clip;Refuse;Skip
type TooLongAction string

const (
	// ClipTooLong removes the end of the prompt. An answer that is too long by itself is
	// shortened too, and its prompt has 1 token.
	ClipTooLong TooLongAction = "Clip"
	// RefuseTooLong makes the row an error, and there is no trace.
	RefuseTooLong TooLongAction = "Refuse"
	// SkipTooLong leaves out the row and the rows that wait for its end.
	SkipTooLong TooLongAction = "Skip"
)

// ZeroOutputAction is what happens to a row with an answer of 0 tokens.
// +kubebuilder:validation:Enum=PrefillOnly;Refuse;Skip
type ZeroOutputAction string

const (
	// PrefillOnlyZeroOutput sends the row with an answer of 1 token, which is the least that an
	// engine makes of a prompt.
	PrefillOnlyZeroOutput ZeroOutputAction = "PrefillOnly"
	// RefuseZeroOutput makes the row an error, and there is no trace.
	RefuseZeroOutput ZeroOutputAction = "Refuse"
	// SkipZeroOutput leaves out the row and the rows that wait for its end.
	SkipZeroOutput ZeroOutputAction = "Skip"
)

// TraceLoop says what the prompts of a trace are when it begins again.
// +kubebuilder:validation:Enum=SamePrefixes;FreshPrefixes
type TraceLoop string

const (
	// LoopSamePrefixes repeats the recorded prefixes, which caches may still hold.
	LoopSamePrefixes TraceLoop = "SamePrefixes"
	// LoopFreshPrefixes gives each round prefixes of its own.
	LoopFreshPrefixes TraceLoop = "FreshPrefixes"
)
