// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// AmountDistribution names a distribution of amounts.
// +kubebuilder:validation:Enum=Constant;Uniform;Normal;Exponential;LogNormal
type AmountDistribution string

// The distributions of amounts.
const (
	// ConstantAmounts always has the mean.
	ConstantAmounts AmountDistribution = "Constant"
	// UniformAmounts has equal probabilities from min to max.
	UniformAmounts AmountDistribution = "Uniform"
	// NormalAmounts has a bell shape around the mean.
	NormalAmounts AmountDistribution = "Normal"
	// ExponentialAmounts falls from 0 on: its standard deviation is its mean.
	ExponentialAmounts AmountDistribution = "Exponential"
	// LogNormalAmounts has a normal logarithm, so it has a long tail.
	LogNormalAmounts AmountDistribution = "LogNormal"
)

// Amounts is a distribution of whole numbers from 1, rounded and clamped to min and max.
// It is Lengths with fewer shapes.
//
// +structType=atomic
type Amounts struct {
	// distribution is the shape. Uniform takes min and max, the others mean; Normal and
	// LogNormal also take stdDev.
	// +optional
	// +kubebuilder:default=Constant
	Distribution AmountDistribution `json:"distribution,omitempty"`
	// mean is the mean before clamping.
	// +optional
	Mean PositiveDecimal `json:"mean,omitempty"`
	// stdDev is the standard deviation before clamping.
	// +optional
	StdDev PositiveDecimal `json:"stdDev,omitempty"`
	// min is the least number.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Min int32 `json:"min,omitempty"`
	// max is the greatest number.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Max *int32 `json:"max,omitempty"`
}
