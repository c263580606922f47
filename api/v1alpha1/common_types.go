// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Replications are the seeds under which a scenario is simulated: a count
// from a first seed, or a list. Every candidate of a sweep sees the same.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.seeds) && (has(self.seed) || has(self.count)))",message="seeds excludes seed and count"
// +kubebuilder:validation:XValidation:rule="!(has(self.seeds) && has(self.precision))",message="a list of seeds has no others to reach a precision with; use seed and count",fieldPath=".precision"
// +kubebuilder:validation:XValidation:rule="has(self.precision) || !(has(self.maxCount) || has(self.metric))",message="maxCount and metric go with precision"
// +kubebuilder:validation:XValidation:rule="!has(self.maxCount) || !has(self.count) || self.count <= self.maxCount",message="maxCount must not be less than count",fieldPath=".maxCount"
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
	// precision asks for more seeds until half the width of the metric's 95 %
	// confidence interval is at most this share of its mean, such as 5%. In a
	// sweep it is asked of the best point and the baseline, or of all points where
	// they are at most 8.
	// +optional
	Precision Percentage `json:"precision,omitempty"`
	// maxCount bounds the seeds that precision may take. Where it is not set it
	// is 100, or count where that is more.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	MaxCount *int32 `json:"maxCount,omitempty"`
	// metric is the one that precision is about. Where it is not set it is a
	// sweep's first objective, and e2e.mean of a run.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Metric string `json:"metric,omitempty"`
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
	// ConditionPassed says whether the gates pass: Unknown while there is no
	// result, and where the evidence is not enough. Absent where there are no
	// gates.
	ConditionPassed = "Passed"
	// ConditionLinted says what windtunnel lint finds in the router's
	// configuration: True where it finds neither errors nor warnings.
	ConditionLinted = "Linted"
	// ConditionInputsChanged is present and True while ConfigMaps hold something
	// else than what the plan was made of.
	ConditionInputsChanged = "InputsChanged"
	// ConditionResultsDamaged is present and True while ConfigMaps of a complete
	// object's results are gone or hold something else than what was written.
	ConditionResultsDamaged = "ResultsDamaged"
)

// Condition reasons of both kinds.
const (
	ReasonInvalid      = "Invalid"
	ReasonTooExpensive = "TooExpensive"
	ReasonInputMissing = "InputMissing"
	ReasonPending      = "Pending"
	ReasonRunning      = "Running"
	ReasonBlocked      = "Blocked"
	// ReasonWaitingForCapacity says that pods wait for room on nodes that other pods of
	// Windtunnel hold: nobody has to act.
	ReasonWaitingForCapacity = "WaitingForCapacity"
	ReasonSuspended          = "Suspended"
	ReasonJobFailed          = "JobFailed"
	ReasonResultMissing      = "ResultMissing"
	ReasonResultCorrupt      = "ResultCorrupt"
	ReasonTrialsFailed       = "TrialsFailed"
	// ReasonShardsFailed says that the work went on to its end without some
	// shards, as spec.execution.maxFailedShards allows.
	ReasonShardsFailed = "ShardsFailed"
	// ReasonDeadlineExceeded says that spec.execution.activeDeadlineSeconds passed.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	ReasonConflict         = "Conflict"
	ReasonComplete         = "Complete"
	// ReasonNothingServed says that all results are there, and that no request of
	// any simulation completed.
	ReasonNothingServed = "NothingServed"
)

// Reasons of condition Passed. It is Pending beside.
const (
	ReasonGatesPassed = "GatesPassed"
	ReasonGateFailed  = "GateFailed"
	ReasonUndecided   = "Undecided"
	// ReasonBaselineIsBest says that no point ranks before the baseline, so that
	// there is nothing to roll out: keep what you have.
	ReasonBaselineIsBest = "BaselineIsBest"
)

// ReasonInputsChanged is that of condition InputsChanged, and of the event.
const ReasonInputsChanged = "InputsChanged"

// ReasonResultsDamaged is that of condition ResultsDamaged, and of the event.
const ReasonResultsDamaged = "ResultsDamaged"

// Reasons of condition Linted. The second one is that of the event too.
const (
	ReasonNoFindings   = "NoFindings"
	ReasonLintFindings = "LintFindings"
)

// ProgressStatus counts simulations: one is one point under one seed.
type ProgressStatus struct {
	// total is the number of simulations known so far. A search that learns
	// asks for more as it goes on.
	// +required
	Total int64 `json:"total"`
	// completed is the number that have a result.
	// +required
	Completed int64 `json:"completed"`
	// underway is the number of others that shards have simulated and not handed in
	// yet, as far as they told: each tells at most every 30 seconds, and of a tenth of
	// its simulations. It is shown in steps of a twentieth of the round. A shard that
	// is killed simulates them again.
	// +optional
	Underway int64 `json:"underway,omitempty"`
	// failed is the number of completed ones that say why there are no figures.
	// +optional
	Failed int64 `json:"failed,omitempty"`
	// reused is the number of completed ones that were simulated for something else.
	// +optional
	Reused int64 `json:"reused,omitempty"`
	// round is the number of the generation of points under way, from 1.
	// +optional
	Round int32 `json:"round,omitempty"`
	// shards is the number of pods that share them.
	// +optional
	Shards int32 `json:"shards,omitempty"`
}

// PlanStatus is what the work amounts to, known before anything runs.
type PlanStatus struct {
	// points is the most points that there can be.
	// +required
	Points int64 `json:"points"`
	// simulations is the most simulations that there can be.
	// +required
	Simulations int64 `json:"simulations"`
	// coreSeconds estimates what they take of one CPU core, all together.
	// +optional
	CoreSeconds int64 `json:"coreSeconds,omitempty"`
	// configMaps estimates how many ConfigMaps the results take.
	// +optional
	ConfigMaps int64 `json:"configMaps,omitempty"`
}

// ResultsStatus says where the result rows are. Readers go by the index: what it
// does not list is nobody's result.
type ResultsStatus struct {
	// index names the ConfigMap that lists the ConfigMaps of rows, with their
	// digests.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Index string `json:"index"`
	// chunks is the number of ConfigMaps of rows.
	// +required
	Chunks int64 `json:"chunks"`
	// rows is the number of rows in them.
	// +required
	Rows int64 `json:"rows"`
	// sha256 is the digest of the index, in hex.
	// +required
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
	// digest is that of all rows, sorted by point, share and seed, once there are
	// all of them: the same results have the same digest, in however many pieces
	// they came.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Digest string `json:"digest,omitempty"`
	// partial is true where the work ended and some simulations have no row.
	// +optional
	Partial bool `json:"partial,omitempty"` //nolint:kubeapilinter // a fact, not a choice
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
	// resourceVersion is that of the ConfigMap when it was read.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ResourceVersion string `json:"resourceVersion,omitempty"`
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
	// startTime is when the work began. Time that it is held, by
	// spec.execution.suspend or by a queue, moves it on, so that what went by since
	// is what spec.execution.activeDeadlineSeconds bounds.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// heldSince is since when the work is held.
	// +optional
	HeldSince *metav1.Time `json:"heldSince,omitempty"`
	// completionTime is when the work ended, good or bad.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
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
	// plan is what the work amounts to.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`
	// progress counts simulations.
	// +optional
	Progress *ProgressStatus `json:"progress,omitempty"`
	// results says where the result rows are.
	// +optional
	Results *ResultsStatus `json:"results,omitempty"`
	// gates are the claims and what came of them.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Gates []GateStatus `json:"gates,omitempty"`
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
	// stepTimes say for each pool what its step times rest on: shares of the
	// accelerator's peaks that are fitted, published or given, and how the time of
	// an all-reduce is found.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=512
	StepTimes []string `json:"stepTimes,omitempty"`
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
