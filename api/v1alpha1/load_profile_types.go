// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// LoadShape is the shape of a load profile.
// +kubebuilder:validation:Enum=Constant;Diurnal;Drain;Ramp;Spike;Step
type LoadShape string

const (
	// ConstantLoad leaves the rate as it is.
	ConstantLoad LoadShape = "Constant"
	// DiurnalLoad makes the rate rise and fall as a cosine does.
	DiurnalLoad LoadShape = "Diurnal"
	// DrainLoad lets the rate fall to 0.
	DrainLoad LoadShape = "Drain"
	// RampLoad changes the rate in a straight line.
	RampLoad LoadShape = "Ramp"
	// SpikeLoad multiplies the rate for a while.
	SpikeLoad LoadShape = "Spike"
	// StepLoad multiplies the rate from a time on.
	StepLoad LoadShape = "Step"
)

// LoadProfile is how a rate changes in time. All its parts are straight lines.
type LoadProfile struct {
	// shape is the shape of the profile.
	// +required
	Shape LoadShape `json:"shape,omitempty"`
	// at is when the change begins; of Diurnal, when the rate has a peak. Without it, at
	// the start.
	// +optional
	At Duration `json:"at,omitempty"`
	// duration is how long a Ramp or a Drain takes, and how long a Spike lasts. A Drain
	// without it stops at once.
	// +optional
	Duration PositiveDuration `json:"duration,omitempty"`
	// factor is what a Step, a Ramp or a Spike multiplies the rate by.
	// +optional
	Factor NonNegativeDecimal `json:"factor,omitempty"`
	// recovery is how long the rate takes to return in a straight line after a Spike.
	// Without it, the rate returns at once.
	// +optional
	Recovery PositiveDuration `json:"recovery,omitempty"`
	// period is the period of a Diurnal profile.
	// +optional
	Period PositiveDuration `json:"period,omitempty"`
	// peakToTrough is the ratio of the greatest rate of a Diurnal profile to the least,
	// at least 1. The rate of the arrivals is the mean over a period.
	// +optional
	PeakToTrough PositiveDecimal `json:"peakToTrough,omitempty"`
}
