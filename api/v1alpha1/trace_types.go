// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// TraceFormat names the format of a trace.
// +kubebuilder:validation:Enum=AccessLog;AIBrix;Azure;BurstGPT;CSV;LLMServingSim;Mooncake;OTel;Parquet;QwenBailian;ServeGen;TraceLab;TraceV2;Vidur;Weka;Windtunnel
type TraceFormat string

const (
	// MooncakeTrace is JSON lines with prefix block ids (FAST'25 release).
	MooncakeTrace TraceFormat = "Mooncake"
	// AccessLogTrace is JSON lines of an Envoy gateway's access log that counts tokens, as Envoy AI Gateway documents it.
	AccessLogTrace TraceFormat = "AccessLog"
	// AIBrixTrace is JSON lines of AIBrix's workload generator, with agents that wait for tools and for each other.
	AIBrixTrace TraceFormat = "AIBrix"
	// AzureTrace is the CSV of the Azure LLM inference traces of 2023 and 2024.
	AzureTrace TraceFormat = "Azure"
	// BurstGPTTrace is the CSV of the BurstGPT traces. Rows of failed requests need zeroOutput.
	BurstGPTTrace TraceFormat = "BurstGPT"
	// CSVTrace is any CSV, such as the log of a gateway, with columns that csv names, or one that
	// windtunnel trace convert wrote.
	CSVTrace TraceFormat = "CSV"
	// LLMServingSimTrace is JSON lines with ids of full blocks of 16 tokens.
	LLMServingSimTrace TraceFormat = "LLMServingSim"
	// OTelTrace is JSON with spans of OpenTelemetry's conventions for generative AI.
	OTelTrace TraceFormat = "OTel"
	// ParquetTrace is a Parquet file with the columns that the fields of Windtunnel are.
	ParquetTrace TraceFormat = "Parquet"
	// QwenBailianTrace is JSON lines with chats and ids of blocks of 16 tokens.
	QwenBailianTrace TraceFormat = "QwenBailian"
	// ServeGenTrace is a ServeGen folder or a tar archive of it, which describes clients by rates
	// and histograms. Each seed draws requests of its own.
	ServeGenTrace TraceFormat = "ServeGen"
	// TraceLabTrace is JSON lines with rounds of coding agents, what was cached of each and the times of their tools.
	TraceLabTrace TraceFormat = "TraceLab"
	// TraceV2Trace is the CSV of inference-sim, with prefix groups.
	TraceV2Trace TraceFormat = "TraceV2"
	// VidurTrace is the CSV that Vidur and splitwise-sim replay.
	VidurTrace TraceFormat = "Vidur"
	// WekaTrace is JSON with sessions of agents, their tools' times and their subagents, as InferenceX has them.
	WekaTrace TraceFormat = "Weka"
	// WindtunnelTrace is JSON lines that carry all that a trace can say, as windtunnel
	// trace convert writes them.
	WindtunnelTrace TraceFormat = "Windtunnel"
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
// +kubebuilder:validation:ExactlyOneOf=file;configMapRef;persistentVolumeClaim;image
// +kubebuilder:validation:XValidation:rule="has(self.sha256) || !(has(self.persistentVolumeClaim) || has(self.image))",message="a trace that only pods can read needs its sha256, which windtunnel trace inspect prints",fieldPath=".sha256"
type Trace struct {
	// format is the trace's format.
	// +required
	Format TraceFormat `json:"format,omitempty"`
	// file is a path on your machine, relative to the manifest. A cluster needs
	// configMapRef.
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
	// sha256 is the digest of the decompressed trace in hex, as windtunnel trace inspect
	// prints it. A trace with another digest is rejected.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	SHA256 string `json:"sha256,omitempty"`
	// rateScale is the factor for the recorded rate: 2 halves every gap.
	// +optional
	// +kubebuilder:default="1"
	RateScale PositiveDecimal `json:"rateScale,omitempty"`
	// csv names the columns of a trace of the format CSV. Without it, the columns are those that
	// windtunnel trace convert writes.
	// +optional
	CSV *TraceCSV `json:"csv,omitempty"`
	// order says in which order the rows are. Without it, they are in order of time, and a
	// row that is not is an error.
	// +optional
	Order TraceOrder `json:"order,omitempty"`
	// slice keeps a part of the trace's time. Its first request arrives at 0.
	// +optional
	Slice *TraceSlice `json:"slice,omitempty"`
	// sample keeps about this share of the requests, all of a session or none. A hash of
	// the session, or of the row where it has none, decides; "1" keeps all.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	Sample PositiveDecimal `json:"sample,omitempty"`
	// tooLong removes, shortens or refuses rows that are too long. Without it, a pool rejects
	// requests that are longer than it can serve.
	// +optional
	TooLong *TooLong `json:"tooLong,omitempty"`
	// zeroOutput says what happens to rows with an answer of 0 tokens. Results count them.
	// Without it, such a row is an error.
	// +optional
	ZeroOutput ZeroOutputAction `json:"zeroOutput,omitempty"`
	// blockTokens is the size of the blocks of a Mooncake trace in tokens. The published
	// traces have 512. Other formats fix or state the size.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	BlockTokens int32 `json:"blockTokens,omitempty"`
	// loop starts the trace again after its last row, until the horizon. Without it, the
	// traffic ends with the trace. A round lasts for the span of the trace and one mean
	// gap between its timestamps.
	// +optional
	Loop TraceLoop `json:"loop,omitempty"`
	// concurrentSessions is how many sessions are under way at a time, with the agents that they
	// begin: when one has ended, the next one begins. It needs a trace whose requests wait for
	// answers. Without it, sessions begin as recorded.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	ConcurrentSessions int32 `json:"concurrentSessions,omitempty"`
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
	// model is the base model of the trace's requests, whatever its rows say. With
	// several routers, either the trace or each of its rows names a model.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Model string `json:"model,omitempty"`
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
