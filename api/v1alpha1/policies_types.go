// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Policies are Windtunnel's own, for what no EPP's configuration says.
type Policies struct {
	// routing chooses the replica of each request.
	// +required
	Routing RoutingPolicy `json:"routing,omitzero"`
}

// RoutingPolicy chooses a replica. windtunnel's docs/policies.md lists policies
// and scorers with their parameters.
//
// +kubebuilder:validation:XValidation:rule="(self.policy == 'weighted') == has(self.scorers)",message="scorers must be set exactly when policy is weighted"
// +kubebuilder:validation:XValidation:rule="self.policy == 'weighted' || !has(self.weights)",message="weights may be set only when policy is weighted"
type RoutingPolicy struct {
	// policy names it: weighted adds up scorers, random, round-robin,
	// least-loaded and others need none.
	// +optional
	// +kubebuilder:default=weighted
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Policy string `json:"policy,omitempty"`
	// parameters are the policy's own; most have none.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Parameters map[string]PolicyParameter `json:"parameters,omitempty"`
	// weights says what is made of weights. Where it is not set they are taken
	// AsGiven.
	// +optional
	Weights Weights `json:"weights,omitempty"`
	// scorers are what weighted adds up.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Scorers []RoutingScorer `json:"scorers,omitempty"`
}

// Weights says what a weighted sum makes of its weights.
// +kubebuilder:validation:Enum=AsGiven;Normalized
type Weights string

const (
	// WeightsAsGiven takes them as they are, 0 and negative ones too, as the EPP
	// does.
	WeightsAsGiven Weights = "AsGiven"
	// NormalizedWeights divides them by their sum and refuses those that are not
	// greater than 0.
	NormalizedWeights Weights = "Normalized"
)

// RoutingScorer is one term of a weighted sum.
type RoutingScorer struct {
	// name names the scorer, such as prefix-affinity, queue-depth or
	// oracle-prefix.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
	// weight is what a score of 1 counts.
	// +optional
	// +kubebuilder:default="1"
	Weight Decimal `json:"weight,omitempty"`
	// parameters are the scorer's own; what is not set has its default.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Parameters map[string]PolicyParameter `json:"parameters,omitempty"`
}

// PolicyParameter is the value of a parameter: a number, or a word.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=128
type PolicyParameter string
