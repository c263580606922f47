// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Scaler changes the number of replicas of a pool, or of a prefill pool and a decode pool
// together. A policy of Windtunnel decides, or what manifests of Kubernetes say.
//
// +kubebuilder:validation:AtMostOneOf=policy;horizontalPodAutoscaler;scaledObject;podAutoscaler
// +kubebuilder:validation:XValidation:rule="has(self.policy) != (has(self.horizontalPodAutoscaler) || has(self.scaledObject) || has(self.podAutoscaler) || has(self.workloadVariantAutoscaler))",message="state policy or a manifest, and not both"
// +kubebuilder:validation:XValidation:rule="!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",fieldPath=".minReplicas",message="must be at most maxReplicas"
// +kubebuilder:validation:XValidation:rule="has(self.horizontalPodAutoscaler) || has(self.scaledObject) || has(self.podAutoscaler) ? !(has(self.minReplicas) || has(self.maxReplicas)) : has(self.maxReplicas)",message="policy, and workloadVariantAutoscaler alone, need maxReplicas; horizontalPodAutoscaler, scaledObject and podAutoscaler have bounds of their own"
// +kubebuilder:validation:XValidation:rule="has(self.policy) || !(has(self.parameters) || has(self.trigger))",message="parameters and trigger go with policy"
type Scaler struct {
	// name identifies the scaler in results and in parameter paths.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`
	// pools are the names of the pools that it scales: one pool, or a prefill pool and a
	// decode pool, in this order.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Pools []string `json:"pools,omitempty"`
	// minReplicas is the minimum number of replicas of each pool. With 0, a pool may have
	// none, and activator lets requests wait for one. It is derived: 1, or what the manifest
	// says.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=16384
	MinReplicas *int32 `json:"minReplicas,omitempty"`
	// maxReplicas is the maximum number of replicas of each pool. A policy needs it, and so
	// does workloadVariantAutoscaler alone. Otherwise it is what the manifest says.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16384
	MaxReplicas int32 `json:"maxReplicas,omitempty"`
	// policy is the name of the policy that decides how many replicas the pools are to
	// have, such as queue-length. windtunnel's docs/autoscaling-reference.md lists the policies with
	// their parameters.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Policy string `json:"policy,omitempty"`
	// horizontalPodAutoscaler is a manifest of autoscaling/v2 that scales one pool.
	// windtunnel's docs/autoscaling-reference.md lists its fields.
	// +optional
	HorizontalPodAutoscaler *ManifestSource `json:"horizontalPodAutoscaler,omitempty"`
	// scaledObject is a manifest of KEDA that scales one pool. windtunnel's
	// docs/autoscaling-reference.md lists its fields.
	// +optional
	ScaledObject *ManifestSource `json:"scaledObject,omitempty"`
	// podAutoscaler is a manifest of AIBrix, of strategy KPA or APA, that scales one pool. It
	// decides every 10 s. windtunnel's docs/autoscaling-reference.md lists its fields.
	// +optional
	PodAutoscaler *ManifestSource `json:"podAutoscaler,omitempty"`
	// workloadVariantAutoscaler is the ConfigMap of llm-d's autoscaler, or its entry default.
	// Its number is the metric wva_desired_replicas of the autoscaler that is also stated. Alone, it
	// sets the replicas, with the analyser by tokens also those of prefill and decode together.
	// +optional
	WorkloadVariantAutoscaler *ManifestSource `json:"workloadVariantAutoscaler,omitempty"`
	// parameters are the parameters of the policy.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Parameters map[string]PolicyParameter `json:"parameters,omitempty"`
	// trigger asks the policy between its intervals when its condition holds. Without it,
	// the policy is asked at its intervals only.
	// +optional
	Trigger *ScalingTrigger `json:"trigger,omitempty"`
	// interval is the time between two decisions. For a manifest it is the sync period of
	// the controller of HorizontalPodAutoscalers.
	// +optional
	// +kubebuilder:default="15s"
	Interval PositiveDuration `json:"interval,omitempty"`
	// metrics describe the way of the metrics to the policy.
	// +optional
	// +kubebuilder:default={}
	Metrics ScalerMetrics `json:"metrics,omitzero"`
}

// ManifestSource is a manifest of Kubernetes. Other objects of the text are passed over.
//
// +kubebuilder:validation:ExactlyOneOf=inline;configMapRef;file
type ManifestSource struct {
	// inline is the text.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	Inline *string `json:"inline,omitempty"`
	// configMapRef is the ConfigMap key that holds the text, at most 64 KiB.
	// +optional
	ConfigMapRef *ConfigMapKeyReference `json:"configMapRef,omitempty"`
	// file is a path on your machine, relative to the manifest. A cluster needs
	// configMapRef.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	File *string `json:"file,omitempty"`
}

// ScalingTrigger is a condition. windtunnel's docs/autoscaling-reference.md lists the triggers with
// their parameters.
type ScalingTrigger struct {
	// name is the name of the trigger, such as queue.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
	// parameters are the parameters of the trigger.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Parameters map[string]PolicyParameter `json:"parameters,omitempty"`
}

// ScalerMetrics describe how old the metrics are that a scaler reads.
type ScalerMetrics struct {
	// scrapeInterval is the time between two scrapes of the replicas and the gateway.
	// +optional
	// +kubebuilder:default="15s"
	ScrapeInterval PositiveDuration `json:"scrapeInterval,omitempty"`
	// delay is the time from a scrape until the scaler can read it, such as the delay of
	// a metrics adapter.
	// +optional
	// +kubebuilder:default="0s"
	Delay Duration `json:"delay,omitempty"`
	// queries are the queries that a metrics adapter answers, by the name that a
	// HorizontalPodAutoscaler has for the metric. A metric that is not in it is queried by
	// its name.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Queries map[string]MetricQuery `json:"queries,omitempty"`
}

// MetricQuery is a query of Prometheus.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=4096
type MetricQuery string

// Startup is how long a replica takes from its creation by a scaler until it serves, and
// to its full speed.
//
// +structType=atomic
type Startup struct {
	// provisioning is the time to make a machine ready. With nodePool, it is not allowed:
	// the nodes have a time of their own.
	// +optional
	Provisioning Duration `json:"provisioning,omitempty"`
	// imagePull is the time to pull the image of the engine.
	// +optional
	ImagePull Duration `json:"imagePull,omitempty"`
	// modelLoad is the time to start the engine and to load the model. The default was
	// measured for vLLM pods of llm-d.
	// +optional
	// +kubebuilder:default="130s"
	ModelLoad Duration `json:"modelLoad,omitempty"`
	// coefficientOfVariation is the standard deviation of each of these times divided by
	// its mean. The times are gamma distributed. Without it, they do not vary.
	// +optional
	CoefficientOfVariation NonNegativeDecimal `json:"coefficientOfVariation,omitempty"`
	// failureShare is the share of starts that fail at their end and begin again.
	// +optional
	FailureShare Fraction `json:"failureShare,omitempty"`
	// warmUp makes the steps of a new replica slower for a while. Without it, a replica
	// has its full speed from the start. Its caches are empty in any case.
	// +optional
	WarmUp *WarmUp `json:"warmUp,omitempty"`
}

// WarmUp makes the steps of a replica slower that has just started.
type WarmUp struct {
	// duration is how long that lasts.
	// +required
	Duration PositiveDuration `json:"duration,omitempty"`
	// curve is how the penalty falls to 1.
	// +optional
	// +kubebuilder:default=Linear
	Curve WarmUpCurve `json:"curve,omitempty"`
	// initialPenalty is the factor of the duration of a step at the start, at least 1.
	// +optional
	// +kubebuilder:default="1.5"
	InitialPenalty PositiveDecimal `json:"initialPenalty,omitempty"`
}

// WarmUpCurve is how a penalty falls to 1.
// +kubebuilder:validation:Enum=Linear;Exponential;Step
type WarmUpCurve string

const (
	// LinearWarmUpCurve falls evenly.
	LinearWarmUpCurve WarmUpCurve = "Linear"
	// ExponentialWarmUpCurve falls fast at first.
	ExponentialWarmUpCurve WarmUpCurve = "Exponential"
	// StepWarmUpCurve stays at the penalty to the end of the warm-up.
	StepWarmUpCurve WarmUpCurve = "Step"
)

// ReplicaDrain is what becomes of the requests of a replica that a scaler takes away.
//
// +structType=atomic
type ReplicaDrain struct {
	// mode is what happens to the requests. Wait lets the replica serve them. Immediate
	// lets them fail, and clients may try again. Redirect routes them again: they keep the
	// tokens that they have been given, and are computed again.
	// +optional
	// +kubebuilder:default=Wait
	Mode DrainMode `json:"mode,omitempty"`
	// timeout is the maximum time that Wait gives the requests. Those that are left fail
	// then. It is the pod's terminationGracePeriodSeconds. 0 means no limit.
	// +optional
	// +kubebuilder:default="30s"
	Timeout Duration `json:"timeout,omitempty"`
}

// DrainMode says what happens to the requests of a replica that ends.
// +kubebuilder:validation:Enum=Wait;Immediate;Redirect
type DrainMode string

const (
	// WaitDrain lets the replica serve them.
	WaitDrain DrainMode = "Wait"
	// ImmediateDrain lets them fail.
	ImmediateDrain DrainMode = "Immediate"
	// RedirectDrain routes them again.
	RedirectDrain DrainMode = "Redirect"
)

// NodePool is a set of equal nodes. A node is made when a replica finds no place on one.
//
// +kubebuilder:validation:XValidation:rule="!has(self.nodes) || self.nodes <= self.maxNodes",fieldPath=".nodes",message="must be at most maxNodes"
type NodePool struct {
	// name identifies the node pool.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`
	// acceleratorsPerNode is the number of accelerators of a node. A replica takes as many
	// as its tensorParallelism, all on one node.
	// +optional
	// +kubebuilder:default=8
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	AcceleratorsPerNode int32 `json:"acceleratorsPerNode,omitempty"`
	// nodes is the number of nodes at the start. It is derived: as many as the replicas of
	// the pools need at the start.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=16384
	Nodes *int32 `json:"nodes,omitempty"`
	// maxNodes is the maximum number of nodes, such as a quota. Pools that name the node
	// pool compete for them.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16384
	MaxNodes int32 `json:"maxNodes,omitempty"`
	// provisioning is the time until a node is ready.
	// +optional
	// +kubebuilder:default="3m"
	Provisioning Duration `json:"provisioning,omitempty"`
	// coefficientOfVariation is the standard deviation of that time divided by its mean.
	// The time is gamma distributed. Without it, it does not vary.
	// +optional
	CoefficientOfVariation NonNegativeDecimal `json:"coefficientOfVariation,omitempty"`
	// failureShare is the share of nodes that do not come after their time. Another node
	// is requested then.
	// +optional
	FailureShare Fraction `json:"failureShare,omitempty"`
	// idleTimeout is the time after which a node without replicas is removed. 0 means
	// never.
	// +optional
	// +kubebuilder:default="10m"
	IdleTimeout Duration `json:"idleTimeout,omitempty"`
}

// Activator lets requests wait at the gateway while no replica of their router serves.
type Activator struct {
	// maxWait is the maximum time after its arrival that a request waits. Then it is
	// rejected.
	// +required
	MaxWait PositiveDuration `json:"maxWait,omitempty"`
}
