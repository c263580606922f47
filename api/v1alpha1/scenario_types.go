// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Scenario is what is simulated: the cluster, its router, the traffic and the
// promises made to users. It is the simulator's pure input: nothing in it says
// how or where the simulation runs.
type Scenario struct {
	// horizon says when the simulation ends.
	// +required
	Horizon Horizon `json:"horizon,omitzero"`
	// pools are the replicas that serve.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Pools []Pool `json:"pools,omitempty"`
	// router chooses the replica of each request.
	// +required
	Router Router `json:"router,omitzero"`
	// workload is the traffic.
	// +required
	Workload Workload `json:"workload,omitzero"`
	// slos are the latency targets by class. Goodput is defined only where
	// there are some.
	// +optional
	// +listType=map
	// +listMapKey=class
	// +kubebuilder:validation:MaxItems=16
	SLOs []SLO `json:"slos,omitempty"`
}

// Horizon says when a simulation ends: arrivals stop at a number of requests
// or at a time, then what is in flight drains.
//
// +kubebuilder:validation:XValidation:rule="has(self.requests) || has(self.duration)",message="one of requests and duration must be set"
// +kubebuilder:validation:XValidation:rule="!has(self.warmup) || !has(self.duration) || duration(self.warmup) < duration(self.duration)",message="warmup must be shorter than duration, or nothing is measured"
type Horizon struct {
	// requests is the number of arrivals after which no more are taken.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Requests *int64 `json:"requests,omitempty"`
	// duration is the simulated time after which no more arrivals are taken.
	// +optional
	Duration PositiveDuration `json:"duration,omitempty"`
	// warmup is simulated time at the start whose arrivals are served and not
	// measured.
	// +optional
	Warmup Duration `json:"warmup,omitempty"`
	// drain is the longest simulated time to go on after the last arrival.
	// Requests that are still in flight then count as unfinished.
	// +optional
	// +kubebuilder:default="1h"
	Drain Duration `json:"drain,omitempty"`
}

// Pool is a set of identical replicas.
type Pool struct {
	// name identifies the pool in results and in parameter paths.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`
	// model is the served model's name in the catalogue, such as
	// meta-llama/Llama-3.1-8B-Instruct.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Model string `json:"model,omitempty"`
	// accelerator is the GPU's name in the catalogue, such as h100-sxm.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Accelerator string `json:"accelerator,omitempty"`
	// tensorParallelism is the number of GPUs of one replica.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	TensorParallelism int32 `json:"tensorParallelism,omitempty"`
	// replicas is the number of replicas.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Replicas int32 `json:"replicas,omitempty"`
	// engine holds the serving engine's settings.
	// +optional
	// +kubebuilder:default={}
	Engine Engine `json:"engine,omitzero"`
	// latency is the model of step times.
	// +optional
	// +kubebuilder:default={}
	Latency Latency `json:"latency,omitzero"`
	// kvCache sizes the KV cache.
	// +optional
	// +kubebuilder:default={}
	KVCache KVCache `json:"kvCache,omitzero"`
	// costPerReplicaHour is the price of one replica for an hour, in a
	// currency of your choice.
	// +optional
	CostPerReplicaHour NonNegativeDecimal `json:"costPerReplicaHour,omitempty"`
}

// Engine holds the settings of vLLM that shape its steps. Names and meanings
// are vLLM's.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxNumBatchedTokens) || !has(self.maxNumSeqs) || self.maxNumBatchedTokens >= self.maxNumSeqs",message="maxNumBatchedTokens must be at least maxNumSeqs"
type Engine struct {
	// maxNumSeqs bounds the sequences in one step.
	// +optional
	// +kubebuilder:default=256
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	MaxNumSeqs int32 `json:"maxNumSeqs,omitempty"`
	// maxNumBatchedTokens is the token budget of one step.
	// +optional
	// +kubebuilder:default=8192
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	MaxNumBatchedTokens int32 `json:"maxNumBatchedTokens,omitempty"`
	// blockSize is the number of tokens in a KV block.
	// +optional
	// +kubebuilder:default=16
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	BlockSize int32 `json:"blockSize,omitempty"`
	// prefixCaching keeps the blocks of finished requests for reuse.
	// +optional
	// +kubebuilder:default=Enabled
	PrefixCaching Switch `json:"prefixCaching,omitempty"`
	// maxModelLen bounds prompt and answer of a request, in tokens. Longer
	// requests are rejected. Where it is not set, the model's context is the
	// bound, or the KV cache where that is smaller.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	MaxModelLen *int32 `json:"maxModelLen,omitempty"`
}

// Switch is Enabled or Disabled.
// +kubebuilder:validation:Enum=Enabled;Disabled
type Switch string

const (
	// Enabled switches a feature on.
	Enabled Switch = "Enabled"
	// Disabled switches a feature off.
	Disabled Switch = "Disabled"
)

// LatencyModel names a model of step times.
// +kubebuilder:validation:Enum=roofline;linear
type LatencyModel string

const (
	// RooflineModel takes the larger of compute and memory time, from the
	// catalogue's figures and achieved shares.
	RooflineModel LatencyModel = "roofline"
	// LinearModel takes measured coefficients.
	LinearModel LatencyModel = "linear"
)

// Latency is the model of step times and its coefficients.
//
// +kubebuilder:validation:XValidation:rule="(has(self.model) && self.model == 'linear') == has(self.linear)",message="linear must be set exactly when model is linear"
// +kubebuilder:validation:XValidation:rule="!has(self.model) || self.model == 'roofline' || !has(self.roofline)",message="roofline may be set only when model is roofline"
type Latency struct {
	// model names the model.
	// +optional
	// +kubebuilder:default=roofline
	Model LatencyModel `json:"model,omitempty"`
	// roofline overrides the accelerator's coefficients.
	// +optional
	Roofline *RooflineCoefficients `json:"roofline,omitempty"`
	// linear holds the coefficients of the linear model.
	// +optional
	Linear *LinearCoefficients `json:"linear,omitempty"`
}

// RooflineCoefficients override what the catalogue says of the accelerator.
type RooflineCoefficients struct {
	// memoryEfficiency is the achieved share of memory bandwidth, at most 1.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	MemoryEfficiency PositiveDecimal `json:"memoryEfficiency,omitempty"`
	// prefillEfficiency is the achieved share of peak FLOP/s in prefill (MFU), at
	// most 1.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	PrefillEfficiency PositiveDecimal `json:"prefillEfficiency,omitempty"`
	// decodeEfficiency is the achieved share of peak FLOP/s in decode (MFU), at
	// most 1.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	DecodeEfficiency PositiveDecimal `json:"decodeEfficiency,omitempty"`
	// stepOverheadMicroseconds is the fixed cost of a step.
	// +optional
	StepOverheadMicroseconds Microseconds `json:"stepOverheadMicroseconds,omitempty"`
	// sequenceOverheadMicroseconds is the cost of each sequence in a step.
	// +optional
	SequenceOverheadMicroseconds Microseconds `json:"sequenceOverheadMicroseconds,omitempty"`
	// tokenOverheadMicroseconds is the cost of each token in a step.
	// +optional
	TokenOverheadMicroseconds Microseconds `json:"tokenOverheadMicroseconds,omitempty"`
}

// LinearCoefficients make a step cost base + perPrefillToken times its
// uncached prompt tokens + perDecodeToken times its decoding sequences, in
// microseconds. Requests may cost extra outside the steps.
type LinearCoefficients struct {
	// baseMicroseconds is the cost of any step.
	// +required
	BaseMicroseconds Microseconds `json:"baseMicroseconds,omitempty"`
	// perPrefillTokenMicroseconds is the cost of an uncached prompt token.
	// +required
	PerPrefillTokenMicroseconds Microseconds `json:"perPrefillTokenMicroseconds,omitempty"`
	// perDecodeTokenMicroseconds is the cost of a decoding sequence.
	// +required
	PerDecodeTokenMicroseconds Microseconds `json:"perDecodeTokenMicroseconds,omitempty"`
	// queueBaseMicroseconds delays each request before it may be scheduled.
	// +optional
	QueueBaseMicroseconds Microseconds `json:"queueBaseMicroseconds,omitempty"`
	// queuePerTokenMicroseconds delays a request by its prompt's length.
	// +optional
	QueuePerTokenMicroseconds Microseconds `json:"queuePerTokenMicroseconds,omitempty"`
	// perOutputTokenMicroseconds is added to each output token outside the
	// engine's clock.
	// +optional
	PerOutputTokenMicroseconds Microseconds `json:"perOutputTokenMicroseconds,omitempty"`
}

// KVCache sizes one replica's KV cache: by a number of blocks as the engine
// reports it, or computed from model, accelerator and memoryUtilization.
type KVCache struct {
	// blocks is the number of KV blocks of one replica, such as vLLM's
	// num_gpu_blocks. Where it is not set it is computed.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	Blocks *int32 `json:"blocks,omitempty"`
	// memoryUtilization is the share of GPU memory that the engine may use
	// (vLLM's gpu_memory_utilization), at most 1.
	// +optional
	// +kubebuilder:default="0.9"
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	MemoryUtilization PositiveDecimal `json:"memoryUtilization,omitempty"`
}

// Router chooses the replica of each request.
type Router struct {
	// endpointPickerConfig is the llm-d EPP's configuration, verbatim.
	// +required
	EndpointPickerConfig EndpointPickerConfig `json:"endpointPickerConfig,omitzero"`
	// metricsRefreshInterval is the time between scrapes of a replica's
	// metrics (the EPP's --refresh-metrics-interval, at least 50ms).
	// +optional
	// +kubebuilder:default="50ms"
	MetricsRefreshInterval RefreshInterval `json:"metricsRefreshInterval,omitempty"`
}

// EndpointPickerConfig is an EPP configuration file and the version that
// reads it.
//
// +kubebuilder:validation:ExactlyOneOf=inline;configMapRef
type EndpointPickerConfig struct {
	// version is the EPP's version, such as router-v0.10.
	// +optional
	// +kubebuilder:default=router-v0.10
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	Version string `json:"version,omitempty"`
	// inline is the text of the file.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	Inline *string `json:"inline,omitempty"`
	// configMapRef is the ConfigMap key that holds the file.
	// +optional
	ConfigMapRef *ConfigMapKeyReference `json:"configMapRef,omitempty"`
}

// ConfigMapKeyReference names a key of a ConfigMap in the object's namespace.
type ConfigMapKeyReference struct {
	// name is the ConfigMap's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// key is a key of its data or binaryData.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// SLO is what users of a class were promised. A request is good when it meets
// every target that is set.
//
// +kubebuilder:validation:XValidation:rule="has(self.ttft) || has(self.tpot) || has(self.e2e)",message="one of ttft, tpot and e2e must be set"
type SLO struct {
	// class is the SLO class of the workload's requests.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Class string `json:"class,omitempty"`
	// ttft bounds the time to first token.
	// +optional
	TTFT PositiveDuration `json:"ttft,omitempty"`
	// tpot bounds the mean time per output token after the first.
	// +optional
	TPOT PositiveDuration `json:"tpot,omitempty"`
	// e2e bounds the time to the last token.
	// +optional
	E2E PositiveDuration `json:"e2e,omitempty"`
}
