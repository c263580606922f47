// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Speculation is speculative decoding: a step verifies drafts of the next tokens of each
// request that decodes. docs/speculation.md of windtunnel says how.
//
// +kubebuilder:validation:XValidation:rule="size(self.acceptance) == self.tokens",message="must have one share for each of tokens",fieldPath=".acceptance"
// +kubebuilder:validation:XValidation:rule="self.method != 'NGram' || !has(self.draftMicroseconds)",message="NGram has no draft model: set searchMicroseconds",fieldPath=".draftMicroseconds"
// +kubebuilder:validation:XValidation:rule="self.method == 'NGram' || !has(self.searchMicroseconds)",message="goes with method NGram",fieldPath=".searchMicroseconds"
type Speculation struct {
	// method is where drafts come from: NGram searches them in the prompt and the answer
	// (vLLM's ngram), EAGLE and MTP compute them in a draft model of one layer (vLLM's
	// eagle, eagle3 and mtp).
	// +required
	Method SpeculationMethod `json:"method"`
	// tokens is the number of draft tokens in a step (vLLM's num_speculative_tokens).
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Tokens int32 `json:"tokens"`
	// acceptance is the share of drafts whose token is accepted, by its position: the
	// ratio of vllm:spec_decode_num_accepted_tokens_per_pos to
	// vllm:spec_decode_num_drafts. No share is greater than the one before it.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Acceptance []NonNegativeDecimal `json:"acceptance"`
	// draftMicroseconds is the duration of one pass of the draft model, which drafts one
	// token for each request. It is derived: a roofline of one layer of the model and the
	// LM head.
	// +optional
	DraftMicroseconds Microseconds `json:"draftMicroseconds,omitempty"`
	// searchMicroseconds is the CPU time of the search for each request in a step. It is
	// derived: 0.
	// +optional
	SearchMicroseconds Microseconds `json:"searchMicroseconds,omitempty"`
}

// SpeculationMethod names where drafts come from.
// +kubebuilder:validation:Enum=NGram;EAGLE;MTP
type SpeculationMethod string

const (
	// NGramSpeculation repeats what followed the last tokens before.
	NGramSpeculation SpeculationMethod = "NGram"
	// EAGLESpeculation drafts with a layer that was trained for it.
	EAGLESpeculation SpeculationMethod = "EAGLE"
	// MTPSpeculation drafts with the model's own layer for the tokens after the next.
	MTPSpeculation SpeculationMethod = "MTP"
)
