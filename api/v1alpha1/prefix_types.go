// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Prefix is a shared beginning of prompts, such as a system prompt.
type Prefix struct {
	// group is the name of the prefix. Clients with the same group share it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Group string `json:"group,omitempty"`
	// tokens is the length of the prefix.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Tokens int32 `json:"tokens,omitempty"`
	// groups make the client take one of several prefixes for each request, or for each
	// conversation. Without them, it has one prefix.
	// +optional
	Groups *PrefixGroups `json:"groups,omitempty"`
	// examples are few-shot examples between the prefix and the rest of a prompt. Those
	// of a conversation stay the same.
	// +optional
	Examples *Examples `json:"examples,omitempty"`
}

// PrefixGroups are prefixes of one length, of which some are more popular than others.
// Clients with the same group share them.
type PrefixGroups struct {
	// count is the number of prefixes.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Count int32 `json:"count,omitempty"`
	// zipfExponent is the exponent s, at most 10, of their popularity: the prefix of
	// rank k is chosen in proportion to k to the power of -s. "0" makes all equally
	// popular.
	// +optional
	// +kubebuilder:default="0"
	ZipfExponent NonNegativeDecimal `json:"zipfExponent,omitempty"`
	// driftPeriod is the time after which the most popular prefix becomes the least
	// popular one, and each other moves up by one rank. Without it, ranks stay.
	// +optional
	DriftPeriod PositiveDuration `json:"driftPeriod,omitempty"`
	// correlation is the probability, at most 1, with which a request takes the favourite
	// prefix of its tenant, which is drawn once by popularity: "0" draws each request's
	// prefix independently, "1" gives a tenant's requests always the same.
	// +optional
	// +kubebuilder:default="0"
	Correlation NonNegativeDecimal `json:"correlation,omitempty"`
}

// Examples are few-shot examples. Each is a text of its own, and clients with the same
// prefix group share them.
type Examples struct {
	// pool is the number of different examples.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Pool int32 `json:"pool,omitempty"`
	// count is the number of examples of a prompt, at most 64. No example is in a prompt
	// twice.
	// +required
	Count Amounts `json:"count,omitzero"`
	// tokens is the length of an example, which is drawn once.
	// +required
	Tokens Amounts `json:"tokens,omitzero"`
	// order is the order of a prompt's examples. Prompts share only the examples that
	// both begin with.
	// +optional
	// +kubebuilder:default=Random
	Order ExampleOrder `json:"order,omitempty"`
}

// ExampleOrder is the order of the examples of a prompt.
// +kubebuilder:validation:Enum=Random;Sorted
type ExampleOrder string

const (
	// RandomExamples come in random order.
	RandomExamples ExampleOrder = "Random"
	// SortedExamples come in the order of the pool.
	SortedExamples ExampleOrder = "Sorted"
)
