// SPDX-License-Identifier: Apache-2.0

package v1alpha1

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
	// tensorParallelism is the number of GPUs of one replica, at most the 8 of
	// one machine. They share out the model's attention heads evenly.
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
	// requestCost is what a request costs outside the engine's steps. Nothing,
	// unless you say so.
	// +optional
	RequestCost *RequestCost `json:"requestCost,omitempty"`
	// quantization says in which numbers the model is served.
	// +optional
	// +kubebuilder:default={}
	Quantization Quantization `json:"quantization,omitzero"`
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
	// scheduler orders the wait queue and says who is preempted where blocks
	// run out.
	// +optional
	// +kubebuilder:default=FCFS
	Scheduler Scheduler `json:"scheduler,omitempty"`
	// longPrefillTokenThreshold caps the prompt tokens that one request
	// computes in a step, so that a long prompt leaves room for others; 0 is
	// no cap.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1048576
	LongPrefillTokenThreshold int32 `json:"longPrefillTokenThreshold,omitempty"`
	// reserveFullPrompt admits a request only where its whole prompt fits into
	// the KV cache beside what runs (vLLM's scheduler_reserve_full_isl);
	// Disabled admits it where its next chunk fits.
	// +optional
	// +kubebuilder:default=Enabled
	ReserveFullPrompt Switch `json:"reserveFullPrompt,omitempty"`
}

// Scheduler names an order of an engine's wait queue.
// +kubebuilder:validation:Enum=FCFS;Priority;ShortestPrompt
type Scheduler string

const (
	// FCFSScheduler serves in order of arrival and preempts the request that
	// was admitted last (vLLM's --scheduling-policy fcfs).
	FCFSScheduler Scheduler = "FCFS"
	// PriorityScheduler serves the highest priority first and preempts the
	// lowest (vLLM's --scheduling-policy priority).
	PriorityScheduler Scheduler = "Priority"
	// ShortestPromptScheduler serves short prompts first. vLLM has no such
	// policy.
	ShortestPromptScheduler Scheduler = "ShortestPrompt"
)

// Switch is Enabled or Disabled.
// +kubebuilder:validation:Enum=Enabled;Disabled
type Switch string

const (
	// Enabled switches a feature on.
	Enabled Switch = "Enabled"
	// Disabled switches a feature off.
	Disabled Switch = "Disabled"
)

// Precision names how numbers are stored.
// +kubebuilder:validation:Enum=auto;bf16;fp8;int8;int4
type Precision string

// ActivationPrecision names in what numbers matrices are multiplied.
// +kubebuilder:validation:Enum=auto;bf16;fp8;int8
type ActivationPrecision string

// AutoPrecision leaves a number's format to the model and the accelerator.
const AutoPrecision = "auto"

// Quantization says in which numbers a model is served: how many bytes its
// weights and its KV cache take, and how fast matrices are multiplied.
// Embeddings, LM head, router and norms stay in 16 bits, and attention computes
// in them.
type Quantization struct {
	// weights is the format of the matrices of the layers; auto is what the
	// model was published in, for most bf16.
	// +optional
	// +kubebuilder:default=auto
	Weights Precision `json:"weights,omitempty"`
	// kvCache is the format of keys and values (vLLM's --kv-cache-dtype); auto
	// is bf16.
	// +optional
	// +kubebuilder:default=auto
	KVCache Precision `json:"kvCache,omitempty"`
	// activations is the format in which matrices are multiplied; auto is that
	// of the weights where the accelerator can, else bf16. int4 weights are
	// always multiplied in bf16.
	// +optional
	// +kubebuilder:default=auto
	Activations ActivationPrecision `json:"activations,omitempty"`
}

// RequestCost is what a request costs outside the engine's steps: an API server
// that tokenises, an engine that answers through a queue. It goes with every
// model of step times.
type RequestCost struct {
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
	// completionMicroseconds delays the end of each answer, once.
	// +optional
	CompletionMicroseconds Microseconds `json:"completionMicroseconds,omitempty"`
}

// KVCache sizes one replica's KV cache: by a number of blocks as the engine
// reports it, or computed from model, accelerator and memoryUtilization.
type KVCache struct {
	// blocks is the number of KV blocks of one replica, such as vLLM's
	// num_gpu_blocks; one of them the engine keeps to itself. Where it is not set it
	// is computed.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100000000
	Blocks *int32 `json:"blocks,omitempty"`
	// memoryUtilization is the share of GPU memory that the engine may use
	// (vLLM's gpu_memory_utilization), at most 1.
	// +optional
	// +kubebuilder:default="0.9"
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	MemoryUtilization PositiveDecimal `json:"memoryUtilization,omitempty"`
	// activationBytes is the memory that the activations of the largest batch
	// take, over all GPUs of a replica. Where it is not set it is 5.5 GiB, and
	// 8 GiB for a model with experts: more than a small GPU needs.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1099511627776
	ActivationBytes *int64 `json:"activationBytes,omitempty"`
	// runtimeBytes is the memory that context, graphs and the collectives'
	// buffers take of each GPU. Where it is not set it is 0.15 GiB, and 0.6 GiB
	// where GPUs work together.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1099511627776
	RuntimeBytes *int64 `json:"runtimeBytes,omitempty"`
}
