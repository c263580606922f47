// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Replications are the seeds under which a scenario is simulated: a count
// from a first seed, or a list. Every candidate of a sweep sees the same.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.seeds) && (has(self.seed) || has(self.count)))",message="seeds excludes seed and count",fieldPath=".seeds"
// +kubebuilder:validation:XValidation:rule="!(has(self.seeds) && has(self.precision))",message="a list of seeds has no others to reach a precision with; use seed and count",fieldPath=".precision"
// +kubebuilder:validation:XValidation:rule="has(self.precision) || !(has(self.maxCount) || has(self.metric))",message="maxCount and metric go with precision"
// +kubebuilder:validation:XValidation:rule="!has(self.maxCount) || !has(self.count) || self.count <= self.maxCount",message="maxCount must not be less than count",fieldPath=".maxCount"
type Replications struct {
	// seed is the first seed. Without seeds it is derived: 42.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`
	// count is the number of consecutive seeds, starting at seed. Without seeds it
	// is derived: 1.
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
	// precision is the target for half the width of the metric's 95 % confidence
	// interval, as a share of its mean, such as 5%. Simulations with more seeds run
	// until the target is met. In a sweep it applies to the best point and the
	// baseline, or to all points if there are at most 8.
	// +optional
	Precision Percentage `json:"precision,omitempty"`
	// maxCount is the maximum number of seeds for precision. It is derived: the
	// larger of 100 and count.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	MaxCount *int32 `json:"maxCount,omitempty"`
	// metric is the metric of precision. It is derived: the first objective of a
	// sweep, and e2e.mean for a run.
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
	// a user acts.
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
	// ConditionRehearsed says whether a live run and its simulation are within the limits of
	// windtunnel rehearse.
	ConditionRehearsed = "Rehearsed"
	// ConditionProposerFailed is present and True where a service that proposes policies
	// has not answered an inquiry, or has answered policies that cannot be used.
	ConditionProposerFailed = "ProposerFailed"
	// ConditionDrifted says whether a cluster is not as the run predicts. windtunnel observe
	// --follow --condition writes it, and the controllers leave it alone.
	ConditionDrifted = "Drifted"
)

// Condition reasons of both kinds.
const (
	// ReasonInvalid says that the spec or an input cannot be used: edit it.
	ReasonInvalid = "Invalid"
	// ReasonTooExpensive says that compiling the spec killed the manager.
	ReasonTooExpensive = "TooExpensive"
	// ReasonInputMissing says that a ConfigMap that the spec names, or a key of it, does not exist.
	ReasonInputMissing = "InputMissing"
	// ReasonPending says that the work waits: for a Job's pods, a deletion or a turn.
	ReasonPending = "Pending"
	// ReasonRunning says that pods simulate.
	ReasonRunning = "Running"
	// ReasonBlocked says that something that only a user can change keeps the work from running.
	ReasonBlocked = "Blocked"
	// ReasonWaitingForCapacity says that pods wait for room on nodes that other pods of
	// Windtunnel hold; they start by themselves.
	ReasonWaitingForCapacity = "WaitingForCapacity"
	// ReasonSuspended says that spec.execution.suspend is true.
	ReasonSuspended = "Suspended"
	// ReasonJobFailed says that the Job failed.
	ReasonJobFailed = "JobFailed"
	// ReasonEndpointPickerFailed says that the EPP of a live run ended before the run did.
	ReasonEndpointPickerFailed = "EndpointPickerFailed"
	// ReasonResultMissing says that Jobs ended without all of their results.
	ReasonResultMissing = "ResultMissing"
	// ReasonResultCorrupt says that results cannot be read or summed up.
	ReasonResultCorrupt = "ResultCorrupt"
	// ReasonTrialsFailed says that more points failed than spec.search.maxFailedTrials allows.
	ReasonTrialsFailed = "TrialsFailed"
	// ReasonShardsFailed says that the work went on to its end without some
	// shards, as spec.execution.maxFailedShards allows.
	ReasonShardsFailed = "ShardsFailed"
	// ReasonDeadlineExceeded says that spec.execution.activeDeadlineSeconds passed.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonConflict says that an object with a needed name has another owner.
	ReasonConflict = "Conflict"
	// ReasonComplete says that all results are there.
	ReasonComplete = "Complete"
	// ReasonNothingServed says that all results are there, and that no request of
	// any simulation completed.
	ReasonNothingServed = "NothingServed"
)

// Reasons of condition Rehearsed.
const (
	// ReasonWithinLimits says that all is within the limits: status True.
	ReasonWithinLimits = "WithinLimits"
	// ReasonOutsideLimits says that something is not: status False.
	ReasonOutsideLimits = "OutsideLimits"
)

// Reasons of condition Passed. It may also be Pending.
const (
	// ReasonGatesPassed says that all gates pass: status True.
	ReasonGatesPassed = "GatesPassed"
	// ReasonGateFailed says that a gate fails: status False.
	ReasonGateFailed = "GateFailed"
	// ReasonUndecided says that the evidence decides no verdict: status Unknown, which more seeds may change.
	ReasonUndecided = "Undecided"
	// ReasonChangeNotExercised says that no simulation exercised what tells the point that is
	// judged from the baseline: status Unknown, which more seeds do not change.
	ReasonChangeNotExercised = "ChangeNotExercised"
	// ReasonWithinModelError says that the error of the model could turn the verdict.
	ReasonWithinModelError = "WithinModelError"
	// ReasonBaselineIsBest says that no point ranks before the baseline, so that
	// there is nothing to roll out: keep what you have.
	ReasonBaselineIsBest = "BaselineIsBest"
)

// ReasonInputsChanged is that of condition InputsChanged, and of the event.
const ReasonInputsChanged = "InputsChanged"

// ReasonResultsDamaged is that of condition ResultsDamaged, and of the event.
const ReasonResultsDamaged = "ResultsDamaged"

// Reasons of condition ProposerFailed, and of the event.
const (
	// ReasonNoProposals says that an inquiry has no answer.
	ReasonNoProposals = "NoProposals"
	// ReasonProposalsDropped says that all have one, but not all policies can be used.
	ReasonProposalsDropped = "ProposalsDropped"
)

// Reasons of condition Linted. The second one is that of the event too.
const (
	// ReasonNoFindings says that the linter has no error and no warning.
	ReasonNoFindings = "NoFindings"
	// ReasonLintFindings says that the linter has errors or warnings.
	ReasonLintFindings = "LintFindings"
)

// Reasons of condition Drifted. Where it is True, another one is the assumption that drifted: Traffic, Lengths, HitShare or
// StepTime.
const (
	// ReasonAsPredicted says that the last window is as the run predicts.
	ReasonAsPredicted = "AsPredicted"
	// ReasonUnexplained says that there is drift, and that no assumption explains it.
	ReasonUnexplained = "Unexplained"
	// ReasonChanged says that what serves has changed, so that the window is of two clusters.
	ReasonChanged = "Changed"
	// ReasonLookFailed says that the cluster or its Prometheus could not be read.
	ReasonLookFailed = "LookFailed"
	// ReasonStopped says that nothing looks any more.
	ReasonStopped = "Stopped"
)

// ProgressStatus counts simulations: one is one point under one seed.
type ProgressStatus struct {
	// total is the number of simulations known so far. A search that learns
	// asks for more as it goes on.
	// +required
	Total int64 `json:"total"`
	// completed is the number of simulations that have a result.
	// +required
	Completed int64 `json:"completed"`
	// underway is the number of simulations that running shards report as finished
	// but not yet delivered. A shard reports at most every 30 seconds, and at each
	// tenth of its simulations. The number changes in steps of a twentieth of the
	// round. A shard that is killed repeats these simulations.
	// +optional
	Underway int64 `json:"underway,omitempty"`
	// failed is the number of completed simulations that have an error in place of
	// figures.
	// +optional
	Failed int64 `json:"failed,omitempty"`
	// reused is the number of completed simulations whose results come from other
	// objects.
	// +optional
	Reused int64 `json:"reused,omitempty"`
	// round is the number of the current generation of points, starting at 1.
	// +optional
	Round int32 `json:"round,omitempty"`
	// shards is the number of pods that share the simulations.
	// +optional
	Shards int32 `json:"shards,omitempty"`
}

// PlanStatus is the size of the work, computed before any simulation runs.
type PlanStatus struct {
	// points is the maximum number of points.
	// +required
	Points int64 `json:"points"`
	// simulations is the maximum number of simulations.
	// +required
	Simulations int64 `json:"simulations"`
	// coreSeconds is an estimate of the CPU time of all simulations, in seconds of
	// one core.
	// +optional
	CoreSeconds int64 `json:"coreSeconds,omitempty"`
	// configMaps is an estimate of the number of ConfigMaps for the results.
	// +optional
	ConfigMaps int64 `json:"configMaps,omitempty"`
}

// ResultsStatus says where the result rows are. Readers use the index: a
// ConfigMap that it does not list is not part of the results.
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
	// digest is the digest of all rows, sorted by point, share and seed. It is set
	// when all rows exist. The same results have the same digest, for any number of
	// shards.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Digest string `json:"digest,omitempty"`
	// partial is true if the work ended and some simulations have no row.
	// +optional
	Partial bool `json:"partial,omitempty"` //nolint:kubeapilinter // a fact, not a choice
}

// InputDigest pins an input that was read from outside the object.
type InputDigest struct {
	// name identifies the input, such as ConfigMap/traces/conversation.jsonl.
	// +required
	// +kubebuilder:validation:MaxLength=600
	Name string `json:"name"`
	// sha256 is the digest of its (decompressed) bytes, in hex.
	// +required
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
	// resourceVersion is the ConfigMap's resource version at the time of reading.
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
	// startTime is the time at which the work began. It moves forward by the time
	// for which spec.execution.suspend or a queue suspends the work, because
	// spec.execution.activeDeadlineSeconds limits only the time since startTime.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// heldSince is the time since which the work is suspended.
	// +optional
	HeldSince *metav1.Time `json:"heldSince,omitempty"`
	// completionTime is the time at which the work ended, with or without success.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// engineVersion is the simulator's version: the same version and the same
	// keys give the same results.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	EngineVersion string `json:"engineVersion,omitempty"`
	// planHash is the content hash of the plan: of everything to simulate.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PlanHash string `json:"planHash,omitempty"`
	// inputs are the digests of inputs outside the object.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Inputs []InputDigest `json:"inputs,omitempty"`
	// plan is the size of the work.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`
	// progress counts simulations.
	// +optional
	Progress *ProgressStatus `json:"progress,omitempty"`
	// results says where the result rows are.
	// +optional
	Results *ResultsStatus `json:"results,omitempty"`
	// gates are the verdicts of the gates.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Gates []GateStatus `json:"gates,omitempty"`
	// warnings list parts of the router's configuration that have no effect.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=1024
	Warnings []string `json:"warnings,omitempty"`
	// approximations list the plugins of the router's configuration that decide
	// differently from the EPP's, with the difference. All other plugins decide
	// exactly as in the EPP.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=1024
	Approximations []string `json:"approximations,omitempty"`
	// stepTimes list for each pool the basis of its step times: fitted, published or
	// given shares of the accelerator's peaks, the source of the time of an
	// all-reduce, and how far such predictions were off on measured engines.
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
	// low is the lower bound of the confidence interval; absent with one seed.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Low string `json:"low,omitempty"`
	// high is the upper bound of the confidence interval; absent with one seed.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	High string `json:"high,omitempty"`
}
