// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Scenario is what is simulated: the cluster, its router, the traffic and the
// promises made to users. It is the simulator's pure input: nothing in it says
// how or where the simulation runs.
type Scenario struct {
	// horizon says when the simulation ends.
	// +required
	Horizon Horizon `json:"horizon,omitzero"`
	// catalogue adds models and accelerators to the built-in ones. An entry of a
	// name that is there already replaces it; of two in this list the later one
	// counts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Catalogue []CatalogueSource `json:"catalogue,omitempty"`
	// pools are the replicas that serve.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Pools []Pool `json:"pools,omitempty"`
	// router chooses the replica of each request.
	// +required
	Router Router `json:"router,omitzero"`
	// disaggregation is how KV goes from replicas that prefill to those that
	// decode. Where it is not set, its fields' defaults apply; without pools that
	// have roles it has no effect.
	// +optional
	Disaggregation *Disaggregation `json:"disaggregation,omitempty"`
	// workload is the traffic.
	// +required
	Workload Workload `json:"workload,omitzero"`
	// disruptions are failures, drains and recoveries of replicas, in order of time.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	Disruptions []Disruption `json:"disruptions,omitempty"`
	// slos are the latency targets by class. Goodput is defined only where
	// there are some.
	// +optional
	// +listType=map
	// +listMapKey=class
	// +kubebuilder:validation:MaxItems=16
	SLOs []SLO `json:"slos,omitempty"`
}

// Horizon says when a simulation ends: arrivals stop at a number of requests
// or at a time, then what is in flight drains.
//
// +kubebuilder:validation:XValidation:rule="has(self.requests) || has(self.duration)",message="one of requests and duration must be set"
// +kubebuilder:validation:XValidation:rule="!has(self.warmup) || !has(self.duration) || duration(self.warmup) < duration(self.duration)",message="warmup must be shorter than duration, or nothing is measured"
// +kubebuilder:validation:XValidation:rule="!has(self.warmup) || !has(self.warmupRule)",message="warmup is given or found by a rule: set warmup or warmupRule, not both"
type Horizon struct {
	// requests is the number of arrivals after which no more are taken.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Requests *int64 `json:"requests,omitempty"`
	// duration is the simulated time after which no more arrivals are taken.
	// +optional
	Duration PositiveDuration `json:"duration,omitempty"`
	// warmup is simulated time at the start whose arrivals are served and not
	// measured.
	// +optional
	Warmup Duration `json:"warmup,omitempty"`
	// warmupRule finds the warm-up, in place of warmup, and doubles what a
	// simulation takes: it runs once to find it and once more to measure. MSER
	// leaves out the start without which the mean time to first token of the
	// other requests is known best; nothing, where that is more than half of
	// them.
	// +optional
	WarmupRule WarmupRule `json:"warmupRule,omitempty"`
	// drain is the longest simulated time to go on after the last arrival.
	// Requests that are still in flight then count as unfinished.
	// +optional
	// +kubebuilder:default="1h"
	Drain Duration `json:"drain,omitempty"`
}

// WarmupRule is how the end of the warm-up is found.
//
// +kubebuilder:validation:Enum=MSER
type WarmupRule string

// MSERWarmup is the marginal standard error rule (White 1997) over means of five.
const MSERWarmup WarmupRule = "MSER"

// CatalogueSource is a text that describes models or accelerators: the YAML that
// `windtunnel catalogue -o yaml` prints, or the config.json of one model.
//
// +kubebuilder:validation:ExactlyOneOf=inline;configMapRef;file
type CatalogueSource struct {
	// model is the name of the model whose Hugging Face config.json the source
	// is. Where it is not set, the source is YAML whose entries name
	// themselves.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Model string `json:"model,omitempty"`
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

// Router chooses the replica of each request: the llm-d EPP, or a policy of
// Windtunnel's own.
//
// +kubebuilder:validation:ExactlyOneOf=endpointPickerConfig;policies
type Router struct {
	// endpointPickerConfig is the llm-d EPP's configuration, verbatim.
	// +optional
	EndpointPickerConfig EndpointPickerConfig `json:"endpointPickerConfig,omitzero"`
	// policies stand in for an EPP.
	// +optional
	Policies *Policies `json:"policies,omitempty"`
	// metricsRefreshInterval is the time between scrapes of a replica's
	// metrics (the EPP's --refresh-metrics-interval, at least 50ms).
	// +optional
	// +kubebuilder:default="50ms"
	MetricsRefreshInterval RefreshInterval `json:"metricsRefreshInterval,omitempty"`
	// replicas is the number of EPPs that requests are spread over in turn, each
	// with counters and a prefix index of its own. Where it is not set there is
	// one.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Replicas int32 `json:"replicas,omitempty"`
	// tieBreak is what a picker does with endpoints of the same score. Where it
	// is not set, it is what the EPP's version does.
	// +optional
	TieBreak TieBreak `json:"tieBreak,omitempty"`
	// kvEvents is how the EPP hears of what engines store and evict.
	// +optional
	KVEvents *KVEvents `json:"kvEvents,omitempty"`
	// latencyPrediction is how good the predictions are that the EPP's plugins
	// for predicted latency go by.
	// +optional
	LatencyPrediction *LatencyPrediction `json:"latencyPrediction,omitempty"`
	// tokenEstimate is how an EPP that does not tokenise counts tokens.
	// +optional
	TokenEstimate *TokenEstimate `json:"tokenEstimate,omitempty"`
}

// TieBreak names a choice among endpoints of the same score.
// +kubebuilder:validation:Enum=Random;First;Rotate
type TieBreak string

const (
	// RandomTieBreak takes any of them.
	RandomTieBreak TieBreak = "Random"
	// FirstTieBreak takes the one that comes first in the list of pools.
	FirstTieBreak TieBreak = "First"
	// RotateTieBreak goes round.
	RotateTieBreak TieBreak = "Rotate"
)

// KVEvents are what engines publish of their KV caches.
type KVEvents struct {
	// lag is how late the EPP hears of what has happened. Where it is not set,
	// it hears at once.
	// +optional
	Lag Duration `json:"lag,omitempty"`
}

// LatencyPrediction stands in for a model that is trained beside the EPP: it
// tells what the simulated engine takes, with an error.
type LatencyPrediction struct {
	// error is how far predictions are off on average, as a share of the truth:
	// at most 0.5, and about 0.05 by what llm-d states. Where it is not set,
	// predictions are right.
	// +optional
	Error NonNegativeDecimal `json:"error,omitempty"`
	// lag is how old the state is that a prediction rests on. Where it is not
	// set, it is as the last scrape had it.
	// +optional
	Lag Duration `json:"lag,omitempty"`
}

// TokenEstimate is what an EPP that counts bytes knows of tokens.
type TokenEstimate struct {
	// bytesPerToken is how many bytes the workload's tokens have on average.
	// The EPP reckons with 4. Where it is not set they have as many.
	// +optional
	BytesPerToken PositiveDecimal `json:"bytesPerToken,omitempty"`
}

// EndpointPickerConfig is an EPP configuration file and the version that
// reads it.
//
// +kubebuilder:validation:ExactlyOneOf=inline;configMapRef;file
type EndpointPickerConfig struct {
	// version is the EPP's version, such as router-v0.10; a name without its
	// patch number means the newest one. auto takes the newest version that
	// accepts the file, and says which.
	// +optional
	// +kubebuilder:default=router-v0.10
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	Version string `json:"version,omitempty"`
	// inline is the text of the file: the bare configuration, or a ConfigMap or
	// Helm values that hold one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	Inline *string `json:"inline,omitempty"`
	// configMapRef is the ConfigMap that holds the file.
	// +optional
	ConfigMapRef *EndpointPickerConfigMap `json:"configMapRef,omitempty"`
	// file is a path on the machine of the local verbs, relative to the
	// manifest. A cluster cannot read it: use configMapRef there.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	File *string `json:"file,omitempty"`
}

// EndpointPickerConfigMap names the ConfigMap, in the object's namespace, that
// the EPP is configured by.
type EndpointPickerConfigMap struct {
	// name is the ConfigMap's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, - and ., such as team-a.prompts"
	Name string `json:"name,omitempty"`
	// key is a key of its data or binaryData. Where it is not set, it is the one
	// that holds an EPP configuration.
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
	// key is a key of its data or binaryData.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z0-9]+$')",message="must be the key of a ConfigMap: letters, digits, -, _ and ., such as epp.yaml"
	Key string `json:"key,omitempty"`
}

// SLO is what users of a class were promised. A request is good when it meets
// every target that is set.
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
