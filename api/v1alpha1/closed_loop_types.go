// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ClosedLoop is a fixed number of users. Each user sends a request, waits until the
// request ends, thinks, and sends the next request. The rate follows from how fast the
// cluster answers.
type ClosedLoop struct {
	// concurrency is the number of users of the client, or of each copy. At most that
	// many of its requests are in flight, unless sessions have branches.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Concurrency int32 `json:"concurrency,omitempty"`
	// thinkTime is the time from the end of a user's request to the user's next
	// request. Without it, users do not think.
	// +optional
	ThinkTime *Durations `json:"thinkTime,omitempty"`
	// turnaround is the mean of the exponential time that the network and the client take
	// from an answer to the next request, in addition to thinkTime. Users who would stay in step
	// also pause once, after their first answer; with 0s they stay in step. It is
	// derived: 2ms, or 0s with think times that vary.
	// +optional
	Turnaround *Duration `json:"turnaround,omitempty"`
	// rampUp is the time over which the users send their first requests, at equal
	// distances. With 0s all users begin at once.
	// +optional
	// +kubebuilder:default="0s"
	RampUp Duration `json:"rampUp,omitempty"`
}

// DurationDistribution names a distribution of durations.
// +kubebuilder:validation:Enum=Constant;Uniform;Exponential;LogNormal
type DurationDistribution string

// The distributions of durations.
const (
	// ConstantDurations always has the mean.
	ConstantDurations DurationDistribution = "Constant"
	// UniformDurations has equal probabilities from min to max.
	UniformDurations DurationDistribution = "Uniform"
	// ExponentialDurations falls from 0 on: its standard deviation is its mean.
	ExponentialDurations DurationDistribution = "Exponential"
	// LogNormalDurations has a normal logarithm, so it has a long tail.
	LogNormalDurations DurationDistribution = "LogNormal"
)

// Durations is a distribution of durations, clamped to min and max.
//
// +kubebuilder:validation:XValidation:rule="self.distribution == 'Uniform' ? !has(self.mean) && has(self.max) : has(self.mean)",message="mean must be set, except for Uniform durations, which take min and max",fieldPath=".mean"
// +kubebuilder:validation:XValidation:rule="(self.distribution == 'LogNormal') == has(self.stdDev)",message="stdDev must be set exactly when the durations are LogNormal",fieldPath=".stdDev"
// +kubebuilder:validation:XValidation:rule="!has(self.max) || duration(self.min) <= duration(self.max)",message="min must not be longer than max",fieldPath=".min"
type Durations struct {
	// distribution is the shape.
	// +optional
	// +kubebuilder:default=Constant
	Distribution DurationDistribution `json:"distribution,omitempty"`
	// mean is the mean before clamping.
	// +optional
	Mean *Duration `json:"mean,omitempty"`
	// stdDev is the standard deviation before clamping.
	// +optional
	StdDev PositiveDuration `json:"stdDev,omitempty"`
	// min is the shortest duration.
	// +optional
	// +kubebuilder:default="0s"
	Min Duration `json:"min,omitempty"`
	// max is the longest duration.
	// +optional
	Max *Duration `json:"max,omitempty"`
}
