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
	// replicas is the number of replicas.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16384
	Replicas int32 `json:"replicas,omitempty"`
	// tensorParallelism is the number of GPUs of one replica, or of each of its ranks, at
	// most the 8 of one machine. The model's attention heads are divided evenly among them.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	TensorParallelism int32 `json:"tensorParallelism,omitempty"`
	// dataParallelism is the number of ranks of one replica (vLLM's
	// --data-parallel-size). Each rank has tensorParallelism GPUs, its own queue, batch
	// and KV cache, and is an endpoint for the router. The ranks of a model with
	// experts share the experts and step together. Without it, a replica is one
	// endpoint.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	DataParallelism int32 `json:"dataParallelism,omitempty"`
	// dataParallelBalancing says who chooses the rank of a request. It needs
	// dataParallelism. It is derived: External.
	// +optional
	DataParallelBalancing DataParallelBalancing `json:"dataParallelBalancing,omitempty"`
	// expertParallelism deals out whole experts to the GPUs of a replica (vLLM's
	// --enable-expert-parallel). Without it, each expert is split over all of them.
	// +optional
	ExpertParallelism Switch `json:"expertParallelism,omitempty"`
	// role is the task of the replicas in disaggregated serving. Prefill computes
	// prompts and hands their KV blocks over, Decode receives the blocks and
	// generates tokens, and Both does both. The pods have it as the label
	// llm-d.ai/role. Without it, the pods have no such label.
	// +optional
	Role Role `json:"role,omitempty"`
	// engine holds the serving engine's settings.
	// +optional
	// +kubebuilder:default={}
	Engine Engine `json:"engine,omitzero"`
	// kvCache is the KV cache: its size, and the tiers below it.
	// +optional
	// +kubebuilder:default={}
	KVCache KVCache `json:"kvCache,omitzero"`
	// quantization is the number format in which the model is served.
	// +optional
	// +kubebuilder:default={}
	Quantization Quantization `json:"quantization,omitzero"`
	// latency is the model of step times.
	// +optional
	// +kubebuilder:default={}
	Latency Latency `json:"latency,omitzero"`
	// requestCost is the time that a request takes outside the engine's steps.
	// Without it, a request takes no such time.
	// +optional
	RequestCost *RequestCost `json:"requestCost,omitempty"`
	// adapters let the replicas serve LoRA adapters. They are required if a client
	// asks for an adapter.
	// +optional
	Adapters *Adapters `json:"adapters,omitempty"`
	// startup is how long a replica takes to start that a scaler creates. It needs a scaler
	// of the pool. It is derived: the defaults of its fields.
	// +optional
	Startup *Startup `json:"startup,omitempty"`
	// drain is what becomes of the requests of a replica that a scaler takes away. It
	// needs a scaler of the pool. It is derived: the defaults of its fields.
	// +optional
	Drain *ReplicaDrain `json:"drain,omitempty"`
	// nodePool is the name of the node pool that new replicas need a place on. It needs a
	// scaler of the pool.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	NodePool string `json:"nodePool,omitempty"`
	// costPerReplicaHour is the price of one replica for an hour, in a
	// currency of your choice.
	// +optional
	CostPerReplicaHour NonNegativeDecimal `json:"costPerReplicaHour,omitempty"`
	// labels are additional labels of the replicas' pods, for the label filters of
	// the router.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="!('llm-d.ai/role' in self)",message="the label llm-d.ai/role comes from role"
	Labels map[string]LabelValue `json:"labels,omitempty"`
	// attributes are constant figures of the replicas' endpoints by name, for
	// plugins of the router that read figures that are not simulated.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Attributes map[string]AttributeValue `json:"attributes,omitempty"`
}

// Adapters describe how a replica holds LoRA adapters.
type Adapters struct {
	// max is the maximum number of adapters that a replica holds, and so of different
	// adapters in its batch (vLLM's --max-loras). The scheduler skips waiting
	// requests for other adapters.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Max int32 `json:"max,omitempty"`
	// loadTime is the time to load an adapter that a replica does not hold. It delays
	// the requests for this adapter, and no step.
	// +optional
	// +kubebuilder:default="0s"
	LoadTime Duration `json:"loadTime,omitempty"`
}

// DataParallelBalancing names who chooses the rank of a request.
// +kubebuilder:validation:Enum=External;Internal
type DataParallelBalancing string

const (
	// ExternalBalancing leaves it to the router: each rank has a port.
	ExternalBalancing DataParallelBalancing = "External"
	// InternalBalancing leaves it to vLLM's API server, behind one port. The router sees
	// the metrics of the first rank alone.
	InternalBalancing DataParallelBalancing = "Internal"
)

// Role is the task of a pool's replicas in disaggregated serving.
// +kubebuilder:validation:Enum=Prefill;Decode;Both
type Role string

const (
	// PrefillRole computes prompts.
	PrefillRole Role = "Prefill"
	// DecodeRole generates tokens.
	DecodeRole Role = "Decode"
	// BothRole computes prompts and generates tokens.
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
// +kubebuilder:validation:XValidation:rule="!has(self.maxNumBatchedTokens) || !has(self.maxNumSeqs) || self.maxNumBatchedTokens >= self.maxNumSeqs",message="maxNumBatchedTokens must be at least maxNumSeqs",fieldPath=".maxNumBatchedTokens"
type Engine struct {
	// version is the release of vLLM in quotes, such as "0.15", from 0.6 to 0.24. It
	// determines asynchronous scheduling, the fixed costs of a step and the table of
	// all-reduce times. It is derived: 0.24.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Version string `json:"version,omitempty"`
	// maxNumSeqs is the maximum number of sequences in one step.
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
	// maxNumQueuedReqs is the maximum number of requests behind a port, waiting and
	// running: of a rank, or of all ranks with dataParallelBalancing Internal. The API
	// server refuses more with 503. 0 refuses all. Without it, there is no limit. vLLM has
	// it since 0.29.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	MaxNumQueuedReqs *int32 `json:"maxNumQueuedReqs,omitempty"`
	// maxNumQueuedTokens refuses a request with 503 while the prompts of the requests
	// behind a port without a first token have that many tokens, cached ones included. The new
	// request itself does not count. 0 refuses all. Without it, there is no limit. vLLM has
	// it since 0.29.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	MaxNumQueuedTokens *int32 `json:"maxNumQueuedTokens,omitempty"`
	// maxModelLen is the maximum length of prompt and answer together, in tokens.
	// Longer requests are rejected. It is derived: the smaller of the model's context
	// and the KV cache.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000
	MaxModelLen *int32 `json:"maxModelLen,omitempty"`
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
	// scheduler is the order of the wait queue. ShortestOracle sees the true lengths of
	// answers, which no real engine does: it is a bound.
	// +optional
	// +kubebuilder:default=FCFS
	Scheduler Scheduler `json:"scheduler,omitempty"`
	// schedulerParameters are the parameters of the scheduler: error and distribution of
	// ShortestPredicted, and weight:TENANT of WeightedFair. windtunnel's
	// docs/scheduling.md lists their defaults.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	SchedulerParameters map[string]PolicyParameter `json:"schedulerParameters,omitempty"`
	// victim is the running request that is preempted when no free blocks are left. It
	// is derived: LowestRank with the schedulers Priority and ReversePriority, and
	// LastAdmitted with all others.
	// +optional
	Victim Victim `json:"victim,omitempty"`
	// longPrefillTokenThreshold is the maximum number of prompt tokens that one
	// request computes in a step, so that a long prompt leaves room for others. 0
	// means no limit.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1048576
	LongPrefillTokenThreshold int32 `json:"longPrefillTokenThreshold,omitempty"`
	// reserveFullPrompt admits a request only if its whole prompt fits into the free
	// KV cache (vLLM's scheduler_reserve_full_isl). Disabled admits it if its next
	// chunk fits.
	// +optional
	// +kubebuilder:default=Enabled
	ReserveFullPrompt Switch `json:"reserveFullPrompt,omitempty"`
	// asynchronousScheduling makes the schedule of a step when the one before it begins,
	// so that a request that comes while a step runs is in the step after the next. It
	// is derived: Enabled from version 0.14 on, and Disabled before, with the latency
	// models linear and physics, and with speculation NGram, which excludes it.
	// +optional
	AsynchronousScheduling Switch `json:"asynchronousScheduling,omitempty"`
	// speculation is speculative decoding. Without it, a step computes one token of each
	// request that decodes.
	// +optional
	Speculation *Speculation `json:"speculation,omitempty"`
	// queueMetrics measures priorityInversions and headOfLineBlocking of the wait queue.
	// Without it, they are not measured.
	// +optional
	QueueMetrics Switch `json:"queueMetrics,omitempty"`
}

// Scheduler names an order of an engine's wait queue.
// +kubebuilder:validation:Enum=FCFS;Priority;ReversePriority;ShortestPrompt;ShortestPredicted;ShortestOracle;EarliestDeadline;WeightedFair;LeastAttainedService
type Scheduler string

const (
	// FCFSScheduler serves in order of arrival and preempts the request that
	// was admitted last (vLLM's --scheduling-policy fcfs).
	FCFSScheduler Scheduler = "FCFS"
	// PriorityScheduler serves the highest priority first and preempts the
	// lowest (vLLM's --scheduling-policy priority).
	PriorityScheduler Scheduler = "Priority"
	// ReversePriorityScheduler serves the lowest priority first, as a worst case to
	// compare with.
	ReversePriorityScheduler Scheduler = "ReversePriority"
	// ShortestPromptScheduler serves short prompts first. vLLM has no such
	// policy.
	ShortestPromptScheduler Scheduler = "ShortestPrompt"
	// ShortestPredictedScheduler serves requests first whose prompt and predicted answer
	// together are short.
	ShortestPredictedScheduler Scheduler = "ShortestPredicted"
	// ShortestOracleScheduler is ShortestPredicted with the true lengths of answers: a
	// bound that no engine can reach.
	ShortestOracleScheduler Scheduler = "ShortestOracle"
	// EarliestDeadlineScheduler serves requests first whose first token is due first, by
	// their TTFT targets. Requests without a target come last.
	EarliestDeadlineScheduler Scheduler = "EarliestDeadline"
	// WeightedFairScheduler serves the tenant that is furthest behind its share of the
	// tokens.
	WeightedFairScheduler Scheduler = "WeightedFair"
	// LeastAttainedServiceScheduler serves the tenant with the fewest tokens served.
	LeastAttainedServiceScheduler Scheduler = "LeastAttainedService"
)

// Victim names a choice of the running request to preempt.
// +kubebuilder:validation:Enum=LastAdmitted;LowestRank;FewestComputedTokens;MostBlocks
type Victim string

const (
	// LastAdmittedVictim is the request that was admitted last.
	LastAdmittedVictim Victim = "LastAdmitted"
	// LowestRankVictim is the request that the scheduler would serve last.
	LowestRankVictim Victim = "LowestRank"
	// FewestComputedTokensVictim is the request with the fewest tokens in the KV cache.
	FewestComputedTokensVictim Victim = "FewestComputedTokens"
	// MostBlocksVictim is the request that holds the most KV blocks.
	MostBlocksVictim Victim = "MostBlocks"
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

// Precision names how weights are stored.
// +kubebuilder:validation:Enum=auto;bf16;fp8;int8;int4;int4-g32;nvfp4;mxfp4
type Precision string

// KVPrecision names how keys and values are stored.
// +kubebuilder:validation:Enum=auto;bf16;fp8;int8;int4
type KVPrecision string

// ActivationPrecision names the number format of matrix multiplications.
// +kubebuilder:validation:Enum=auto;bf16;fp8;int8;nvfp4;mxfp4
type ActivationPrecision string

// AutoPrecision leaves a number's format to the model and the accelerator.
const AutoPrecision = "auto"

// Quantization is the number format in which a model is served. It determines the
// size of weights and KV cache, and the speed of matrix multiplications.
// Embeddings, LM head, router and norms stay in 16 bits, and attention computes
// in 16 bits.
type Quantization struct {
	// weights is the format of the matrices of the layers, experts included. auto is
	// the format in which the model was published, for most models bf16; gpt-oss keeps
	// its experts in mxfp4 and the rest in bf16.
	// +optional
	// +kubebuilder:default=auto
	Weights Precision `json:"weights,omitempty"`
	// kvCache is the format of keys and values (vLLM's --kv-cache-dtype); auto
	// is bf16.
	// +optional
	// +kubebuilder:default=auto
	KVCache KVPrecision `json:"kvCache,omitempty"`
	// activations is the format of matrix multiplications. auto is the format of the
	// weights if the accelerator supports it, and otherwise bf16. int4 weights are
	// always multiplied in bf16, and mxfp4 weights with auto; they take mxfp4 or fp8
	// on an accelerator that computes in 4 bits.
	// +optional
	// +kubebuilder:default=auto
	Activations ActivationPrecision `json:"activations,omitempty"`
}

// RequestCostPreset names the way of a request to the engine.
// +kubebuilder:validation:Enum=None;Direct;Gateway
type RequestCostPreset string

const (
	// NoRequestCost states that there is no such time.
	NoRequestCost RequestCostPreset = "None"
	// DirectRequestCost is that of the tokeniser and HTTP of vLLM's API server.
	DirectRequestCost RequestCostPreset = "Direct"
	// GatewayRequestCost is that of a gateway with an EPP too.
	GatewayRequestCost RequestCostPreset = "Gateway"
)

// RequestCost is the time that a request takes outside the engine's steps, such as
// tokenisation in the API server and the queue between engine and API server. It
// can be combined with every model of step times.
type RequestCost struct {
	// preset is the cost of what the other fields leave out. Direct is the tokeniser and
	// HTTP of vLLM's API server: 6 ms and 1.5 µs for each token of the prompt. Gateway is a
	// gateway with an EPP too: 8 ms and 11.5 µs. None is nothing. It is derived: None.
	// +optional
	Preset RequestCostPreset `json:"preset,omitempty"`
	// queueBaseMicroseconds delays each request before it may be scheduled.
	// +optional
	QueueBaseMicroseconds Microseconds `json:"queueBaseMicroseconds,omitempty"`
	// queuePerTokenMicroseconds delays a request for each token of its prompt.
	// +optional
	QueuePerTokenMicroseconds Microseconds `json:"queuePerTokenMicroseconds,omitempty"`
	// perOutputTokenMicroseconds delays each output token, outside the engine's
	// steps.
	// +optional
	PerOutputTokenMicroseconds Microseconds `json:"perOutputTokenMicroseconds,omitempty"`
	// completionMicroseconds delays the end of each answer, once.
	// +optional
	CompletionMicroseconds Microseconds `json:"completionMicroseconds,omitempty"`
}
