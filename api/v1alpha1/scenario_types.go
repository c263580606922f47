// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Scenario is the input of a simulation: the cluster, its router, the traffic and
// the SLOs. It does not say how or where the simulation runs.
//
// +kubebuilder:validation:ExactlyOneOf=router;routers
type Scenario struct {
	// horizon says when the simulation ends.
	// +required
	Horizon Horizon `json:"horizon,omitzero"`
	// workload is the traffic.
	// +required
	Workload Workload `json:"workload,omitzero"`
	// pools are the sets of replicas that serve requests.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Pools []Pool `json:"pools,omitempty"`
	// router chooses the replica of each request. All pools serve the same model.
	// +optional
	Router Router `json:"router,omitzero"`
	// routers serve several base models, or one model several times: each entry chooses
	// among pools that serve its model, which are next to each other in pools. Where there
	// are several models, each client and the trace name theirs.
	// +optional
	// +listType=map
	// +listMapKey=model
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=16
	Routers []ModelRouter `json:"routers,omitempty"`
	// route divides the requests among the routers, such as those of a stable version and
	// of a canary. Without it, a request goes to the only router of its model.
	// +optional
	Route *Route `json:"route,omitempty"`
	// disaggregation is the transfer of KV blocks from prefill replicas to decode
	// replicas. With pools that have roles it is derived: the defaults of its fields.
	// Without such pools it has no effect.
	// +optional
	Disaggregation *Disaggregation `json:"disaggregation,omitempty"`
	// scalers change the number of replicas of pools. The pools of a scaler have no
	// disruptions.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Scalers []Scaler `json:"scalers,omitempty"`
	// nodePools are the nodes for the replicas of pools that name one. Without them, each
	// new replica has a machine of its own.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	NodePools []NodePool `json:"nodePools,omitempty"`
	// activator lets requests wait while a scaler has left no replica. Without it, such
	// requests are rejected.
	// +optional
	Activator *Activator `json:"activator,omitempty"`
	// disruptions are failures, drains and recoveries of replicas, in order of time.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	Disruptions []Disruption `json:"disruptions,omitempty"`
	// slos are the latency targets by class. Without them, goodput is not defined.
	// +optional
	// +listType=map
	// +listMapKey=class
	// +kubebuilder:validation:MaxItems=16
	SLOs []SLO `json:"slos,omitempty"`
	// catalogue adds models and accelerators to the built-in ones. An entry replaces
	// an earlier entry of the same name.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Catalogue []CatalogueSource `json:"catalogue,omitempty"`
}

// Horizon says when a simulation ends: arrivals stop at a number of requests
// or at a time, then what is in flight drains.
//
// +kubebuilder:validation:XValidation:rule="has(self.requests) || has(self.duration)",message="one of requests and duration must be set"
// +kubebuilder:validation:XValidation:rule="!has(self.warmup) || !has(self.duration) || duration(self.warmup) < duration(self.duration)",message="warmup must be shorter than duration, or nothing is measured",fieldPath=".warmup"
// +kubebuilder:validation:XValidation:rule="!has(self.warmup) || !has(self.warmupRule)",message="warmup is given or found by a rule: set warmup or warmupRule, not both",fieldPath=".warmupRule"
type Horizon struct {
	// requests is the number of arrivals after which no more are taken.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Requests *int64 `json:"requests,omitempty"`
	// duration is the simulated time after which no more arrivals are taken.
	// +optional
	Duration PositiveDuration `json:"duration,omitempty"`
	// warmup is the simulated time at the start whose arrivals are served but not
	// measured.
	// +optional
	Warmup Duration `json:"warmup,omitempty"`
	// warmupRule is a rule that finds the warm-up, in place of warmup. It doubles the
	// CPU time of a simulation, which runs once to find the warm-up and once to
	// measure. MSER removes the requests at the start whose removal minimises the
	// standard error of the mean time to first token. If these are more than half of
	// the requests, it removes none.
	// +optional
	WarmupRule WarmupRule `json:"warmupRule,omitempty"`
	// drain is the maximum simulated time after the last arrival. Requests that are
	// still in flight after this time count as unfinished.
	// +optional
	// +kubebuilder:default="1h"
	Drain Duration `json:"drain,omitempty"`
	// startTime is the date and time at which the run starts, such as
	// 2026-01-05T08:00:00Z. Cron triggers of KEDA need it.
	// +optional
	StartTime Timestamp `json:"startTime,omitempty"`
}

// WarmupRule is a rule that finds the end of the warm-up.
//
// +kubebuilder:validation:Enum=MSER
type WarmupRule string

// MSERWarmup is the marginal standard error rule (White 1997) over means of five.
const MSERWarmup WarmupRule = "MSER"

// CatalogueSource is a text that describes models or accelerators: YAML in the
// format of `windtunnel catalogue -o yaml`, or the config.json of one model.
//
// +kubebuilder:validation:ExactlyOneOf=inline;configMapRef;file
type CatalogueSource struct {
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
	// model is the name of the model if the source is its Hugging Face config.json.
	// Without it, the source is YAML with named entries.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Model string `json:"model,omitempty"`
}

// Router chooses the replica of each request: the llm-d EPP, or a native policy of
// Windtunnel.
//
// +kubebuilder:validation:ExactlyOneOf=endpointPickerConfig;policies
type Router struct {
	// endpointPickerConfig is the llm-d EPP's configuration, verbatim.
	// +optional
	EndpointPickerConfig EndpointPickerConfig `json:"endpointPickerConfig,omitzero"`
	// policies are native policies that replace the EPP.
	// +optional
	Policies *Policies `json:"policies,omitempty"`
	// admission decides which requests reach the router, and when, whichever router it
	// is. Without it, every request does.
	// +optional
	Admission *GatewayPolicy `json:"admission,omitempty"`
	// priority states the priority of each request on its arrival, in place of the
	// client's. The admission, the router and the engines' schedulers use it.
	// +optional
	Priority *GatewayPolicy `json:"priority,omitempty"`
	// adaptive changes the weights of scorers in the run by a law, which policy names.
	// windtunnel's docs/policy-reference.md lists the laws.
	// +optional
	Adaptive *GatewayPolicy `json:"adaptive,omitempty"`
	// replicas is the number of EPPs. Requests go to them in turn, and each EPP has
	// its own counters and prefix index. The default is 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Replicas int32 `json:"replicas,omitempty"`
	// metricsRefreshInterval is the time between scrapes of a replica's
	// metrics (the EPP's --refresh-metrics-interval, at least 50ms).
	// +optional
	// +kubebuilder:default="50ms"
	MetricsRefreshInterval RefreshInterval `json:"metricsRefreshInterval,omitempty"`
	// signals says when the router, and the policies before it, read the metrics of
	// replicas: every metricsRefreshInterval with Scraped, or at each decision with
	// Oracle, which no router can. The default is Scraped.
	// +optional
	Signals Signals `json:"signals,omitempty"`
	// kvEvents are the events by which engines tell the EPP about stored and evicted
	// blocks.
	// +optional
	KVEvents *KVEvents `json:"kvEvents,omitempty"`
	// tieBreak is the choice of a picker among endpoints with the same score. It is
	// derived from the EPP's version.
	// +optional
	TieBreak TieBreak `json:"tieBreak,omitempty"`
	// tokenEstimate describes how an EPP without a tokeniser counts tokens.
	// +optional
	TokenEstimate *TokenEstimate `json:"tokenEstimate,omitempty"`
	// latencyPrediction is the quality of the predictions for the EPP's
	// predicted-latency plugins.
	// +optional
	LatencyPrediction *LatencyPrediction `json:"latencyPrediction,omitempty"`
}

// Signals says when a router reads the metrics of replicas.
// +kubebuilder:validation:Enum=Scraped;Oracle
type Signals string

const (
	// ScrapedSignals reads them in intervals.
	ScrapedSignals Signals = "Scraped"
	// OracleSignals reads them at each decision.
	OracleSignals Signals = "Oracle"
)

// TieBreak names a choice among endpoints of the same score.
// +kubebuilder:validation:Enum=Random;First;Rotate
type TieBreak string

const (
	// RandomTieBreak takes a random endpoint.
	RandomTieBreak TieBreak = "Random"
	// FirstTieBreak takes the endpoint that comes first in the list of pools.
	FirstTieBreak TieBreak = "First"
	// RotateTieBreak takes the endpoints in turn.
	RotateTieBreak TieBreak = "Rotate"
)

// KVEvents are the events that engines publish about their KV caches.
//
// +structType=atomic
type KVEvents struct {
	// lag is the delay between an event and its arrival at the EPP.
	// +optional
	// +kubebuilder:default="0s"
	Lag Duration `json:"lag,omitempty"`
}

// LatencyPrediction replaces the latency model that is trained next to the EPP. It
// predicts the latency of the simulated engine, with an error.
//
// +structType=atomic
type LatencyPrediction struct {
	// error is the mean error of predictions as a share of the true latency, at most
	// 0.5. llm-d states about 0.05.
	// +optional
	// +kubebuilder:default="0"
	Error NonNegativeDecimal `json:"error,omitempty"`
	// lag is the additional age of the state on which a prediction is based. With 0s,
	// this is the state of the last scrape.
	// +optional
	// +kubebuilder:default="0s"
	Lag Duration `json:"lag,omitempty"`
}

// TokenEstimate describes how many bytes a token has, for an EPP that counts bytes.
//
// +structType=atomic
type TokenEstimate struct {
	// bytesPerToken is the mean number of bytes of the workload's tokens. The EPP
	// assumes 4.
	// +optional
	// +kubebuilder:default="4"
	BytesPerToken PositiveDecimal `json:"bytesPerToken,omitempty"`
}

// EndpointPickerConfig is an EPP configuration file and the version that
// reads it.
//
// +kubebuilder:validation:ExactlyOneOf=inline;configMapRef;file
type EndpointPickerConfig struct {
	// version is the EPP's version, such as router-v0.10, whose newest patch it means.
	// auto selects the newest version that accepts the file; the status shows it.
	// +optional
	// +kubebuilder:default=router-v0.10
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	Version string `json:"version,omitempty"`
	// inline is the text of the file: an EndpointPickerConfig, or a ConfigMap or Helm
	// values that contain one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	Inline *string `json:"inline,omitempty"`
	// configMapRef is the ConfigMap that holds the file.
	// +optional
	ConfigMapRef *EndpointPickerConfigMap `json:"configMapRef,omitempty"`
	// file is a path on your machine, relative to the manifest. A cluster needs
	// configMapRef.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	File *string `json:"file,omitempty"`
}

// EndpointPickerConfigMap names a ConfigMap in the object's namespace that holds
// the EPP's configuration.
type EndpointPickerConfigMap struct {
	// name is the ConfigMap's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	Name string `json:"name,omitempty"`
	// key is a key of the ConfigMap's data or binaryData. It is derived: the key that
	// holds an EPP configuration.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z0-9]+$')",message="must be the key of a ConfigMap: letters, digits, -, _ and ., such as epp.yaml"
	Key string `json:"key,omitempty"`
}

// ConfigMapKeyReference names a key of a ConfigMap in the object's namespace.
type ConfigMapKeyReference struct {
	// name is the ConfigMap's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	Name string `json:"name,omitempty"`
	// key is a key of the ConfigMap's data or binaryData.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z0-9]+$')",message="must be the key of a ConfigMap: letters, digits, -, _ and ., such as epp.yaml"
	Key string `json:"key,omitempty"`
}

// SLO is the service level objective of a class: its latency targets. A request is
// good if it meets every target that is set.
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
