// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import corev1 "k8s.io/api/core/v1"

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
//
// +kubebuilder:validation:XValidation:rule="!has(self.prompts) || !has(self.sessions)",message="prompts excludes sessions: a conversation does not repeat itself"
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
	// sheds them while it is saturated, and nothing from 0 on. With flow
	// control it is the band in which they wait, and none is shed.
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
	// prompts make the client send a fixed set of prompts again and again.
	// Where it is not set, no two prompts have the same own part.
	// +optional
	Prompts *Prompts `json:"prompts,omitempty"`
	// sessions make the client's requests turns of conversations. Where it is
	// not set, they belong to none.
	// +optional
	Sessions *Sessions `json:"sessions,omitempty"`
	// adapter is the LoRA adapter that the client's requests ask for; every
	// pool then has adapters. Where it is not set, they ask for the base model.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Adapter string `json:"adapter,omitempty"`
	// headers are what the client's requests carry, by name, for plugins of the
	// router that read some.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Headers map[string]HeaderValue `json:"headers,omitempty"`
}

// HeaderValue is the value of a header: ASCII characters and blanks between them,
// the first of which is a letter or a digit.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=1024
// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([ -~]*[!-~])?$`
type HeaderValue string

// Copies make a client stand for many of its kind, named name-1, name-2 and so
// on, each with arrivals and lengths of its own, unless said otherwise. The
// client's rate is that of all of them together.
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
	// arrivals says whether each copy has an arrival process of its own, with
	// its share of the rate, or all of them have one between them, whose
	// requests are dealt out. Where it is not set it is Own.
	// +optional
	Arrivals CopyArrivals `json:"arrivals,omitempty"`
	// adapters says whether each copy asks for a LoRA adapter of its own, named
	// adapter-1, adapter-2 and so on, or all ask for the client's. Where it is
	// not set it is Own.
	// +optional
	Adapters CopyAdapters `json:"adapters,omitempty"`
}

// CopyArrivals says where the arrivals of a client's copies come from.
// +kubebuilder:validation:Enum=Own;Cycle;Random
type CopyArrivals string

const (
	// OwnArrivals give each copy a process of its own.
	OwnArrivals CopyArrivals = "Own"
	// CycleArrivals deal the requests of one process out in rounds. A round has
	// one request for each copy, or one for each of their prompts, in an order
	// that is drawn once. All copies have the same share.
	CycleArrivals CopyArrivals = "Cycle"
	// RandomArrivals deal each request of one process out at random, by the
	// shares.
	RandomArrivals CopyArrivals = "Random"
)

// CopyAdapters says whose LoRA adapter the copies of a client ask for.
// +kubebuilder:validation:Enum=Own;Shared
type CopyAdapters string

const (
	// OwnAdapters give each copy an adapter of its own.
	OwnAdapters CopyAdapters = "Own"
	// SharedAdapters leave all copies with the client's adapter.
	SharedAdapters CopyAdapters = "Shared"
)

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
// +kubebuilder:validation:ExactlyOneOf=rate;stages
// +kubebuilder:validation:XValidation:rule="(self.process == 'Gamma') == has(self.cv)",message="cv must be set exactly when process is Gamma"
type Arrivals struct {
	// process is the random process.
	// +optional
	// +kubebuilder:default=Poisson
	Process ArrivalProcess `json:"process,omitempty"`
	// rate is the mean number of requests a second.
	// +optional
	Rate PositiveDecimal `json:"rate,omitempty"`
	// stages are rates that follow each other without a pause. After the last
	// one the client sends no more.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Stages []RateStage `json:"stages,omitempty"`
	// cv is the coefficient of variation of the gaps of a Gamma process:
	// above 1 is burstier than Poisson.
	// +optional
	CV PositiveDecimal `json:"cv,omitempty"`
}

// RateStage is a rate for a time.
type RateStage struct {
	// rate is the mean number of requests a second; "0" is a pause.
	// +required
	Rate NonNegativeDecimal `json:"rate,omitempty"`
	// duration is how long it lasts.
	// +required
	Duration PositiveDuration `json:"duration,omitempty"`
}

// Order says in which order a client takes what it has several of.
// +kubebuilder:validation:Enum=Cycle;Random
type Order string

const (
	// CycleOrder goes round.
	CycleOrder Order = "Cycle"
	// RandomOrder takes any of them each time.
	RandomOrder Order = "Random"
)

// Prompts are a fixed set of prompts. Each has its own part of inputTokens,
// drawn once, behind the client's prefix. What is answered is drawn anew each
// time.
type Prompts struct {
	// count is the number of different prompts of the client, or of each copy.
	// All copies together have at most 1000000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Count int32 `json:"count,omitempty"`
	// order is the order in which they are sent.
	// +optional
	// +kubebuilder:default=Cycle
	Order Order `json:"order,omitempty"`
}

// Sessions are conversations. Arrivals stay what the process says: a turn does
// not wait for the answer before it, and comes after as many others as there
// are conversations at a time, so that the time between two turns is about
// concurrent divided by rate.
type Sessions struct {
	// concurrent is the number of conversations at a time, of the client or of
	// each copy. Where one ends the next one begins.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Concurrent int32 `json:"concurrent,omitempty"`
	// turns is the number of requests of a conversation: read turns where
	// lengths speak of tokens.
	// +required
	Turns Lengths `json:"turns,omitzero"`
	// context says what a turn's prompt consists of beside the prefix and its
	// own part.
	// +optional
	// +kubebuilder:default=Accumulate
	Context SessionContext `json:"context,omitempty"`
	// maxTokens bounds what accumulates: a conversation whose next prompt would
	// be longer ends before that.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	MaxTokens *int32 `json:"maxTokens,omitempty"`
	// order says which of the conversations goes on with an arrival.
	// +optional
	// +kubebuilder:default=Cycle
	Order Order `json:"order,omitempty"`
}

// SessionContext says what a turn's prompt knows of the turns before.
// +kubebuilder:validation:Enum=Accumulate;Independent
type SessionContext string

const (
	// AccumulateContext puts the own parts and the answers of all turns before
	// between the prefix and the own part.
	AccumulateContext SessionContext = "Accumulate"
	// IndependentContext leaves them out.
	IndependentContext SessionContext = "Independent"
)

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

// VolumePath is a file's path in a volume.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=256
// +kubebuilder:validation:XValidation:rule="self.split('/').all(e, size(e) > 0 && !(e in ['.', '..']))",message="must be a path from the volume's root, such as traces/day.jsonl.gz, without . and .."
type VolumePath string

// VolumeClaimFile is a file in a PersistentVolumeClaim's volume.
type VolumeClaimFile struct {
	// claimName names the claim, in the object's namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	ClaimName string `json:"claimName,omitempty"`
	// path is the file's path in the volume.
	// +required
	Path VolumePath `json:"path,omitempty"`
}

// ImageFile is a file in an OCI image or artifact.
type ImageFile struct {
	// reference names the image, as in a container.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	Reference string `json:"reference,omitempty"`
	// path is the file's path in the image.
	// +required
	Path VolumePath `json:"path,omitempty"`
	// pullPolicy is as in a container.
	// +optional
	// +kubebuilder:validation:Enum=Always;Never;IfNotPresent
	PullPolicy corev1.PullPolicy `json:"pullPolicy,omitempty"`
}

// Trace replays recorded traffic. A trace may be gzip-compressed.
//
// +kubebuilder:validation:ExactlyOneOf=file;configMapRef;persistentVolumeClaim;image
// +kubebuilder:validation:XValidation:rule="has(self.sha256) || !(has(self.persistentVolumeClaim) || has(self.image))",message="a trace that only pods can read needs its sha256, which windtunnel trace stat prints",fieldPath=".sha256"
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
	// persistentVolumeClaim is the file of a volume, which pods mount.
	// +optional
	PersistentVolumeClaim *VolumeClaimFile `json:"persistentVolumeClaim,omitempty"`
	// image is the file of an OCI image, which pods mount (Kubernetes 1.35).
	// +optional
	Image *ImageFile `json:"image,omitempty"`
	// sha256 is the digest of the trace's text, decompressed, in hex, as
	// windtunnel trace stat prints it. Another trace is refused.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	SHA256 string `json:"sha256,omitempty"`
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
	// Below 0, the EPP sheds them while it is saturated, and nothing from 0 on.
	// With flow control it is the band in which they wait, and none is shed.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-1000000
	// +kubebuilder:validation:Maximum=1000000
	Priority int32 `json:"priority,omitempty"`
}
