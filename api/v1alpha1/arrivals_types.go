// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ArrivalProcess names a random process of arrivals.
// +kubebuilder:validation:Enum=Poisson;Constant;Gamma;Weibull;Pareto;MMPP;Periodic
type ArrivalProcess string

const (
	// PoissonArrivals have exponential gaps.
	PoissonArrivals ArrivalProcess = "Poisson"
	// ConstantArrivals have equal gaps.
	ConstantArrivals ArrivalProcess = "Constant"
	// GammaArrivals have gamma-distributed gaps with a given CV.
	GammaArrivals ArrivalProcess = "Gamma"
	// WeibullArrivals have Weibull-distributed gaps with a given CV.
	WeibullArrivals ArrivalProcess = "Weibull"
	// ParetoArrivals have Pareto-distributed gaps with a given shape.
	ParetoArrivals ArrivalProcess = "Pareto"
	// MMPPArrivals are Poisson arrivals whose rate depends on a random state.
	MMPPArrivals ArrivalProcess = "MMPP"
	// PeriodicArrivals have equal gaps with a jitter.
	PeriodicArrivals ArrivalProcess = "Periodic"
)

// Arrivals say when requests arrive.
//
// +kubebuilder:validation:ExactlyOneOf=rate;stages
// +kubebuilder:validation:XValidation:rule="(self.process in ['Gamma', 'Weibull']) == has(self.cv)",message="cv must be set exactly when process is Gamma or Weibull",fieldPath=".cv"
type Arrivals struct {
	// rate is the mean number of requests a second.
	// +optional
	Rate PositiveDecimal `json:"rate,omitempty"`
	// stages are consecutive rates without a pause between them. After the last stage
	// the client sends no requests.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Stages []RateStage `json:"stages,omitempty"`
	// profile is how the rate changes in time. Without it, rate is constant.
	// +optional
	Profile *LoadProfile `json:"profile,omitempty"`
	// process is the random process.
	// +optional
	// +kubebuilder:default=Poisson
	Process ArrivalProcess `json:"process,omitempty"`
	// cv is the coefficient of variation of the gaps of a Gamma or Weibull process:
	// above 1 is burstier than Poisson. Weibull takes 0.01 to 10.4.
	// +optional
	CV PositiveDecimal `json:"cv,omitempty"`
	// shape is the shape of the gaps of a Pareto process, greater than 1. With 2 or
	// less, their variance is infinite.
	// +optional
	Shape PositiveDecimal `json:"shape,omitempty"`
	// jitter is the width of the interval around its regular time in which a request of
	// a Periodic process arrives, as a share of the period from 0 to 1. Without it,
	// requests arrive at regular times.
	// +optional
	Jitter NonNegativeDecimal `json:"jitter,omitempty"`
	// sizeCorrelation is the rank correlation, from -1 to 1, between how dense arrivals are
	// and how long the prompts are that inputTokens gives: with "0.5", prompts are longer in
	// bursts. How dense arrivals are follows from the gap before a request, or from the
	// state of an MMPP process. The lengths keep their distribution. 0.97 is the greatest
	// correlation that is reached. Constant and Periodic arrivals do not take it.
	// +optional
	SizeCorrelation Decimal `json:"sizeCorrelation,omitempty"`
	// states are the states of an MMPP process in the order in which they follow each
	// other. The first one comes after the last one.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=8
	States []ArrivalState `json:"states,omitempty"`
}

// ArrivalState is a state of an MMPP process.
type ArrivalState struct {
	// rateFactor is the rate in this state relative to the other states. The mean rate
	// over all states is the rate of the arrivals.
	// +required
	RateFactor NonNegativeDecimal `json:"rateFactor,omitempty"`
	// meanDuration is the mean of the exponential duration of the state.
	// +required
	MeanDuration PositiveDuration `json:"meanDuration,omitempty"`
}

// RateStage is a rate for a time.
type RateStage struct {
	// rate is the mean number of requests a second; "0" is a pause.
	// +required
	Rate NonNegativeDecimal `json:"rate,omitempty"`
	// rampTo is the rate at the end of the stage, which the rate reaches in a straight
	// line. Without it, the rate is constant.
	// +optional
	RampTo NonNegativeDecimal `json:"rampTo,omitempty"`
	// duration is the duration of the stage.
	// +required
	Duration PositiveDuration `json:"duration,omitempty"`
}
