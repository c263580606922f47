// SPDX-License-Identifier: Apache-2.0

package config

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A PluginType is what the registry knows of a type of plugin.
type PluginType struct {
	Name  string
	Roles Roles
	version.Registration
	// Payload is what a data source hands to its extractors, and what an extractor
	// takes.
	Payload Payload
	// Category is of scorers.
	Category Category
	// Alpha is whether the EPP loads it with --allow-experimental-plugins only.
	Alpha bool
	// Successor is what the EPP wants to be used in its place, if it is
	// deprecated.
	Successor string
	// Parameters returns a pointer to a struct that holds the defaults. It is
	// nil where the EPP ignores whatever parameters it is given.
	Parameters func() any
	// Treatment is nil for what is exact.
	Treatment TreatmentFunc
	// Obstacles says what keeps an instance that the EPP loads from being
	// simulated on a cluster, unsupported treatment aside; at is where it stands.
	Obstacles func(c *Config, cluster *Cluster, p *Plugin, at *field.Path) field.ErrorList
	// Needs and produces are the data that an instance requires and provides.
	Needs, Produces func(p *Plugin) []DataKey
	// Passes is for filters by label: whether an endpoint with these labels
	// stays.
	Passes func(p *Plugin, labels map[string]string) bool
	// Ordered is whether parameters name other plugins, which the EPP makes
	// first since router-v0.10.
	Ordered bool
	// Stages is for profile handlers of several profiles: which of them run. It
	// is called once all plugins and references are known to be good.
	Stages func(l *Loader, p *Plugin) Stages

	// Freshness says, of a producer, how old its data are when they are read; see
	// [Plugin.Freshness].
	Freshness string
	// NeededInMay are the data that an instance needs in scheduler-520af478, which
	// does not tell instances of one type apart by name.
	NeededInMay []DataKind
	// ActsOutside reports whether an instance of a type that belongs into a profile
	// matters outside of profiles; nil is never.
	ActsOutside func(c *Config, p *Plugin) bool
}

// A Payload is a kind of data that sources hand to extractors, as the EPP's messages
// have it.
type Payload string

// Payloads of data sources.
const (
	MetricsPayload  Payload = "scraped metrics"
	ModelsPayload   Payload = "lists of models"
	EndpointPayload Payload = "events of endpoints"
	ObjectPayload   Payload = "events of Kubernetes objects"
	// NoPayload is of a source that the EPP only calls from time to time.
	NoPayload Payload = "nothing"
)

// A TreatmentFunc says how an instance is reproduced on a cluster, and in a note what
// of it is not, or why it has no effect or is unsupported.
type TreatmentFunc func(c *Config, cluster *Cluster, p *Plugin) (Treatment, string)

// Roles are the uses that a type of plugin can be put to.
type Roles uint32

// Roles of plugins.
const (
	FilterRole Roles = 1 << iota
	ScorerRole
	PickerRole
	ProducerRole
	ProfileHandlerRole
	ParserRole
	SaturationDetectorRole
	DataSourceRole
	ExtractorRole
	FlowControlRole
	AdmitterRole
	DiscoveryRole
	ObserverRole
	DeciderRole
	HeadersRole
	OrderingRole
	FairnessRole
	UsageLimitRole
	PeerDiscoveryRole
)

// profileRoles are the roles that have an effect in a scheduling profile.
const profileRoles = FilterRole | ScorerRole | PickerRole

// Plugin is an instance of a type.
type Plugin struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Parameters any    `json:"parameters,omitempty"`

	// Kind is nil for a type that the version has not; the configuration is refused.
	Kind *PluginType `json:"-"`
	// created is whether the loader made the instance.
	created bool
	// implied is whether the EPP makes it anew, and more than it, where the
	// document lists it.
	implied bool
	// given are its parameters as they are written.
	given document.Node
	// path is where it stands; for one that the loader made, the document.
	path *field.Path
}

// datedParameters say how old the data of their plugin are.
type datedParameters interface{ Freshness() string }

// Freshness says how old the instance's data are when they are read. Where that
// depends on its parameters these say it.
func (p *Plugin) Freshness() string {
	if dated, ok := p.Parameters.(datedParameters); ok {
		return dated.Freshness()
	}
	return p.Kind.Freshness
}

// Has reports whether the instance has one of the roles. One of no known
// type is given the benefit of the doubt: it has been refused already.
func (p *Plugin) Has(r Roles) bool { return p.Kind == nil || p.Kind.Roles&r != 0 }

// checkedParameters are parameters that not all values are good for.
type checkedParameters interface {
	// Check reports bad values, and replaces those that the EPP replaces.
	Check(l *Loader, path *field.Path)
}

// A Registry has the types of plugins of all versions.
type Registry []*PluginType

// Lookup returns a version's type of that name; nil where the version has none.
func (r Registry) Lookup(d version.Dialect, typeName string) *PluginType {
	for _, t := range r {
		if t.Name == typeName && t.In(d) {
			return t
		}
	}
	return nil
}

// In reports whether a version has the type.
func (t *PluginType) In(d version.Dialect) bool {
	at := d.Clock(t.Own)
	return at != 0 && t.Versions.Has(at)
}

// Registered returns the type with its registration.
func (t PluginType) Registered(r version.Registration) PluginType {
	t.Registration = r
	return t
}

// ReleaseIn is the release of the plugin's code in a version: its parameters go by that.
func (p *Plugin) ReleaseIn(d version.Dialect) version.Release { return d.Clock(p.Kind.Own) }
