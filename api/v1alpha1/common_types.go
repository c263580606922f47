// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Replications are the seeds under which a scenario is simulated: a count
// from a first seed, or a list. Every candidate of a sweep sees the same.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.seeds) && (has(self.seed) || has(self.count)))",message="seeds excludes seed and count"
type Replications struct {
	// seed is the first seed. Where nothing is set it is 42.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`
	// count is the number of seeds from the first one on. Where nothing is set
	// it is 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Count *int32 `json:"count,omitempty"`
	// seeds lists the seeds.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	// +kubebuilder:validation:items:Minimum=0
	Seeds []int64 `json:"seeds,omitempty"`
}

// Execution says how Kubernetes runs the simulation. It never changes a
// result. The local verbs ignore it.
type Execution struct {
	// suspend holds the Job back, or stops it.
	// +optional
	// +kubebuilder:default=false
	Suspend bool `json:"suspend,omitempty"` //nolint:kubeapilinter // as in batch/v1, so that queueing controllers know it
	// shards is the number of pods that share the simulations. There are
	// never more than simulations.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Shards int32 `json:"shards,omitempty"`
	// resources are those of each pod. A pod uses all its CPUs.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
}

// Condition types of both kinds.
const (
	// ConditionComplete is True when every simulation has a result.
	ConditionComplete = "Complete"
	// ConditionFailed is True when the work ended without all results.
	ConditionFailed = "Failed"
	// ConditionSuspended is True while spec.execution.suspend holds the work.
	ConditionSuspended = "Suspended"
	// ConditionReady is kstatus' summary: True when Complete.
	ConditionReady = "Ready"
	// ConditionReconciling is present and True while work goes on.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is present and True when nothing will happen until
	// somebody acts.
	ConditionStalled = "Stalled"
	// ConditionLinted says what windtunnel lint finds in the router's
	// configuration: True where it finds neither errors nor warnings.
	ConditionLinted = "Linted"
)

// Condition reasons of both kinds.
const (
	ReasonInvalid       = "Invalid"
	ReasonInputMissing  = "InputMissing"
	ReasonPending       = "Pending"
	ReasonRunning       = "Running"
	ReasonSuspended     = "Suspended"
	ReasonJobFailed     = "JobFailed"
	ReasonResultMissing = "ResultMissing"
	ReasonResultCorrupt = "ResultCorrupt"
	ReasonConflict      = "Conflict"
	ReasonComplete      = "Complete"
)

// Reasons of condition Linted. The second one is that of the event too.
const (
	ReasonNoFindings   = "NoFindings"
	ReasonLintFindings = "LintFindings"
)

// ProgressStatus counts simulations: one is one point under one seed.
type ProgressStatus struct {
	// total is the number of simulations of this generation.
	// +required
	Total int64 `json:"total"`
	// completed is the number that have a result.
	// +required
	Completed int64 `json:"completed"`
	// shards is the number of pods that share them.
	// +optional
	Shards int32 `json:"shards,omitempty"`
}

// ResultReference names a ConfigMap that holds results, and what it must
// contain.
type ResultReference struct {
	// name is the ConfigMap's name.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// rows is the number of result rows in it.
	// +required
	Rows int64 `json:"rows"`
	// sha256 is the digest of its rows, in hex.
	// +required
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
}

// InputDigest pins an input that was read from outside the object.
type InputDigest struct {
	// name says which input, such as ConfigMap/traces/conversation.jsonl.
	// +required
	// +kubebuilder:validation:MaxLength=600
	Name string `json:"name"`
	// sha256 is the digest of its (decompressed) bytes, in hex.
	// +required
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
}

// CommonStatus is what both kinds report.
type CommonStatus struct {
	// conditions summarise the object's state.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// observedGeneration is the generation that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// engineVersion is the simulator's version: the same version and the same
	// keys give the same results.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	EngineVersion string `json:"engineVersion,omitempty"`
	// planHash is the content hash of all that is simulated.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PlanHash string `json:"planHash,omitempty"`
	// inputs pin what was read from outside the object.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Inputs []InputDigest `json:"inputs,omitempty"`
	// progress counts simulations.
	// +optional
	Progress *ProgressStatus `json:"progress,omitempty"`
	// results name the ConfigMaps that hold the result rows.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=1000
	Results []ResultReference `json:"results,omitempty"`
	// warnings say what the router's configuration holds that has no effect.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=1024
	Warnings []string `json:"warnings,omitempty"`
	// approximations say of plugins of the router's configuration, by name, in
	// what they decide otherwise than the EPP's. All others decide as those do.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=1024
	Approximations []string `json:"approximations,omitempty"`
}

// MetricValue is a metric's mean over the replications and its 95 %
// confidence interval. Durations are in seconds.
type MetricValue struct {
	// metric is its name, such as ttft.p99.
	// +required
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric"`
	// mean is the mean over the replications.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Mean string `json:"mean"`
	// low and high bound the confidence interval; absent with one seed.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Low string `json:"low,omitempty"`
	// high is the interval's upper bound.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	High string `json:"high,omitempty"`
}
