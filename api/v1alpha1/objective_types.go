// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Direction says in which direction an objective improves.
// +kubebuilder:validation:Enum=Maximize;Minimize
type Direction string

const (
	// Maximize says that more is better.
	Maximize Direction = "Maximize"
	// Minimize says that less is better.
	Minimize Direction = "Minimize"
)

// Objective is a metric to improve.
type Objective struct {
	// metric is the name and statistic of a metric, such as ttft.p99, or one of
	// spec.metrics. It may select a class, tenant, pool, model or workload:
	// ttft.p99{class=critical}.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// direction says in which direction the metric improves.
	// +required
	Direction Direction `json:"direction,omitempty"`
}

// Constraint bounds a metric's mean over the seeds.
type Constraint struct {
	// metric is a metric, in the form of an objective's metric.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// operator says on which side of the value the metric must be.
	// +required
	Operator Operator `json:"operator,omitempty"`
	// value is a number, a percentage such as 99%, or a duration such as 500ms.
	// +required
	Value MetricBound `json:"value,omitempty"`
}
