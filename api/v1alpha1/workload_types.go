// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Workload is the traffic: synthetic clients, or the replay of a trace.
//
// +kubebuilder:validation:ExactlyOneOf=clients;trace
type Workload struct {
	// clients are independent sources of requests.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=512
	Clients []Client `json:"clients,omitempty"`
	// trace replays recorded traffic.
	// +optional
	Trace *Trace `json:"trace,omitempty"`
}

// Client is one source of requests.
type Client struct {
	// name identifies the client.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// tenant groups clients in results.
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Tenant string `json:"tenant,omitempty"`
	// class is the SLO class of the client's requests.
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Class string `json:"class,omitempty"`
	// priority is that of the client's requests: higher is more important. A
	// pool whose engine.scheduler is Priority serves by it. Below 0, the EPP
	// sheds them while it is saturated; 0 and above it never sheds.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-1000000
	// +kubebuilder:validation:Maximum=1000000
	Priority int32 `json:"priority,omitempty"`
	// copies make the client stand for many of its kind.
	// +optional
	Copies *Copies `json:"copies,omitempty"`
	// arrivals say when requests come.
	// +required
	Arrivals Arrivals `json:"arrivals,omitzero"`
	// inputTokens is the length of a prompt's own part, without the prefix.
	// +required
	InputTokens Lengths `json:"inputTokens,omitzero"`
	// outputTokens is the length of an answer.
	// +required
	OutputTokens Lengths `json:"outputTokens,omitzero"`
	// prefix is put before each prompt and shared by all clients that name
	// the same group.
	// +optional
	Prefix *Prefix `json:"prefix,omitempty"`
}

// Copies make a client stand for many of its kind, named name-1, name-2 and so
// on, each with arrivals and lengths of its own. The client's rate is that of
// all of them together.
type Copies struct {
	// count is the number of clients. All clients of a workload are at most
	// 10000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Count int32 `json:"count,omitempty"`
	// zipfExponent s, at most 10, deals the rate out: copy k has a share in
	// proportion to k to the power of -s. "0" gives all the same, "1" is
	// Zipf's law.
	// +optional
	// +kubebuilder:default="0"
	ZipfExponent NonNegativeDecimal `json:"zipfExponent,omitempty"`
	// prefixes says whether each copy has a prefix of its own, in the groups
	// group-1, group-2 and so on, or all share the client's.
	// +optional
	// +kubebuilder:default=Own
	Prefixes CopyPrefixes `json:"prefixes,omitempty"`
}

// CopyPrefixes says whose prefix the copies of a client have.
// +kubebuilder:validation:Enum=Own;Shared
type CopyPrefixes string

const (
	// OwnPrefixes give each copy a prefix group of its own.
	OwnPrefixes CopyPrefixes = "Own"
	// SharedPrefixes leave all copies in the client's prefix group.
	SharedPrefixes CopyPrefixes = "Shared"
)

// ArrivalProcess names a random process of arrivals.
// +kubebuilder:validation:Enum=Poisson;Constant;Gamma
type ArrivalProcess string

const (
	// PoissonArrivals have exponential gaps.
	PoissonArrivals ArrivalProcess = "Poisson"
	// ConstantArrivals have equal gaps.
	ConstantArrivals ArrivalProcess = "Constant"
	// GammaArrivals have gamma-distributed gaps with a given CV.
	GammaArrivals ArrivalProcess = "Gamma"
)

// Arrivals say when requests come.
//
// +kubebuilder:validation:XValidation:rule="(self.process == 'Gamma') == has(self.cv)",message="cv must be set exactly when process is Gamma"
type Arrivals struct {
	// process is the random process.
	// +optional
	// +kubebuilder:default=Poisson
	Process ArrivalProcess `json:"process,omitempty"`
	// rate is the mean number of requests a second.
	// +required
	Rate PositiveDecimal `json:"rate,omitempty"`
	// cv is the coefficient of variation of the gaps of a Gamma process:
	// above 1 is burstier than Poisson.
	// +optional
	CV PositiveDecimal `json:"cv,omitempty"`
}

// LengthDistribution names a distribution of token counts.
// +kubebuilder:validation:Enum=Constant;Uniform;Normal;Exponential;LogNormal
type LengthDistribution string

// The distributions of token counts.
const (
	ConstantLengths    LengthDistribution = "Constant"
	UniformLengths     LengthDistribution = "Uniform"
	NormalLengths      LengthDistribution = "Normal"
	ExponentialLengths LengthDistribution = "Exponential"
	LogNormalLengths   LengthDistribution = "LogNormal"
)

// Lengths is a distribution of token counts, rounded and clamped to min and
// max.
//
// +kubebuilder:validation:XValidation:rule="self.distribution == 'Uniform' ? !has(self.mean) && has(self.max) : has(self.mean)",message="mean must be set, except for Uniform, which takes min and max"
// +kubebuilder:validation:XValidation:rule="(self.distribution in ['Normal', 'LogNormal']) == has(self.stdDev)",message="stdDev must be set exactly when distribution is Normal or LogNormal"
// +kubebuilder:validation:XValidation:rule="!has(self.max) || self.min <= self.max",message="min must not be greater than max"
type Lengths struct {
	// distribution is the shape.
	// +optional
	// +kubebuilder:default=Constant
	Distribution LengthDistribution `json:"distribution,omitempty"`
	// mean is the mean before clamping, in tokens.
	// +optional
	Mean PositiveDecimal `json:"mean,omitempty"`
	// stdDev is the standard deviation before clamping, in tokens.
	// +optional
	StdDev PositiveDecimal `json:"stdDev,omitempty"`
	// min is the least length, in tokens.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Min int32 `json:"min,omitempty"`
	// max is the greatest length, in tokens.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Max *int32 `json:"max,omitempty"`
}

// Prefix is a shared beginning of prompts, such as a system prompt.
type Prefix struct {
	// group names the text; clients of one group share it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Group string `json:"group,omitempty"`
	// tokens is its length.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Tokens int32 `json:"tokens,omitempty"`
}

// TraceFormat names the format of a trace.
// +kubebuilder:validation:Enum=Mooncake;Azure
type TraceFormat string

const (
	// MooncakeTrace is JSON lines with prefix block ids (FAST'25 release).
	MooncakeTrace TraceFormat = "Mooncake"
	// AzureTrace is the CSV of the Azure LLM inference traces.
	AzureTrace TraceFormat = "Azure"
)

// TraceArrivals says how recorded timestamps become arrivals.
// +kubebuilder:validation:Enum=AsRecorded;Spread
type TraceArrivals string

const (
	// ArrivalsAsRecorded keeps timestamps, batches included.
	ArrivalsAsRecorded TraceArrivals = "AsRecorded"
	// ArrivalsSpread spreads a batch of equal timestamps over the time to the
	// next one, at random.
	ArrivalsSpread TraceArrivals = "Spread"
)

// Trace replays recorded traffic. A trace may be gzip-compressed.
//
// +kubebuilder:validation:ExactlyOneOf=file;configMapRef
type Trace struct {
	// format is the trace's format.
	// +required
	Format TraceFormat `json:"format,omitempty"`
	// file is a path on the machine of the local verbs, relative to the
	// manifest. A cluster cannot read it: use configMapRef there.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	File *string `json:"file,omitempty"`
	// configMapRef is the ConfigMap key that holds the trace.
	// +optional
	ConfigMapRef *ConfigMapKeyReference `json:"configMapRef,omitempty"`
	// rateScale multiplies the recorded rate: 2 halves every gap.
	// +optional
	// +kubebuilder:default="1"
	RateScale PositiveDecimal `json:"rateScale,omitempty"`
	// arrivals says how recorded timestamps become arrivals.
	// +optional
	// +kubebuilder:default=AsRecorded
	Arrivals TraceArrivals `json:"arrivals,omitempty"`
	// tenant is the tenant of the trace's requests.
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Tenant string `json:"tenant,omitempty"`
	// class is the SLO class of the trace's requests.
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Class string `json:"class,omitempty"`
	// priority is that of the trace's requests: higher is more important.
	// Below 0, the EPP sheds them while it is saturated; 0 and above it never
	// sheds.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-1000000
	// +kubebuilder:validation:Maximum=1000000
	Priority int32 `json:"priority,omitempty"`
}
