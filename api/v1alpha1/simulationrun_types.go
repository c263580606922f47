// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// SimulationRunSpec asks for one scenario to be simulated.
type SimulationRunSpec struct {
	// scenario is the scenario to simulate.
	// +required
	Scenario Scenario `json:"scenario,omitzero"`
	// replications are the seeds.
	// +optional
	// +kubebuilder:default={}
	Replications Replications `json:"replications,omitzero"`
	// gates are claims about the run. Condition Passed shows their verdict.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Gates []RunGate `json:"gates,omitempty"`
	// metrics are additional metrics, computed from the built-in ones.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Metrics []DerivedMetric `json:"metrics,omitempty"`
	// trace selects the data of a simulation that is kept in addition to its results.
	// +optional
	// +kubebuilder:default={}
	Trace RunTrace `json:"trace,omitzero"`
	// execution says how Kubernetes runs the simulations.
	// +optional
	// +kubebuilder:default={}
	Execution RunExecution `json:"execution,omitzero"`
	// reuseFrom lists other SimulationRuns of the namespace. The operator reuses their
	// results for simulations that are the same.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	ReuseFrom []string `json:"reuseFrom,omitempty"`
}

// RunExecution says how Kubernetes runs the simulations of a SimulationRun.
type RunExecution struct {
	Execution `json:",inline"`
	// live measures a real EPP before simulated replicas.
	// +optional
	Live *LiveExecution `json:"live,omitempty"`
}

// LiveExecution is the EPP that a live run measures, with the EndpointPickerConfig of the
// scenario's router.
type LiveExecution struct {
	// image is that of llm-d-router v0.9.0 or later.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`
	// args are more flags.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Args []string `json:"args,omitempty"`
}

// RunTrace selects the data of a simulation that is kept in addition to its
// results. It does not change the results, but for metrics that count anomalies.
//
// +kubebuilder:validation:XValidation:rule="self.level != 'Minimal' || !has(self.decisions)",message="decisions goes with level Decisions or Full",fieldPath=".decisions"
// +kubebuilder:validation:XValidation:rule="self.level != 'Minimal' || !has(self.sample)",message="sample goes with level Decisions or Full",fieldPath=".sample"
// +kubebuilder:validation:XValidation:rule="!has(self.anomalies) || !has(self.thresholds)",message="must not be set together with thresholds, which replaces it",fieldPath=".anomalies"
type RunTrace struct {
	// level is the amount of data. Minimal keeps none. Decisions keeps routing
	// decisions with their inputs in the result ConfigMaps. Full also keeps what the
	// policies before the router said of these requests, their preemptions, hand-overs and
	// KV transfers, and what scalers decided; steps of engines are too many. The local command writes
	// traces with --trace, at any level, with no bounds, and with the steps of engines.
	// +optional
	// +kubebuilder:default=Minimal
	Level TraceLevel `json:"level,omitempty"`
	// decisions is the number of requests of each seed, starting with the first, that
	// are kept. Decisions on later requests that are rejected are kept too, as far as
	// they fit. With level Decisions or Full it is derived: 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Decisions *int32 `json:"decisions,omitempty"`
	// sample keeps about this share of the requests in place of the first ones, up to
	// decisions of them. A hash of the seed and the number of the request decides. Requests that a rule on
	// anomalies counts when they end are kept, too.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	Sample PositiveDecimal `json:"sample,omitempty"`
	// thresholds are those of the rules on anomalies, for `run --reflect`, for metrics that
	// count anomalies, and for sample. Without them, they are those of Standard.
	// +optional
	Thresholds *AnomalyThresholds `json:"thresholds,omitempty"`
	// anomalies are thresholds by their names. It is deprecated: use thresholds.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Anomalies map[string]intstr.IntOrString `json:"anomalies,omitempty"` //nolint:kubeapilinter // manifests of earlier releases have it so
	// series keeps time series and distributions of the run in the result ConfigMaps, at
	// any level. The local command writes them with --series.
	// +optional
	Series *SeriesTrace `json:"series,omitempty"`
}

// SeriesTrace asks for time series. {} asks for series of the derived size.
type SeriesTrace struct {
	// bins is the largest number of bins of time. A run has more than half as many if it
	// lasts for at least 16 ms per bin, unless its result ConfigMap lacks the space. It is
	// derived: 600.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=600
	Bins *int32 `json:"bins,omitempty"`
}

// TraceLevel is the amount of data that is kept.
// +kubebuilder:validation:Enum=Minimal;Decisions;Full
type TraceLevel string

const (
	// MinimalTrace keeps nothing.
	MinimalTrace TraceLevel = "Minimal"
	// DecisionsTrace keeps routing decisions.
	DecisionsTrace TraceLevel = "Decisions"
	// FullTrace keeps other records, too.
	FullTrace TraceLevel = "Full"
)

// SimulationRunStatus is the progress and the results of a run.
type SimulationRunStatus struct {
	CommonStatus `json:",inline"`
	// metrics summarise the results. The result ConfigMaps hold all metrics.
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
// +kubebuilder:printcolumn:name="Undelivered",type=integer,JSONPath=`.status.progress.underway`
// +kubebuilder:printcolumn:name="Of",type=integer,JSONPath=`.status.progress.total`
// +kubebuilder:printcolumn:name="Passed",type=string,JSONPath=`.status.conditions[?(@.type=="Passed")].status`
// +kubebuilder:printcolumn:name="TTFT p99",type=string,JSONPath=`.status.metrics[?(@.metric=="ttft.p99")].mean`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type SimulationRun struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the requested simulation.
	// +required
	Spec SimulationRunSpec `json:"spec,omitzero"`
	// status is the progress and the results.
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
