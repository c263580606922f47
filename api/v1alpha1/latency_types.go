// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// LatencyModel names a model of step times.
// +kubebuilder:validation:Enum=roofline;linear;physics;table
type LatencyModel string

const (
	// RooflineModel takes the larger of compute and memory time, from the
	// catalogue's figures and achieved shares.
	RooflineModel LatencyModel = "roofline"
	// LinearModel takes measured coefficients.
	LinearModel LatencyModel = "linear"
	// PhysicsModel is a published regression with coefficients for all models
	// and accelerators. It underestimates the prefill time of long prompts.
	PhysicsModel LatencyModel = "physics"
	// TableModel interpolates in measured step times.
	TableModel LatencyModel = "table"
)

// Latency is the model of step times and its coefficients.
//
// +kubebuilder:validation:XValidation:rule="(has(self.model) && self.model == 'linear') == has(self.linear)",message="linear must be set exactly when model is linear",fieldPath=".linear"
// +kubebuilder:validation:XValidation:rule="(has(self.model) && self.model == 'table') == has(self.table)",message="table must be set exactly when model is table",fieldPath=".table"
// +kubebuilder:validation:XValidation:rule="!has(self.model) || self.model == 'roofline' || !has(self.roofline)",message="roofline may be set only when model is roofline",fieldPath=".roofline"
type Latency struct {
	// model is the name of the model. roofline takes the larger of compute and
	// memory time. linear uses measured coefficients. physics is a published
	// regression without settings; its prefill of long prompts is faster than the
	// hardware. table interpolates in measured step times.
	// +optional
	// +kubebuilder:default=roofline
	Model LatencyModel `json:"model,omitempty"`
	// roofline overrides the accelerator's coefficients.
	// +optional
	Roofline *RooflineCoefficients `json:"roofline,omitempty"`
	// linear holds the coefficients of the linear model.
	// +optional
	Linear *LinearCoefficients `json:"linear,omitempty"`
	// table holds the step times of the table model.
	// +optional
	Table *TableSource `json:"table,omitempty"`
}

// TableSource is a YAML text of measured step times: a grid of prefill by new
// tokens and context, and one of decode by sequences and context.
//
// +kubebuilder:validation:ExactlyOneOf=inline;configMapRef;file
type TableSource struct {
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

// RooflineCoefficients override the coefficients of the accelerator in the
// catalogue, and the costs that hold for all accelerators.
//
// +kubebuilder:validation:XValidation:rule="!has(self.allReduce) || !has(self.allReduceLatencyMicroseconds)",message="allReduce excludes allReduceLatencyMicroseconds: it was measured with the latency in it",fieldPath=".allReduce"
type RooflineCoefficients struct {
	// memoryEfficiency is the achieved share of memory bandwidth, at most 1. It is
	// derived from the catalogue.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	MemoryEfficiency PositiveDecimal `json:"memoryEfficiency,omitempty"`
	// prefillEfficiency is the achieved share of peak FLOP/s in prefill (MFU), at
	// most 1. It is derived from the catalogue.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	PrefillEfficiency PositiveDecimal `json:"prefillEfficiency,omitempty"`
	// decodeEfficiency is the achieved share of peak FLOP/s in decode (MFU), at
	// most 1. It is derived from the catalogue.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	DecodeEfficiency PositiveDecimal `json:"decodeEfficiency,omitempty"`
	// stepOverheadMicroseconds is the fixed cost of a step. If it is set and
	// layerOverheadMicroseconds is not, it is the whole fixed cost, and layers cost
	// nothing. If neither is set, the step has only the fixed cost of its layers.
	// +optional
	StepOverheadMicroseconds Microseconds `json:"stepOverheadMicroseconds,omitempty"`
	// sequenceOverheadMicroseconds is the cost of each sequence in a step. The
	// default is 11.
	// +optional
	SequenceOverheadMicroseconds Microseconds `json:"sequenceOverheadMicroseconds,omitempty"`
	// tokenOverheadMicroseconds is the cost of each token that a step computes. The
	// default is 1.
	// +optional
	TokenOverheadMicroseconds Microseconds `json:"tokenOverheadMicroseconds,omitempty"`
	// layerOverheadMicroseconds is the fixed cost of each layer in a step. It is
	// derived: 0 if stepOverheadMicroseconds is set, and otherwise 31.25, which is
	// 1 ms for a model with 32 layers.
	// +optional
	LayerOverheadMicroseconds Microseconds `json:"layerOverheadMicroseconds,omitempty"`
	// allReduceLatencyMicroseconds is the latency of one of a layer's two
	// collectives, for replicas with more than one GPU. If it is set, it replaces the
	// measured all-reduce of the catalogue. It is derived: the measured all-reduce,
	// or a latency of 10 if the catalogue has none.
	// +optional
	AllReduceLatencyMicroseconds Microseconds `json:"allReduceLatencyMicroseconds,omitempty"`
	// allReduce are measured times of one collective by the size of its payload,
	// for the number of GPUs of a replica. They replace the bandwidth and latency of
	// the link. They are derived: the catalogue's times for the accelerator and this
	// number of GPUs, if it has any.
	// +optional
	// +listType=map
	// +listMapKey=bytes
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=64
	AllReduce []AllReduceTime `json:"allReduce,omitempty"`
	// kvEfficiency is the share of memoryEfficiency at which attention reads the KV
	// cache, at most 1. It is derived: 1, or what the catalogue says of the accelerator
	// and a cache in FP8.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	KVEfficiency PositiveDecimal `json:"kvEfficiency,omitempty"`
	// eagerLayerOverheadMicroseconds is the cost of each layer in a step of more than 512
	// tokens, whose kernels the engine launches one by one. It is derived: what the
	// catalogue says of the accelerator.
	// +optional
	EagerLayerOverheadMicroseconds Microseconds `json:"eagerLayerOverheadMicroseconds,omitempty"`
	// expertEfficiency is the efficiency of the experts' matrices relative to other
	// matrices, at most 1. It is derived from the format of the experts: 0.76 for bf16,
	// 0.43 for 8 bits, 0.4 for 4 bits.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	ExpertEfficiency PositiveDecimal `json:"expertEfficiency,omitempty"`
	// expertMemoryEfficiency is the share of the memory bandwidth at which experts are
	// read, at most 1. The default is 0.95.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	ExpertMemoryEfficiency PositiveDecimal `json:"expertMemoryEfficiency,omitempty"`
	// expertImbalance is the work of the GPU with the busiest experts divided by the
	// mean work of the GPUs, at least 1. The default is 1, which also represents
	// experts that are split over all GPUs (tensor parallelism, vLLM's default).
	// Above 1, each GPU has whole experts (expert parallelism). It has no effect with
	// one GPU.
	// +optional
	ExpertImbalance PositiveDecimal `json:"expertImbalance,omitempty"`
	// dispatchLatencyMicroseconds is the cost of each layer of experts in a step, in
	// addition to reading and computing them. The default is 40.
	// +optional
	DispatchLatencyMicroseconds Microseconds `json:"dispatchLatencyMicroseconds,omitempty"`
	// dispatchTokenOverheadMicroseconds is the cost of each token in each layer of
	// experts. The default is 0.
	// +optional
	DispatchTokenOverheadMicroseconds Microseconds `json:"dispatchTokenOverheadMicroseconds,omitempty"`
}

// AllReduceTime is the measured time of one collective.
type AllReduceTime struct {
	// bytes is the size of its payload on each GPU: the tokens that a step
	// computes × the model's hidden size × 2.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1099511627776
	Bytes int64 `json:"bytes,omitempty"`
	// microseconds is the time.
	// +required
	Microseconds Microseconds `json:"microseconds,omitempty"`
}

// LinearCoefficients make a step cost base + perPrefillToken times its
// uncached prompt tokens + perDecodeToken times its decoding sequences, in
// microseconds.
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
}
