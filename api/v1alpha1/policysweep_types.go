// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PolicySweepSpec asks which variation of a scenario serves best.
//
// +kubebuilder:validation:XValidation:rule="self.search.algorithm != 'Grid' || self.parameters.all(p, !has(p.range) || has(p.range.step))",message="a Grid needs the step of every range; set step, or use algorithm Random",fieldPath=".parameters"
// +kubebuilder:validation:XValidation:rule="!has(self.baseline) || (size(self.baseline.parameters) == size(self.parameters) && self.parameters.all(p, self.baseline.parameters.exists(b, b.name == p.name)))",message="baseline must give every parameter of the sweep a value, and no other",fieldPath=".baseline.parameters"
type PolicySweepSpec struct {
	// scenario is the base that the parameters vary.
	// +required
	Scenario Scenario `json:"scenario,omitzero"`
	// parameters are what varies.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Parameters []Parameter `json:"parameters,omitempty"`
	// search chooses the points to simulate.
	// +optional
	// +kubebuilder:default={}
	Search Search `json:"search,omitzero"`
	// replications are the seeds, the same for every point.
	// +optional
	// +kubebuilder:default={}
	Replications Replications `json:"replications,omitzero"`
	// objectives rank the points, the first one first.
	// +required
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Objectives []Objective `json:"objectives,omitempty"`
	// baseline is the point that the others are compared with.
	// +optional
	Baseline *Baseline `json:"baseline,omitempty"`
	// execution says how Kubernetes runs it.
	// +optional
	// +kubebuilder:default={}
	Execution Execution `json:"execution,omitzero"`
}

// Parameter is a place in the scenario and the values to try there.
//
// +kubebuilder:validation:ExactlyOneOf=range;values;profiles
// +kubebuilder:validation:XValidation:rule="!has(self.profiles) || self.path == 'router.endpointPickerConfig'",message="with profiles, path must be router.endpointPickerConfig"
type Parameter struct {
	// name identifies the parameter in results.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([-_A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// path leads into the scenario: field names joined by dots, list entries
	// by their name in brackets. Beneath router.endpointPickerConfig it steps
	// into the configuration as the EPP sees it, with defaults filled in, such
	// as router.endpointPickerConfig.schedulingProfiles[default].plugins[queue-scorer].weight.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`
	// range is an interval of numbers.
	// +optional
	Range *Range `json:"range,omitempty"`
	// values are listed, each as a string.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=256
	Values []string `json:"values,omitempty"`
	// profiles are whole EPP configurations, tried in place of the base's.
	// The path must be router.endpointPickerConfig.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Profiles []Profile `json:"profiles,omitempty"`
}

// RangeScale says how random points spread over a range.
// +kubebuilder:validation:Enum=Linear;Log
type RangeScale string

const (
	// LinearScale spreads points evenly.
	LinearScale RangeScale = "Linear"
	// LogScale spreads their logarithms evenly.
	LogScale RangeScale = "Log"
)

// Range is an interval of numbers, ends included.
//
// +kubebuilder:validation:XValidation:rule="!self.min.matches('^-?[0-9]+([.][0-9]+)?$') || !self.max.matches('^-?[0-9]+([.][0-9]+)?$') || double(self.min) <= double(self.max)",message="min must not be greater than max"
// +kubebuilder:validation:XValidation:rule="self.scale != 'Log' || self.min.matches('^[0-9.]*[1-9][0-9.]*$')",message="min must be greater than 0 when scale is Log"
type Range struct {
	// min is the least value.
	// +required
	Min Decimal `json:"min,omitempty"`
	// max is the greatest value.
	// +required
	Max Decimal `json:"max,omitempty"`
	// step is the distance of neighbouring values. A Grid needs one.
	// +optional
	Step PositiveDecimal `json:"step,omitempty"`
	// scale says how Random points spread.
	// +optional
	// +kubebuilder:default=Linear
	Scale RangeScale `json:"scale,omitempty"`
}

// Profile is a named EPP configuration.
type Profile struct {
	// name identifies the profile in results.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// endpointPickerConfig is the configuration.
	// +required
	EndpointPickerConfig EndpointPickerConfig `json:"endpointPickerConfig,omitzero"`
}

// SearchAlgorithm names a way to choose points.
// +kubebuilder:validation:Enum=Grid;Random
type SearchAlgorithm string

const (
	// GridSearch tries every combination.
	GridSearch SearchAlgorithm = "Grid"
	// RandomSearch draws combinations at random, each once.
	RandomSearch SearchAlgorithm = "Random"
)

// Search chooses the points to simulate.
type Search struct {
	// algorithm is the way to choose.
	// +optional
	// +kubebuilder:default=Grid
	Algorithm SearchAlgorithm `json:"algorithm,omitempty"`
	// maxTrials bounds the number of points. A Grid with more is refused;
	// Random draws so many.
	// +optional
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	MaxTrials int32 `json:"maxTrials,omitempty"`
	// seed is that of the random draws.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	Seed int64 `json:"seed,omitempty"`
}

// Direction says which way an objective improves.
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
	// metric is a name and a statistic, such as ttft.p99, and may select a
	// class, tenant or pool: ttft.p99{class=critical}.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
	// direction says which way it improves.
	// +required
	Direction Direction `json:"direction,omitempty"`
}

// Baseline is a point to compare with. It is simulated even where the search
// does not choose it.
type Baseline struct {
	// parameters give each parameter its value.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Parameters []Assignment `json:"parameters,omitempty"`
}

// Assignment is a parameter's value.
type Assignment struct {
	// name is the parameter's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
	// value is the value as a string, or a profile's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Value string `json:"value,omitempty"`
}

// PolicySweepStatus says how far the sweep is and what came out.
type PolicySweepStatus struct {
	CommonStatus `json:",inline"`
	// points is the number of points of this generation.
	// +optional
	Points int64 `json:"points,omitempty"`
	// best is the point that ranks first.
	// +optional
	Best *Candidate `json:"best,omitempty"`
	// baseline is the point compared with.
	// +optional
	Baseline *Candidate `json:"baseline,omitempty"`
	// paretoFront holds points that no other beats in every objective, best
	// first, at most 16.
	// +optional
	// +listType=map
	// +listMapKey=point
	// +kubebuilder:validation:MaxItems=16
	ParetoFront []Candidate `json:"paretoFront,omitempty"`
}

// Candidate is a point and its objectives' values.
type Candidate struct {
	// point is its number.
	// +required
	Point int64 `json:"point"`
	// parameters are its values.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Parameters []Assignment `json:"parameters,omitempty"`
	// objectives are its results.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=8
	Objectives []MetricValue `json:"objectives,omitempty"`
	// summary is the candidate in one line, for people.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Summary string `json:"summary,omitempty"`
}

// PolicySweep compares variations of a scenario.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sweep,categories=windtunnel
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.progress.completed`
// +kubebuilder:printcolumn:name="Of",type=integer,JSONPath=`.status.progress.total`
// +kubebuilder:printcolumn:name="Best",type=string,JSONPath=`.status.best.summary`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type PolicySweep struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what is asked for.
	// +required
	Spec PolicySweepSpec `json:"spec,omitzero"`
	// status is what came of it.
	// +optional
	Status PolicySweepStatus `json:"status,omitzero"`
}

// PolicySweepList is a list of PolicySweeps.
//
// +kubebuilder:object:root=true
type PolicySweepList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PolicySweep `json:"items"`
}
