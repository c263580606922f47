// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// SessionContext says what of the previous turns the prompt of a turn contains.
// +kubebuilder:validation:Enum=Accumulate;Independent;Window;Condense
type SessionContext string

const (
	// AccumulateContext inserts the prompts and answers of all previous turns
	// between the prefix and the new part.
	AccumulateContext SessionContext = "Accumulate"
	// IndependentContext does not insert them.
	IndependentContext SessionContext = "Independent"
	// WindowContext inserts the latest turns, as many as fit into maxTokens.
	WindowContext SessionContext = "Window"
	// CondenseContext inserts a summary and the turns after it.
	CondenseContext SessionContext = "Condense"
)

// Condense says how a context is summarised. A summary is a new text that takes the
// place of all previous turns: a prompt behind it has only its prefix in common with the
// prompts before.
type Condense struct {
	// every is the number of tokens after the last summary. When the previous turns
	// have reached it, the next turn begins with a new summary.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Every int32 `json:"every,omitempty"`
	// exponent is the exponent e of a summary's length: n tokens of previous turns are
	// summarised in n to the power of e.
	// +required
	Exponent Fraction `json:"exponent,omitempty"`
}
