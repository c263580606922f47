// SPDX-License-Identifier: Apache-2.0

package epp

// document is an EndpointPickerConfig as it is written.
type document struct {
	APIVersion         string          `json:"apiVersion"`
	Kind               string          `json:"kind"`
	FeatureGates       []string        `json:"featureGates"`
	Plugins            []pluginEntry   `json:"plugins"`
	SchedulingProfiles []profile       `json:"schedulingProfiles"`
	DataLayer          *dataLayer      `json:"dataLayer"`
	FlowControl        *flowControl    `json:"flowControl"`
	RequestHandler     *requestHandler `json:"requestHandler"`
	// SaturationDetector and Parser are deprecated: they live in flowControl
	// and requestHandler.
	SaturationDetector *reference `json:"saturationDetector"`
	Parser             *reference `json:"parser"`
}

type pluginEntry struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Parameters node   `json:"parameters"`
}

type reference struct {
	PluginRef string `json:"pluginRef"`
}

type profile struct {
	Name    string         `json:"name"`
	Plugins []profileEntry `json:"plugins"`
}

// profileEntry puts a plugin into a profile. Only scorers have a weight.
type profileEntry struct {
	PluginRef string   `json:"pluginRef"`
	Weight    *float64 `json:"weight,omitempty"`
}

type requestHandler struct {
	Parsers []reference `json:"parsers"`
}

type dataLayer struct {
	InjectDefaults              *bool        `json:"injectDefaults,omitempty"`
	Sources                     []dataSource `json:"sources,omitempty"`
	Discovery                   *reference   `json:"discovery,omitempty"`
	PeerDiscovery               *reference   `json:"peerDiscovery,omitempty"`
	CrossReplicaSyncerPluginRef string       `json:"crossReplicaSyncerPluginRef,omitempty"`
	CrossReplicaSyncInterval    *duration    `json:"crossReplicaSyncInterval,omitempty"`
}

type dataSource struct {
	PluginRef  string      `json:"pluginRef"`
	Extractors []reference `json:"extractors,omitempty"`
}

type flowControl struct {
	MaxBytes                    *quantity      `json:"maxBytes,omitempty"`
	MaxRequests                 *quantity      `json:"maxRequests,omitempty"`
	DefaultRequestTTL           *duration      `json:"defaultRequestTTL,omitempty"`
	NoEndpointRequestTTL        *duration      `json:"noEndpointRequestTTL,omitempty"`
	DefaultPriorityBand         *priorityBand  `json:"defaultPriorityBand,omitempty"`
	DefaultNegativePriorityBand *priorityBand  `json:"defaultNegativePriorityBand,omitempty"`
	PriorityBands               []priorityBand `json:"priorityBands,omitempty"`
	UsageLimitPolicyPluginRef   string         `json:"usageLimitPolicyPluginRef,omitempty"`
	SaturationDetector          *reference     `json:"saturationDetector,omitempty"`
	EnableEviction              bool           `json:"enableEviction,omitempty"`
}

type priorityBand struct {
	Priority          int       `json:"priority"`
	MaxBytes          *quantity `json:"maxBytes,omitempty"`
	MaxRequests       *quantity `json:"maxRequests,omitempty"`
	FairnessPolicyRef string    `json:"fairnessPolicyRef,omitempty"`
	OrderingPolicyRef string    `json:"orderingPolicyRef,omitempty"`
}

const (
	apiVersion           = "llm-d.ai/v1alpha1"
	deprecatedAPIVersion = "inference.networking.x-k8s.io/v1alpha1"
	configKind           = "EndpointPickerConfig"
)

// builtInConfig is what an empty file means.
const builtInConfig = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
- type: metrics-data-source
- type: core-metrics-extractor
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: 3}
dataLayer:
  sources:
  - pluginRef: metrics-data-source
    extractors: [{pluginRef: core-metrics-extractor}]
`
