// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// DerivedMetric is a metric that is computed from other metrics.
type DerivedMetric struct {
	// name is the name by which objectives, constraints and gates refer to the
	// metric.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([_A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// expression is a CEL expression that yields a number for each simulation. The
	// names of metrics are its variables, such as cost / throughput.requests; a
	// metric with a selector is written metric("ttft.p99{class=critical}").
	// Durations are in seconds, shares from 0 to 1. If the expression divides by 0
	// or a metric has no value, the derived metric has no value.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Expression string `json:"expression,omitempty"`
}

// Operator says on which side of a bound a metric must be.
// +kubebuilder:validation:Enum=AtMost;AtLeast
type Operator string

const (
	// AtMost says that the bound is the greatest value.
	AtMost Operator = "AtMost"
	// AtLeast says that the bound is the least value.
	AtLeast Operator = "AtLeast"
)

// MetricBound is a value of a metric: a number, a percentage such as 99%, or a
// duration such as 500ms.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^-?[0-9]+([.][0-9]+)?(%|ns|us|ms|s|m|h)?$')",message="must be a number, a percentage such as 99%, or a duration such as 500ms"
type MetricBound string

// Percentage is a number with a percent sign, greater than 0, such as 5%.
//
// +kubebuilder:validation:MinLength=2
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?%$') && self.matches('[1-9]')",message="must be a percentage greater than 0, such as 5%"
type Percentage string

// RelativeChange is a change in percent, such as -1% or 5%.
//
// +kubebuilder:validation:MinLength=2
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^[-+]?[0-9]+([.][0-9]+)?%$')",message="must be a change in percent, such as -1% or 5%"
type RelativeChange string

// GateSubject selects the points of a sweep that a gate judges.
// +kubebuilder:validation:Enum=Best;Point;EveryOther
type GateSubject string

const (
	// GateOfBest selects the point that ranks first. If this is the baseline, the
	// sweep does not pass, because no better point exists.
	GateOfBest GateSubject = "Best"
	// GateOfPoint selects the point that field point names.
	GateOfPoint GateSubject = "Point"
	// GateOfEveryOther selects every point except the baseline: the claim must hold
	// at each.
	GateOfEveryOther GateSubject = "EveryOther"
)

// ModelErrorUse says what the error of the model does to a gate.
// +kubebuilder:validation:Enum=Include;Ignore
type ModelErrorUse string

const (
	// IncludeModelError makes a verdict Unknown that the error could turn.
	IncludeModelError ModelErrorUse = "Include"
	// IgnoreModelError judges the simulation.
	IgnoreModelError ModelErrorUse = "Ignore"
)

// Gate is a claim about a metric. It passes if the claim holds with at least the
// given confidence, and fails if the claim is false with at least that
// confidence. Otherwise the evidence is not sufficient.
//
// +kubebuilder:validation:ExactlyOneOf=value;versusBaseline
// +kubebuilder:validation:XValidation:rule="has(self.point) == (has(self.subject) && self.subject == 'Point')",message="point goes with subject Point, which needs it",fieldPath=".point"
type Gate struct {
	// name identifies the gate.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// metric is a name and a statistic, such as ttft.p99{class=critical}, or one
	// of spec.metrics.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// subject selects the points that the claim is about: Best, the point that ranks
	// first; Point, the point that field point names; EveryOther, every point except
	// the baseline. It is derived: the proposal in a sweep with a proposal, each step of
	// a rollout, Best in any other sweep.
	// +optional
	Subject GateSubject `json:"subject,omitempty"`
	// point is the point that the claim is about, given by the values of its
	// parameters, as in baseline. The search must simulate this point.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Point []Assignment `json:"point,omitempty"`
	// operator says on which side of the bound the metric's mean over the seeds
	// must be.
	// +required
	Operator Operator `json:"operator,omitempty"`
	// value is the bound: a number, a percentage such as 99%, or a duration such
	// as 500ms.
	// +optional
	Value MetricBound `json:"value,omitempty"`
	// versusBaseline is the bound of the relative change from the baseline. For a
	// metric of which more is better, AtLeast with -1% means: at most 1 % worse than
	// the baseline.
	// +optional
	VersusBaseline RelativeChange `json:"versusBaseline,omitempty"`
	// confidence is that with which the claim must hold, or not, such as "0.95".
	// +required
	Confidence Fraction `json:"confidence,omitempty"`
	// modelError Include makes the verdict Unknown if the error that such predictions
	// had on measured engines could turn it. It needs a metric of ttft, tpot, itl or e2e.
	// +optional
	// +kubebuilder:default=Ignore
	ModelError ModelErrorUse `json:"modelError,omitempty"`
}

// RunGate is a [Gate] of a run, which has no baseline.
type RunGate struct {
	// name identifies the gate.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// metric is a name and a statistic, such as ttft.p99{class=critical}, or one
	// of spec.metrics.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// operator says on which side of the value the metric's mean over the seeds
	// must be.
	// +required
	Operator Operator `json:"operator,omitempty"`
	// value is a number, a percentage such as 99%, or a duration such as 500ms.
	// +required
	Value MetricBound `json:"value,omitempty"`
	// confidence is that with which the claim must hold, or not, such as "0.95".
	// +required
	Confidence Fraction `json:"confidence,omitempty"`
	// modelError Include makes the verdict Unknown if the error that such predictions
	// had on measured engines could turn it. It needs a metric of ttft, tpot, itl or e2e.
	// +optional
	// +kubebuilder:default=Ignore
	ModelError ModelErrorUse `json:"modelError,omitempty"`
}

// Gate returns the gate of a run in the form that a sweep's have.
func (g RunGate) Gate() Gate {
	return Gate{Name: g.Name, Metric: g.Metric, Operator: g.Operator, Value: g.Value, Confidence: g.Confidence, ModelError: g.ModelError}
}

// GateOutcome is what came of a gate.
type GateOutcome string

const (
	// GatePass says that the claim holds.
	GatePass GateOutcome = "Pass"
	// GateFail says that the claim does not hold.
	GateFail GateOutcome = "Fail"
	// GateUnknown says that the evidence is not sufficient.
	GateUnknown GateOutcome = "Unknown"
	// GateNotJudged says that the gate compares the best point with the baseline,
	// and both are the same.
	GateNotJudged GateOutcome = "NotJudged"
)

// GateStatus is what came of a gate, with a message.
type GateStatus struct {
	// name is the name of the gate.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// verdict is Pass, Fail, Unknown or NotJudged.
	// +required
	Verdict GateOutcome `json:"verdict"`
	// message explains the verdict with figures.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}
