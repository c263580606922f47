// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Workload is the traffic: synthetic clients, the replay of a trace, or both. Their
// requests are merged in order of arrival. Adding a client or the trace changes no
// request of the others.
//
// +kubebuilder:validation:AtLeastOneOf=clients;trace
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
// +kubebuilder:validation:ExactlyOneOf=arrivals;closedLoop
// +kubebuilder:validation:XValidation:rule="!has(self.sessions) || (has(self.closedLoop) ? !has(self.sessions.concurrent) : has(self.sessions.concurrent) != has(self.sessions.thinkTime))",message="sessions take concurrent, or thinkTime if their turns wait for answers; in a closed loop turns always wait, and each user has one session at a time"
// +kubebuilder:validation:XValidation:rule="!has(self.closedLoop) || !has(self.copies) || (!has(self.copies.arrivals) || self.copies.arrivals == 'Own') && self.copies.zipfExponent == '0'",message="copies with a closedLoop have the same number of users each: they take no arrivals and no zipfExponent"
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
	// priority is the priority of the client's requests: a higher number is more
	// important. Pools with engine.scheduler Priority serve requests in this order.
	// While the EPP is saturated, it sheds requests with a priority below 0. With flow
	// control, requests wait in the band of their priority, and the EPP sheds none.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-1000000
	// +kubebuilder:validation:Maximum=1000000
	Priority int32 `json:"priority,omitempty"`
	// copies make the client represent many similar clients.
	// +optional
	Copies *Copies `json:"copies,omitempty"`
	// arrivals say when requests come in an open loop, where no request waits for
	// another.
	// +optional
	Arrivals Arrivals `json:"arrivals,omitzero"`
	// closedLoop makes the client a fixed number of users who wait for the ends of
	// their requests.
	// +optional
	ClosedLoop *ClosedLoop `json:"closedLoop,omitempty"`
	// inputTokens is the length of a prompt without the shared prefix.
	// +required
	InputTokens Lengths `json:"inputTokens,omitzero"`
	// outputTokens is the length of an answer.
	// +required
	OutputTokens Lengths `json:"outputTokens,omitzero"`
	// timeout is how long the client waits for an answer before it gives the request up.
	// Without it, the client waits for every answer.
	// +optional
	Timeout *Timeout `json:"timeout,omitempty"`
	// retry makes the client send requests again that were not answered.
	// +optional
	Retry *Retry `json:"retry,omitempty"`
	// prefix is a shared beginning of each prompt. All clients that name the same
	// group share it.
	// +optional
	Prefix *Prefix `json:"prefix,omitempty"`
	// prompts make the client repeat a fixed set of prompts. Without them, every
	// prompt is different behind the prefix.
	// +optional
	Prompts *Prompts `json:"prompts,omitempty"`
	// sessions make the client's requests turns of conversations. Without them,
	// requests belong to no conversation.
	// +optional
	Sessions *Sessions `json:"sessions,omitempty"`
	// adapter is the LoRA adapter of the client's requests. If it is set, every pool
	// needs adapters. Without it, requests use the base model.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Adapter string `json:"adapter,omitempty"`
	// headers are the HTTP headers of the client's requests by name, for plugins of
	// the router that read headers.
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

// Copies make a client represent many similar clients, named name-1, name-2 and so
// on. Each copy has its own arrivals and lengths, unless a field says otherwise. The
// client's rate is the total rate of all copies.
type Copies struct {
	// count is the number of clients. All clients of a workload are at most
	// 10000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Count int32 `json:"count,omitempty"`
	// zipfExponent is the exponent s, at most 10, that divides the rate: the share of
	// copy k is proportional to k to the power of -s. "0" gives equal shares, "1" is
	// Zipf's law.
	// +optional
	// +kubebuilder:default="0"
	ZipfExponent NonNegativeDecimal `json:"zipfExponent,omitempty"`
	// prefixes says whether each copy has its own prefix, in the groups group-1,
	// group-2 and so on, or all copies share the client's prefix.
	// +optional
	// +kubebuilder:default=Own
	Prefixes CopyPrefixes `json:"prefixes,omitempty"`
	// arrivals says whether each copy has its own arrival process with its share of
	// the rate, or all copies share one process, whose requests are distributed among
	// them. The default is Own.
	// +optional
	Arrivals CopyArrivals `json:"arrivals,omitempty"`
	// adapters says whether each copy has its own LoRA adapter, named adapter-1,
	// adapter-2 and so on, or all copies use the client's adapter. The default is Own.
	// +optional
	Adapters CopyAdapters `json:"adapters,omitempty"`
}

// CopyArrivals says which arrival process the copies of a client have.
// +kubebuilder:validation:Enum=Own;Cycle;Random
type CopyArrivals string

const (
	// OwnArrivals give each copy its own process.
	OwnArrivals CopyArrivals = "Own"
	// CycleArrivals distribute the requests of one process in rounds. A round has
	// one request for each copy, or one for each of their prompts, in an order
	// that is drawn once. All copies have the same share.
	CycleArrivals CopyArrivals = "Cycle"
	// RandomArrivals assign each request of one process to a random copy, by the
	// shares.
	RandomArrivals CopyArrivals = "Random"
)

// CopyAdapters says which LoRA adapter the copies of a client use.
// +kubebuilder:validation:Enum=Own;Shared
type CopyAdapters string

const (
	// OwnAdapters give each copy its own adapter.
	OwnAdapters CopyAdapters = "Own"
	// SharedAdapters leave all copies with the client's adapter.
	SharedAdapters CopyAdapters = "Shared"
)

// CopyPrefixes says which prefix the copies of a client have.
// +kubebuilder:validation:Enum=Own;Shared
type CopyPrefixes string

const (
	// OwnPrefixes give each copy its own prefix group.
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

// Arrivals say when requests arrive.
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
	// stages are consecutive rates without a pause between them. After the last stage
	// the client sends no requests.
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
	// duration is the duration of the stage.
	// +required
	Duration PositiveDuration `json:"duration,omitempty"`
}

// Order is the order in which a client takes its prompts or conversations.
// +kubebuilder:validation:Enum=Cycle;Random
type Order string

const (
	// CycleOrder takes them in turn.
	CycleOrder Order = "Cycle"
	// RandomOrder takes a random one each time.
	RandomOrder Order = "Random"
)

// Prompts are a fixed set of prompts. Each prompt consists of the client's prefix
// and a part whose length is drawn once from inputTokens. The length of an answer is
// drawn each time.
type Prompts struct {
	// count is the number of different prompts of the client, or of each copy.
	// All copies together have at most 1000000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Count int32 `json:"count,omitempty"`
	// order is the order in which the client sends the prompts.
	// +optional
	// +kubebuilder:default=Cycle
	Order Order `json:"order,omitempty"`
}

// Sessions are conversations. With thinkTime, arrivals begin conversations, and each
// further turn comes a think time after the answer to the turn before it. In a closed
// loop each user has one conversation at a time. With concurrent, no turn waits for an
// answer: an arrival is the next turn of one of the conversations, so the time between
// two turns is about concurrent divided by rate.
type Sessions struct {
	// concurrent is the number of concurrent conversations of the client, or of each
	// copy, if turns do not wait. When one ends, the next begins.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Concurrent *int32 `json:"concurrent,omitempty"`
	// thinkTime is the time from an answer to the next turn of the conversation. In
	// a closed loop it is that of closedLoop if it is not set. A conversation ends
	// with a turn that is rejected or fails.
	// +optional
	ThinkTime *Durations `json:"thinkTime,omitempty"`
	// turns is the distribution of the number of requests in a conversation. Its
	// lengths are in turns, not tokens.
	// +required
	Turns Lengths `json:"turns,omitzero"`
	// context says whether the prompt of a turn contains the previous turns.
	// +optional
	// +kubebuilder:default=Accumulate
	Context SessionContext `json:"context,omitempty"`
	// maxTokens is the maximum length of an accumulated prompt. A conversation ends
	// before a prompt that would be longer.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	MaxTokens *int32 `json:"maxTokens,omitempty"`
	// order says which conversation an arrival continues.
	// +optional
	// +kubebuilder:default=Cycle
	Order Order `json:"order,omitempty"`
}

// SessionContext says whether the prompt of a turn contains the previous turns.
// +kubebuilder:validation:Enum=Accumulate;Independent
type SessionContext string

const (
	// AccumulateContext inserts the prompts and answers of all previous turns
	// between the prefix and the new part.
	AccumulateContext SessionContext = "Accumulate"
	// IndependentContext does not insert them.
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
	// group is the name of the prefix. Clients with the same group share it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Group string `json:"group,omitempty"`
	// tokens is the length of the prefix.
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
	// claimName is the name of a PersistentVolumeClaim in the object's namespace.
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
	// reference is the name of the image, as in a container.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	Reference string `json:"reference,omitempty"`
	// path is the file's path in the image.
	// +required
	Path VolumePath `json:"path,omitempty"`
	// pullPolicy is the image pull policy, as in a container.
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
	// file is a path on the machine where you run local commands, relative to the
	// manifest. A cluster cannot read the file: use configMapRef there.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	File *string `json:"file,omitempty"`
	// configMapRef is the ConfigMap key that holds the trace.
	// +optional
	ConfigMapRef *ConfigMapKeyReference `json:"configMapRef,omitempty"`
	// persistentVolumeClaim is a file in a volume, which the pods mount.
	// +optional
	PersistentVolumeClaim *VolumeClaimFile `json:"persistentVolumeClaim,omitempty"`
	// image is a file in an OCI image, which the pods mount (Kubernetes 1.35).
	// +optional
	Image *ImageFile `json:"image,omitempty"`
	// sha256 is the digest of the decompressed trace in hex, as windtunnel trace stat
	// prints it. A trace with another digest is rejected.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	SHA256 string `json:"sha256,omitempty"`
	// rateScale is the factor for the recorded rate: 2 halves every gap.
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
	// priority is the priority of the trace's requests: a higher number is more
	// important. While the EPP is saturated, it sheds requests with a priority below
	// 0. With flow control, requests wait in the band of their priority, and the EPP
	// sheds none.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-1000000
	// +kubebuilder:validation:Maximum=1000000
	Priority int32 `json:"priority,omitempty"`
	// timeout is how long the clients of the trace wait for an answer before they give
	// the request up. Without it, they wait for every answer.
	// +optional
	Timeout *Timeout `json:"timeout,omitempty"`
	// retry makes the clients of the trace send requests again that were not answered.
	// +optional
	Retry *Retry `json:"retry,omitempty"`
}
