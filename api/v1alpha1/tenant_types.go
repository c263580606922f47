// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Tenant is a customer or a team that sends requests. Its fields take the place of those
// of all clients and traces that name it.
type Tenant struct {
	// name is the name by which clients and traces refer to the tenant, and which results
	// have.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// weight multiplies the rates of the tenant's clients, and the users of their closed
	// loops: "2" is twice the traffic. Between tenants with equal clients, it is the share
	// of the traffic. Traces keep their rates.
	// +optional
	Weight PositiveDecimal `json:"weight,omitempty"`
	// priority is the priority of the tenant's requests, those of traces too.
	// +optional
	// +kubebuilder:validation:Minimum=-1000000
	// +kubebuilder:validation:Maximum=1000000
	Priority *int32 `json:"priority,omitempty"`
	// class is the SLO class of the tenant's requests, those of traces too.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Class string `json:"class,omitempty"`
	// slo are latency targets of the tenant's requests, those of traces too. Each takes the
	// place of the same target of the requests' class.
	// +optional
	SLO *LatencyTargets `json:"slo,omitempty"`
	// archetype is what the traffic of the tenant's clients is like. Traces keep what they
	// recorded.
	// +optional
	Archetype *Archetype `json:"archetype,omitempty"`
}

// LatencyTargets are upper bounds of the latencies of a request.
//
// +kubebuilder:validation:AtLeastOneOf=ttft;tpot;e2e
type LatencyTargets struct {
	// ttft bounds the time to first token.
	// +optional
	TTFT PositiveDuration `json:"ttft,omitempty"`
	// tpot bounds the mean time per output token after the first.
	// +optional
	TPOT PositiveDuration `json:"tpot,omitempty"`
	// e2e bounds the time to the last token.
	// +optional
	E2E PositiveDuration `json:"e2e,omitempty"`
}

// Archetype are traits that the clients of a tenant have.
//
// +kubebuilder:validation:AtLeastOneOf=promptSize;prefixAffinity;burstCV;meanTurns
type Archetype struct {
	// promptSize takes the place of inputTokens: log-normal lengths with a mean of 200
	// tokens (Small), 1000 (Medium), 8000 (Large) or 64000 (Elephant) and a standard
	// deviation as great; that of Elephant is half as great, with at most 120000 tokens.
	// +optional
	PromptSize PromptSize `json:"promptSize,omitempty"`
	// prefixAffinity takes the place of prefix.groups.correlation: the probability, at most
	// 1, with which a request takes the favourite prefix of the tenant.
	// +optional
	PrefixAffinity NonNegativeDecimal `json:"prefixAffinity,omitempty"`
	// burstCV makes Poisson arrivals Weibull arrivals with this coefficient of variation of
	// the gaps, 0.01 to 10.4. Above 1 they are bursty.
	// +optional
	BurstCV PositiveDecimal `json:"burstCV,omitempty"`
	// meanTurns takes the place of sessions.turns: exponential numbers of turns with this
	// mean, at least 1.
	// +optional
	MeanTurns PositiveDecimal `json:"meanTurns,omitempty"`
}

// PromptSize is a word for the lengths of prompts.
// +kubebuilder:validation:Enum=Small;Medium;Large;Elephant
type PromptSize string

const (
	// SmallPrompts have a mean of 200 tokens.
	SmallPrompts PromptSize = "Small"
	// MediumPrompts have a mean of 1000 tokens.
	MediumPrompts PromptSize = "Medium"
	// LargePrompts have a mean of 8000 tokens.
	LargePrompts PromptSize = "Large"
	// ElephantPrompts have a mean of 64000 tokens.
	ElephantPrompts PromptSize = "Elephant"
)
