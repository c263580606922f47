// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strconv"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Document is an EndpointPickerConfig as it is written. A versions tag says which
// releases have a field, both bounds inclusive; a name tag is the field's where
// another one is written under that name.
type Document struct {
	APIVersion         string          `json:"apiVersion"`
	Kind               string          `json:"kind"`
	FeatureGates       []string        `json:"featureGates" versions:"gie-v1.2.."`
	Plugins            []pluginEntry   `json:"plugins"`
	SchedulingProfiles []Profile       `json:"schedulingProfiles"`
	DataLayer          *dataLayer      `json:"dataLayer" versions:"gie-v1.5.."`
	FlowControl        *FlowControl    `json:"flowControl" versions:"scheduler-v0.6.."`
	RequestHandler     *requestHandler `json:"requestHandler" versions:"router-v0.9.."`
	// SaturationDetector and Parser are deprecated since router-v0.9: they live in
	// flowControl and requestHandler.
	SaturationDetector *Reference `json:"saturationDetector" versions:"gie-v1.5..router-main"`
	Parser             *Reference `json:"parser" versions:"gie-v1.5..router-main"`

	// Data is the old name of DataLayer.
	Data *dataLayer `json:"data" versions:"gie-v1.3..gie-v1.4"`
	// SaturationLimits are what became the parameters of a plugin.
	SaturationLimits *saturationLimits `json:"-" name:"saturationDetector" versions:"gie-v1.2..gie-v1.4"`
}

type pluginEntry struct {
	Name       string        `json:"name"`
	Type       string        `json:"type"`
	Parameters document.Node `json:"parameters"`
}

// A Reference names a plugin.
type Reference struct {
	PluginRef string `json:"pluginRef"`
}

// A Profile is a scheduling profile: filters, scorers and a picker, in order.
type Profile struct {
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
	Parsers           []Reference `json:"parsers"`
	PropagatePriority bool        `json:"propagatePriority,omitempty" versions:"router-v0.11.."`
}

type dataLayer struct {
	InjectDefaults              *bool              `json:"injectDefaults,omitempty" versions:"scheduler-520af478.."`
	Sources                     []DataSource       `json:"sources,omitempty"`
	Discovery                   *discovery         `json:"discovery,omitempty" versions:"scheduler-520af478.."`
	PeerDiscovery               *Reference         `json:"peerDiscovery,omitempty" versions:"router-main..router-main"`
	CrossReplicaSyncerPluginRef string             `json:"crossReplicaSyncerPluginRef,omitempty" versions:"router-v0.10.." v1:"no"`
	CrossReplicaSyncInterval    *document.Duration `json:"crossReplicaSyncInterval,omitempty" versions:"router-v0.10.." v1:"no"`
	CrossReplicaPublishTimeout  *document.Duration `json:"crossReplicaPublishTimeout,omitempty" versions:"router-v0.11.." v1:"no"`

	CrossReplica *crossReplica `json:"crossReplica,omitempty" versions:"router-v0.11.." v1:"only"`
}

type discovery struct {
	// PluginRef is what became Endpoints.
	PluginRef string     `json:"pluginRef,omitempty" v1:"no"`
	Endpoints *Reference `json:"endpoints,omitempty" versions:"router-v0.11.."`
	Peers     *Reference `json:"peers,omitempty" versions:"router-v0.11.."`
}

type crossReplica struct {
	SyncerPluginRef string             `json:"syncerPluginRef,omitempty"`
	SyncInterval    *document.Duration `json:"syncInterval,omitempty"`
	PublishTimeout  *document.Duration `json:"publishTimeout,omitempty"`
}

// A DataSource is a source of data about endpoints, and what takes the data from it.
type DataSource struct {
	PluginRef  string      `json:"pluginRef"`
	Extractors []Reference `json:"extractors,omitempty"`
}

// FlowControl is the section flowControl.
type FlowControl struct {
	MaxBytes                    *document.Quantity `json:"maxBytes,omitempty" versions:"gie-v1.5.."`
	MaxRequests                 *document.Quantity `json:"maxRequests,omitempty" versions:"gie-v1.5.."`
	DefaultRequestTTL           *document.Duration `json:"defaultRequestTTL,omitempty"`
	NoEndpointRequestTTL        *document.Duration `json:"noEndpointRequestTTL,omitempty" versions:"router-main.."`
	DefaultPriorityBand         *priorityBand      `json:"defaultPriorityBand,omitempty"`
	DefaultNegativePriorityBand *priorityBand      `json:"defaultNegativePriorityBand,omitempty" versions:"router-v0.9.."`
	PriorityBands               []priorityBand     `json:"priorityBands,omitempty"`
	UsageLimitPolicyPluginRef   string             `json:"usageLimitPolicyPluginRef,omitempty" versions:"gie-v1.5.."`
	SaturationDetector          *Reference         `json:"saturationDetector,omitempty" versions:"router-v0.9.."`
	EnableEviction              bool               `json:"enableEviction,omitempty" versions:"router-v0.10.."`

	BandSelectionPolicyPluginRef string `json:"bandSelectionPolicyPluginRef,omitempty" versions:"router-v0.11.."`

	WholeMaxBytes *int64 `json:"-" name:"maxBytes" versions:"..gie-v1.4"`
}

type priorityBand struct {
	Priority          int                `json:"priority"`
	MaxBytes          *document.Quantity `json:"maxBytes,omitempty" versions:"gie-v1.5.."`
	MaxRequests       *document.Quantity `json:"maxRequests,omitempty" versions:"gie-v1.5.."`
	FairnessPolicyRef string             `json:"fairnessPolicyRef,omitempty" versions:"gie-v1.4.."`
	OrderingPolicyRef string             `json:"orderingPolicyRef,omitempty" versions:"gie-v1.4.."`
	DefaultRequestTTL *document.Duration `json:"defaultRequestTTL,omitempty" versions:"router-v0.11.."`

	WholeMaxBytes *int64 `json:"-" name:"maxBytes" versions:"..gie-v1.4"`
}

// saturationLimits of 0 are the defaults.
type saturationLimits struct {
	QueueDepthThreshold       int               `json:"queueDepthThreshold"`
	KVCacheUtilThreshold      float64           `json:"kvCacheUtilThreshold"`
	MetricsStalenessThreshold document.Duration `json:"metricsStalenessThreshold"`
}

const (
	deprecatedAPIVersion = "inference.networking.x-k8s.io/v1alpha1"
)

// unifyVersions puts what one version writes otherwise where all have it.
func (l *Loader) unifyVersions() {
	if l.Doc.Data != nil {
		l.Doc.DataLayer = l.Doc.Data
	}
	for i := range l.Doc.SchedulingProfiles {
		entries := l.Doc.SchedulingProfiles[i].Plugins
		for j := range entries {
			if whole := entries[j].WholeWeight; whole != nil {
				weight := float64(*whole)
				entries[j].Weight, entries[j].WholeWeight = &weight, nil
			}
		}
	}
	if f := l.Doc.FlowControl; f != nil {
		unifyBytes(f.WholeMaxBytes, &f.MaxBytes)
		if f.DefaultPriorityBand != nil {
			unifyBytes(f.DefaultPriorityBand.WholeMaxBytes, &f.DefaultPriorityBand.MaxBytes)
		}
		for i := range f.PriorityBands {
			unifyBytes(f.PriorityBands[i].WholeMaxBytes, &f.PriorityBands[i].MaxBytes)
		}
	}
}

func unifyBytes(whole *int64, to **document.Quantity) {
	if whole != nil {
		bytes := document.Quantity(strconv.FormatInt(*whole, 10))
		*to = &bytes
	}
}

// builtIn is what an empty file means.
func (l *Loader) builtIn() []byte {
	switch {
	case l.Dialect.Framework < version.GIE14:
		return []byte("{}")
	case l.Dialect.Framework < version.GIE15:
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
