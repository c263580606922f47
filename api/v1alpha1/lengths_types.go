// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// LengthDistribution names a distribution of token counts.
// +kubebuilder:validation:Enum=Constant;Uniform;Normal;Exponential;LogNormal;Gamma;Pareto;Zipf;Mixture;Histogram
type LengthDistribution string

// The distributions of token counts.
const (
	// ConstantLengths always has the mean.
	ConstantLengths LengthDistribution = "Constant"
	// UniformLengths has equal probabilities from min to max.
	UniformLengths LengthDistribution = "Uniform"
	// NormalLengths has a bell shape around the mean.
	NormalLengths LengthDistribution = "Normal"
	// ExponentialLengths falls from 0 on: its standard deviation is its mean.
	ExponentialLengths LengthDistribution = "Exponential"
	// LogNormalLengths has a normal logarithm, so it has a long tail.
	LogNormalLengths LengthDistribution = "LogNormal"
	// GammaLengths has a shorter tail than a log-normal one of the same moments.
	GammaLengths LengthDistribution = "Gamma"
	// ParetoLengths has a tail that falls as a power of the length.
	ParetoLengths LengthDistribution = "Pareto"
	// ZipfLengths gives each length a probability by a power of its size.
	ZipfLengths LengthDistribution = "Zipf"
	// MixtureLengths draws each length from one of components.
	MixtureLengths LengthDistribution = "Mixture"
	// HistogramLengths draws lengths by their weights in histogram.
	HistogramLengths LengthDistribution = "Histogram"
)

// Lengths is a distribution of token counts, rounded and clamped to min and
// max.
//
// +kubebuilder:validation:XValidation:rule="self.distribution in ['Uniform', 'Zipf'] ? !has(self.mean) && has(self.max) : has(self.mean) != (self.distribution in ['Mixture', 'Histogram'])",message="mean must be set, except for Uniform and Zipf, which take min and max, and for Mixture and Histogram",fieldPath=".mean"
// +kubebuilder:validation:XValidation:rule="(self.distribution in ['Normal', 'LogNormal', 'Gamma']) == has(self.stdDev)",message="stdDev must be set exactly when distribution is Normal, LogNormal or Gamma",fieldPath=".stdDev"
// +kubebuilder:validation:XValidation:rule="!has(self.max) || self.min <= self.max",message="min must not be greater than max",fieldPath=".min"
type Lengths struct {
	// distribution is the shape.
	// +optional
	// +kubebuilder:default=Constant
	Distribution LengthDistribution `json:"distribution,omitempty"`
	// mean is the mean before clamping, in tokens.
	// +optional
	Mean PositiveDecimal `json:"mean,omitempty"`
	// stdDev is the standard deviation before clamping, in tokens.
	// +optional
	StdDev PositiveDecimal `json:"stdDev,omitempty"`
	// min is the least length, in tokens.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Min int32 `json:"min,omitempty"`
	// max is the greatest length, in tokens.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Max *int32 `json:"max,omitempty"`
	// shape is the shape of a Pareto distribution, greater than 1. With 2 or less, the
	// variance is infinite before clamping.
	// +optional
	Shape PositiveDecimal `json:"shape,omitempty"`
	// exponent is the exponent s of a Zipf distribution, from 0 to 10: the length k from
	// min to max has a probability in proportion to k^-s.
	// +optional
	Exponent NonNegativeDecimal `json:"exponent,omitempty"`
	// components are the distributions of a Mixture. Each length comes from one of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Components []LengthComponent `json:"components,omitempty"`
	// histogram are the lengths of a Histogram.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	Histogram []WeightedLength `json:"histogram,omitempty"`
}

// ComponentDistribution names a distribution of lengths that has a mean.
// +kubebuilder:validation:Enum=Constant;Normal;Exponential;LogNormal;Gamma;Pareto
type ComponentDistribution string

// LengthComponent is a distribution of a mixture.
type LengthComponent struct {
	// weight is how often a length comes from this component, relative to the others.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Weight int32 `json:"weight,omitempty"`
	// distribution is the shape.
	// +required
	Distribution ComponentDistribution `json:"distribution,omitempty"`
	// mean is the mean before clamping, in tokens.
	// +required
	Mean PositiveDecimal `json:"mean,omitempty"`
	// stdDev is the standard deviation of a Normal, LogNormal or Gamma distribution
	// before clamping, in tokens.
	// +optional
	StdDev PositiveDecimal `json:"stdDev,omitempty"`
	// shape is the shape of a Pareto distribution, greater than 1.
	// +optional
	Shape PositiveDecimal `json:"shape,omitempty"`
}

// WeightedLength is a length of a histogram.
type WeightedLength struct {
	// tokens is the length.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Tokens int32 `json:"tokens,omitempty"`
	// weight is how often the length occurs, relative to the others.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Weight int32 `json:"weight,omitempty"`
}
