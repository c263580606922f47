// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Policies are Windtunnel's native policies, which replace the EPP.
//
// +kubebuilder:validation:ExactlyOneOf=routing;bundle
type Policies struct {
	// routing chooses the replica of each request.
	// +optional
	Routing RoutingPolicy `json:"routing,omitzero"`
	// bundle is a PolicyBundle, as windtunnel's docs/bundles.md describes it.
	// +optional
	Bundle *ManifestSource `json:"bundle,omitempty"`
}

// GatewayPolicy is a policy of the gateway. windtunnel's docs/policy-reference.md lists the
// policies with their parameters.
type GatewayPolicy struct {
	// policy is the name of the policy, such as token-bucket.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Policy string `json:"policy,omitempty"`
	// parameters are those of the policy. One for a tenant or a class has its name after a
	// colon, such as rate:acme.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Parameters map[string]PolicyParameter `json:"parameters,omitempty"`
}

// RoutingPolicy chooses a replica. windtunnel's docs/policy-reference.md lists policies
// and scorers with their parameters.
//
// +kubebuilder:validation:XValidation:rule="(self.policy == 'weighted') == has(self.scorers)",message="scorers must be set exactly when policy is weighted",fieldPath=".scorers"
// +kubebuilder:validation:XValidation:rule="self.policy == 'weighted' || !has(self.weights)",message="weights may be set only when policy is weighted",fieldPath=".weights"
type RoutingPolicy struct {
	// policy is the name of the policy. weighted adds up the scores of scorers.
	// round-robin, power-of-two, sglang-cache-aware and other policies have no scorers.
	// +optional
	// +kubebuilder:default=weighted
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Policy string `json:"policy,omitempty"`
	// parameters are the parameters of the policy. docs/policy-reference.md lists their
	// defaults.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Parameters map[string]PolicyParameter `json:"parameters,omitempty"`
	// weights says how the policy uses the weights of scorers. With policy weighted
	// it is derived: AsGiven. With other policies it is not allowed.
	// +optional
	Weights Weights `json:"weights,omitempty"`
	// scorers are the terms of the sum of policy weighted.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Scorers []RoutingScorer `json:"scorers,omitempty"`
}

// Weights says how a weighted sum uses its weights.
// +kubebuilder:validation:Enum=AsGiven;Normalized
type Weights string

const (
	// WeightsAsGiven uses the weights unchanged, including 0 and negative ones, as
	// the EPP does.
	WeightsAsGiven Weights = "AsGiven"
	// NormalizedWeights divides the weights by their sum and rejects weights that
	// are not greater than 0.
	NormalizedWeights Weights = "Normalized"
)

// RoutingScorer is one term of a weighted sum.
type RoutingScorer struct {
	// name is the name of the scorer, such as prefix-affinity, queue-depth or
	// oracle-prefix.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
	// weight is the factor for the score.
	// +optional
	// +kubebuilder:default="1"
	Weight Decimal `json:"weight,omitempty"`
	// parameters are the parameters of the scorer. docs/policy-reference.md lists their
	// defaults.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Parameters map[string]PolicyParameter `json:"parameters,omitempty"`
}

// PolicyParameter is the value of a parameter: a number or a word.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=128
type PolicyParameter string
