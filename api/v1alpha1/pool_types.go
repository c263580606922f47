// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Pool is a set of identical replicas.
//
// +kubebuilder:validation:XValidation:rule="!has(self.kvCache) || !has(self.kvCache.tiers) || !has(self.engine) || !has(self.engine.prefixCaching) || self.engine.prefixCaching != 'Disabled'",fieldPath=".kvCache.tiers",message="tiers need engine.prefixCaching: what they hold is found as the prefix of a prompt"
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
	// role is what the replicas do where the router disaggregates: Prefill
	// computes prompts and hands their KV over, Decode takes it over and
	// generates, Both does either. It is the label llm-d.ai/role of their pods.
	// Where it is not set, the pods have no such label.
	// +optional
	Role Role `json:"role,omitempty"`
	// labels are further labels of the replicas' pods, for the router's label
	// filters.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="!('llm-d.ai/role' in self)",message="the label llm-d.ai/role comes from role"
	Labels map[string]LabelValue `json:"labels,omitempty"`
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
	// kvCache is the KV cache: its size, and what lies below it.
	// +optional
	// +kubebuilder:default={}
	KVCache KVCache `json:"kvCache,omitzero"`
	// adapters let the replicas serve LoRA adapters. They must be set where a
	// client asks for one.
	// +optional
	Adapters *Adapters `json:"adapters,omitempty"`
	// attributes are figures of the replicas' endpoints that nothing in the
	// simulation changes, by name, for plugins of the router that read what is
	// not simulated.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Attributes map[string]AttributeValue `json:"attributes,omitempty"`
	// costPerReplicaHour is the price of one replica for an hour, in a
	// currency of your choice.
	// +optional
	CostPerReplicaHour NonNegativeDecimal `json:"costPerReplicaHour,omitempty"`
}

// Adapters are places for LoRA adapters.
type Adapters struct {
	// max is how many adapters a replica holds, and so how many its batch may
	// have requests of (vLLM's --max-loras). Waiting requests of others are
	// passed by.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Max int32 `json:"max,omitempty"`
	// loadTime is how long it takes until an adapter that a replica does not
	// hold can be used. It delays the requests that ask for it and no step.
	// Where it is not set it takes no time.
	// +optional
	LoadTime Duration `json:"loadTime,omitempty"`
}

// Role is what a pool's replicas do where the router disaggregates.
// +kubebuilder:validation:Enum=Prefill;Decode;Both
type Role string

const (
	// PrefillRole computes prompts.
	PrefillRole Role = "Prefill"
	// DecodeRole generates.
	DecodeRole Role = "Decode"
	// BothRole does either.
	BothRole Role = "Both"
)

// AttributeValue is a Decimal, checked by a pattern as labels are.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:Pattern=`^-?[0-9]+([.][0-9]+)?$`
type AttributeValue string

// Float returns the number nearest to v; 0 where v is not a number, which the
// schema rules out.
func (v AttributeValue) Float() float64 { return Decimal(v).Float() }

// LabelValue is the value of a pod's label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^([A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?)?$`
type LabelValue string

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
