// SPDX-License-Identifier: Apache-2.0

package epp

import "strconv"

// document is an EndpointPickerConfig as it is written. A versions tag says which
// releases have a field, both bounds inclusive; a name tag is the field's where
// another one is written under that name.
type document struct {
	APIVersion         string          `json:"apiVersion"`
	Kind               string          `json:"kind"`
	FeatureGates       []string        `json:"featureGates" versions:"gie-v1.2.."`
	Plugins            []pluginEntry   `json:"plugins"`
	SchedulingProfiles []profile       `json:"schedulingProfiles"`
	DataLayer          *dataLayer      `json:"dataLayer" versions:"gie-v1.5.."`
	FlowControl        *flowControl    `json:"flowControl" versions:"scheduler-v0.6.."`
	RequestHandler     *requestHandler `json:"requestHandler" versions:"router-v0.9.."`
	// SaturationDetector and Parser are deprecated since router-v0.9: they live in
	// flowControl and requestHandler.
	SaturationDetector *reference `json:"saturationDetector" versions:"gie-v1.5..router-main"`
	Parser             *reference `json:"parser" versions:"gie-v1.5..router-main"`

	// Data is the old name of DataLayer.
	Data *dataLayer `json:"data" versions:"gie-v1.3..gie-v1.4"`
	// SaturationLimits are what became the parameters of a plugin.
	SaturationLimits *saturationLimits `json:"-" name:"saturationDetector" versions:"gie-v1.2..gie-v1.4"`
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

// profileEntry puts a plugin into a profile. Only scorers have a weight, a whole
// number up to gie-v1.3.
type profileEntry struct {
	PluginRef   string   `json:"pluginRef"`
	WholeWeight *int     `json:"-" name:"weight" versions:"..gie-v1.3"`
	Weight      *float64 `json:"weight,omitempty"`
}

type requestHandler struct {
	Parsers           []reference `json:"parsers"`
	PropagatePriority bool        `json:"propagatePriority,omitempty" versions:"router-v0.11.."`
}

type dataLayer struct {
	InjectDefaults              *bool        `json:"injectDefaults,omitempty" versions:"scheduler-520af478.."`
	Sources                     []dataSource `json:"sources,omitempty"`
	Discovery                   *discovery   `json:"discovery,omitempty" versions:"scheduler-520af478.."`
	PeerDiscovery               *reference   `json:"peerDiscovery,omitempty" versions:"router-main..router-main"`
	CrossReplicaSyncerPluginRef string       `json:"crossReplicaSyncerPluginRef,omitempty" versions:"router-v0.10.." v1:"no"`
	CrossReplicaSyncInterval    *duration    `json:"crossReplicaSyncInterval,omitempty" versions:"router-v0.10.." v1:"no"`
	CrossReplicaPublishTimeout  *duration    `json:"crossReplicaPublishTimeout,omitempty" versions:"router-v0.11.." v1:"no"`

	CrossReplica *crossReplica `json:"crossReplica,omitempty" versions:"router-v0.11.." v1:"only"`
}

type discovery struct {
	// PluginRef is what became Endpoints.
	PluginRef string     `json:"pluginRef,omitempty" v1:"no"`
	Endpoints *reference `json:"endpoints,omitempty" versions:"router-v0.11.."`
	Peers     *reference `json:"peers,omitempty" versions:"router-v0.11.."`
}

type crossReplica struct {
	SyncerPluginRef string    `json:"syncerPluginRef,omitempty"`
	SyncInterval    *duration `json:"syncInterval,omitempty"`
	PublishTimeout  *duration `json:"publishTimeout,omitempty"`
}

type dataSource struct {
	PluginRef  string      `json:"pluginRef"`
	Extractors []reference `json:"extractors,omitempty"`
}

type flowControl struct {
	MaxBytes                    *quantity      `json:"maxBytes,omitempty" versions:"gie-v1.5.."`
	MaxRequests                 *quantity      `json:"maxRequests,omitempty" versions:"gie-v1.5.."`
	DefaultRequestTTL           *duration      `json:"defaultRequestTTL,omitempty"`
	NoEndpointRequestTTL        *duration      `json:"noEndpointRequestTTL,omitempty" versions:"router-main.."`
	DefaultPriorityBand         *priorityBand  `json:"defaultPriorityBand,omitempty"`
	DefaultNegativePriorityBand *priorityBand  `json:"defaultNegativePriorityBand,omitempty" versions:"router-v0.9.."`
	PriorityBands               []priorityBand `json:"priorityBands,omitempty"`
	UsageLimitPolicyPluginRef   string         `json:"usageLimitPolicyPluginRef,omitempty" versions:"gie-v1.5.."`
	SaturationDetector          *reference     `json:"saturationDetector,omitempty" versions:"router-v0.9.."`
	EnableEviction              bool           `json:"enableEviction,omitempty" versions:"router-v0.10.."`

	BandSelectionPolicyPluginRef string `json:"bandSelectionPolicyPluginRef,omitempty" versions:"router-v0.11.."`

	WholeMaxBytes *int64 `json:"-" name:"maxBytes" versions:"..gie-v1.4"`
}

type priorityBand struct {
	Priority          int       `json:"priority"`
	MaxBytes          *quantity `json:"maxBytes,omitempty" versions:"gie-v1.5.."`
	MaxRequests       *quantity `json:"maxRequests,omitempty" versions:"gie-v1.5.."`
	FairnessPolicyRef string    `json:"fairnessPolicyRef,omitempty" versions:"gie-v1.4.."`
	OrderingPolicyRef string    `json:"orderingPolicyRef,omitempty" versions:"gie-v1.4.."`
	DefaultRequestTTL *duration `json:"defaultRequestTTL,omitempty" versions:"router-v0.11.."`

	WholeMaxBytes *int64 `json:"-" name:"maxBytes" versions:"..gie-v1.4"`
}

// saturationLimits of 0 are the defaults.
type saturationLimits struct {
	QueueDepthThreshold       int      `json:"queueDepthThreshold"`
	KVCacheUtilThreshold      float64  `json:"kvCacheUtilThreshold"`
	MetricsStalenessThreshold duration `json:"metricsStalenessThreshold"`
}

const (
	deprecatedAPIVersion = "inference.networking.x-k8s.io/v1alpha1"
	configKind           = "EndpointPickerConfig"
)

// settle puts what one version writes otherwise where all have it.
func (l *loader) settle() {
	if l.doc.Data != nil {
		l.doc.DataLayer = l.doc.Data
	}
	for i := range l.doc.SchedulingProfiles {
		entries := l.doc.SchedulingProfiles[i].Plugins
		for j := range entries {
			if whole := entries[j].WholeWeight; whole != nil {
				weight := float64(*whole)
				entries[j].Weight, entries[j].WholeWeight = &weight, nil
			}
		}
	}
	if f := l.doc.FlowControl; f != nil {
		settleBytes(f.WholeMaxBytes, &f.MaxBytes)
		if f.DefaultPriorityBand != nil {
			settleBytes(f.DefaultPriorityBand.WholeMaxBytes, &f.DefaultPriorityBand.MaxBytes)
		}
		for i := range f.PriorityBands {
			settleBytes(f.PriorityBands[i].WholeMaxBytes, &f.PriorityBands[i].MaxBytes)
		}
	}
}

func settleBytes(whole *int64, to **quantity) {
	if whole != nil {
		bytes := quantity(strconv.FormatInt(*whole, 10))
		*to = &bytes
	}
}

// builtIn is what an empty file means.
func (l *loader) builtIn() []byte {
	switch {
	case l.dialect.framework < gie14:
		return []byte("{}")
	case l.dialect.framework < gie15:
		return []byte(builtInScheduling)
	default:
		return []byte(builtInScheduling + builtInSources)
	}
}

const builtInScheduling = `
kind: EndpointPickerConfig
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: 3}
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
`

const builtInSources = `
- type: metrics-data-source
- type: core-metrics-extractor
dataLayer:
  sources:
  - pluginRef: metrics-data-source
    extractors: [{pluginRef: core-metrics-extractor}]
`
