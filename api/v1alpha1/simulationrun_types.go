// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SimulationRunSpec asks for one scenario to be simulated.
type SimulationRunSpec struct {
	// scenario is what is simulated.
	// +required
	Scenario Scenario `json:"scenario,omitzero"`
	// replications are the seeds.
	// +optional
	// +kubebuilder:default={}
	Replications Replications `json:"replications,omitzero"`
	// metrics are further ones, made of those that there are.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Metrics []DerivedMetric `json:"metrics,omitempty"`
	// gates are claims about the run. They become condition Passed.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Gates []RunGate `json:"gates,omitempty"`
	// reuseFrom names other SimulationRuns of the namespace whose results serve
	// too where they are of the same simulations.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	ReuseFrom []string `json:"reuseFrom,omitempty"`
	// trace says what is kept of a simulation beside its results.
	// +optional
	// +kubebuilder:default={}
	Trace RunTrace `json:"trace,omitzero"`
	// execution says how Kubernetes runs it.
	// +optional
	// +kubebuilder:default={}
	Execution Execution `json:"execution,omitzero"`
}

// RunTrace says what is kept of a simulation beside its results, which it does
// not change.
//
// +kubebuilder:validation:XValidation:rule="self.level == 'Decisions' || !has(self.decisions)",message="decisions goes with level Decisions"
type RunTrace struct {
	// level is Minimal, which keeps nothing, or Decisions: routing decisions
	// with all that led to them, in the result ConfigMaps. The local verb writes
	// them with --trace, whatever the level.
	// +optional
	// +kubebuilder:default=Minimal
	Level TraceLevel `json:"level,omitempty"`
	// decisions is how many requests of each seed, from the first one on, have
	// their decisions kept. Those of later requests that are rejected are kept
	// too, all as far as they fit. Where it is not set it is 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Decisions *int32 `json:"decisions,omitempty"`
}

// TraceLevel says how much is kept.
// +kubebuilder:validation:Enum=Minimal;Decisions
type TraceLevel string

const (
	// MinimalTrace keeps nothing.
	MinimalTrace TraceLevel = "Minimal"
	// DecisionsTrace keeps routing decisions.
	DecisionsTrace TraceLevel = "Decisions"
)

// SimulationRunStatus says how far the run is and what came out.
type SimulationRunStatus struct {
	CommonStatus `json:",inline"`
	// metrics summarise the results; the rest is in the result ConfigMaps.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=64
	Metrics []MetricValue `json:"metrics,omitempty"`
}

// SimulationRun simulates one scenario.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=simrun,categories=windtunnel
// +kubebuilder:metadata:annotations="argocd.argoproj.io/sync-options=ServerSideApply=true"
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.progress.completed`
// +kubebuilder:printcolumn:name="Underway",type=integer,JSONPath=`.status.progress.underway`
// +kubebuilder:printcolumn:name="Of",type=integer,JSONPath=`.status.progress.total`
// +kubebuilder:printcolumn:name="Passed",type=string,JSONPath=`.status.conditions[?(@.type=="Passed")].status`
// +kubebuilder:printcolumn:name="TTFT p99",type=string,JSONPath=`.status.metrics[?(@.metric=="ttft.p99")].mean`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type SimulationRun struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what is asked for.
	// +required
	Spec SimulationRunSpec `json:"spec,omitzero"`
	// status is what came of it.
	// +optional
	Status SimulationRunStatus `json:"status,omitzero"`
}

// SimulationRunList is a list of SimulationRuns.
//
// +kubebuilder:object:root=true
type SimulationRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SimulationRun `json:"items"`
}
