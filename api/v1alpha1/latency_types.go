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
	// and accelerators. Long prompts are too fast in it.
	PhysicsModel LatencyModel = "physics"
	// TableModel interpolates in measured step times.
	TableModel LatencyModel = "table"
)

// Latency is the model of step times and its coefficients.
//
// +kubebuilder:validation:XValidation:rule="(has(self.model) && self.model == 'linear') == has(self.linear)",message="linear must be set exactly when model is linear"
// +kubebuilder:validation:XValidation:rule="(has(self.model) && self.model == 'table') == has(self.table)",message="table must be set exactly when model is table"
// +kubebuilder:validation:XValidation:rule="!has(self.model) || self.model == 'roofline' || !has(self.roofline)",message="roofline may be set only when model is roofline"
type Latency struct {
	// model names the model. roofline takes the larger of compute and memory
	// time; linear takes measured coefficients; physics is a published
	// regression that has none to set, and prefills long prompts faster than the
	// hardware can; table interpolates in measured step times.
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
	// inline is the text itself.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	Inline *string `json:"inline,omitempty"`
	// configMapRef is the ConfigMap key that holds it, at most 64 KiB.
	// +optional
	ConfigMapRef *ConfigMapKeyReference `json:"configMapRef,omitempty"`
	// file is a path on the machine of the local verbs, relative to the
	// manifest. A cluster cannot read it: use configMapRef there.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	File *string `json:"file,omitempty"`
}

// RooflineCoefficients override what the catalogue says of the accelerator, and
// the default costs beside it.
//
// +kubebuilder:validation:XValidation:rule="!has(self.allReduce) || !has(self.allReduceLatencyMicroseconds)",message="allReduce excludes allReduceLatencyMicroseconds: it was measured with the latency in it"
type RooflineCoefficients struct {
	// memoryEfficiency is the achieved share of memory bandwidth, at most 1. By
	// default it is the catalogue's.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	MemoryEfficiency PositiveDecimal `json:"memoryEfficiency,omitempty"`
	// prefillEfficiency is the achieved share of peak FLOP/s in prefill (MFU), at
	// most 1. By default it is the catalogue's.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	PrefillEfficiency PositiveDecimal `json:"prefillEfficiency,omitempty"`
	// decodeEfficiency is the achieved share of peak FLOP/s in decode (MFU), at
	// most 1. By default it is the catalogue's.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	DecodeEfficiency PositiveDecimal `json:"decodeEfficiency,omitempty"`
	// stepOverheadMicroseconds is the fixed cost of a step, by default 0.
	// Without layerOverheadMicroseconds beside it, it is all of the fixed cost:
	// the layers then cost nothing.
	// +optional
	StepOverheadMicroseconds Microseconds `json:"stepOverheadMicroseconds,omitempty"`
	// sequenceOverheadMicroseconds is the cost of each sequence in a
	// step, by default 11.
	// +optional
	SequenceOverheadMicroseconds Microseconds `json:"sequenceOverheadMicroseconds,omitempty"`
	// tokenOverheadMicroseconds is the cost of each token that a step
	// computes, by default 1.
	// +optional
	TokenOverheadMicroseconds Microseconds `json:"tokenOverheadMicroseconds,omitempty"`
	// layerOverheadMicroseconds is the fixed cost of each layer in a step, by
	// default 31.25, which is 1 ms for a model of 32 layers.
	// +optional
	LayerOverheadMicroseconds Microseconds `json:"layerOverheadMicroseconds,omitempty"`
	// allReduceLatencyMicroseconds is the latency of one of a layer's two
	// collectives, where there is more than one GPU. Given, it replaces the
	// catalogue's measured all-reduce; where there is none, it is 10 by default.
	// +optional
	AllReduceLatencyMicroseconds Microseconds `json:"allReduceLatencyMicroseconds,omitempty"`
	// allReduce are measured times of one collective by the size of its
	// payload, among as many GPUs as a replica has. They stand in for the
	// link's bandwidth and latency. By default they are the catalogue's, where it
	// has some for the accelerator and as many GPUs.
	// +optional
	// +listType=map
	// +listMapKey=bytes
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=64
	AllReduce []AllReducePoint `json:"allReduce,omitempty"`
	// expertEfficiency is the share, at most 1, that the matrices of experts
	// reach of what others do, by default 1.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	ExpertEfficiency PositiveDecimal `json:"expertEfficiency,omitempty"`
	// expertImbalance is the work of the GPU whose experts have most to do over
	// the mean, at least 1 and by default 1. 1 also stands for experts that are
	// each cut over all GPUs (tensor parallelism, vLLM's default); above 1 whole
	// experts are dealt out to the GPUs (expert parallelism). It has no effect on
	// one GPU.
	// +optional
	ExpertImbalance PositiveDecimal `json:"expertImbalance,omitempty"`
	// dispatchLatencyMicroseconds is the cost of each layer of experts in a
	// step, by default 0.
	// +optional
	DispatchLatencyMicroseconds Microseconds `json:"dispatchLatencyMicroseconds,omitempty"`
	// dispatchTokenOverheadMicroseconds is the cost of each token in each layer
	// of experts, by default 0.
	// +optional
	DispatchTokenOverheadMicroseconds Microseconds `json:"dispatchTokenOverheadMicroseconds,omitempty"`
}

// AllReducePoint is the measured time of one collective.
type AllReducePoint struct {
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
