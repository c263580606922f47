// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A pluginType is what the registry knows of a type of plugin.
type pluginType struct {
	name  string
	roles roles
	registration
	// category is of scorers.
	category Category
	// alpha is whether the EPP loads it with --allow-experimental-plugins only.
	alpha bool
	// successor is what the EPP wants to be used in its place, if it is
	// deprecated.
	successor string
	// parameters returns a pointer to a struct that holds the defaults. It is
	// nil where the EPP ignores whatever parameters it is given.
	parameters func() any
	// treatment is nil for what is exact.
	treatment treatmentFunc
	// obstacles says what keeps an instance that the EPP loads from being
	// simulated on a cluster, unsupported treatment aside; at is where it stands.
	obstacles func(c *Config, cluster *Cluster, p *plugin, at *field.Path) field.ErrorList
	// needs and produces are the data that an instance requires and provides.
	needs, produces func(p *plugin) []dataKey
	// passes is for filters by label: whether an endpoint with these labels
	// stays.
	passes func(p *plugin, labels map[string]string) bool
	// ordered is whether parameters name other plugins, which the EPP makes
	// first since router-v0.10.
	ordered bool
	// stages is for profile handlers of several profiles: which of them run. It
	// is called once all plugins and references are known to be good.
	stages func(l *loader, p *plugin) stages

	// freshness says, of a producer, how old its data are when they are read; see
	// [plugin.freshness].
	freshness string
	// neededInMay are the data that an instance needs in scheduler-520af478, which
	// does not tell instances of one type apart by name.
	neededInMay []dataKind
	// actsOutside reports whether an instance of a type that belongs into a profile
	// matters outside of profiles; nil is never.
	actsOutside func(c *Config, p *plugin) bool
}

// A treatmentFunc says how an instance is reproduced on a cluster, and in a note what
// of it is not, or why it has no effect or is unsupported.
type treatmentFunc func(c *Config, cluster *Cluster, p *plugin) (Treatment, string)

// roles are the uses that a type of plugin can be put to.
type roles uint32

const (
	filterRole roles = 1 << iota
	scorerRole
	pickerRole
	producerRole
	profileHandlerRole
	parserRole
	saturationDetectorRole
	dataSourceRole
	extractorRole
	flowControlRole
	admitterRole
	discoveryRole
	observerRole
	deciderRole
	headersRole
	orderingRole
	fairnessRole
	usageLimitRole
	peerDiscoveryRole
)

// profileRoles are the roles that have an effect in a scheduling profile.
const profileRoles = filterRole | scorerRole | pickerRole

// plugin is an instance of a type.
type plugin struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Parameters any    `json:"parameters,omitempty"`

	// kind is nil for a type that the version has not; the configuration is refused.
	kind *pluginType
	// created is whether the loader made the instance.
	created bool
	// implied is whether the EPP makes it anew, and more than it, where the
	// document lists it.
	implied bool
	// given are its parameters as they are written.
	given node
	// path is where it stands; for one that the loader made, the document.
	path *field.Path
}

// datedParameters say how old the data of their plugin are.
type datedParameters interface{ freshness() string }

// freshness says how old the instance's data are when they are read. Where that
// depends on its parameters these say it.
func (p *plugin) freshness() string {
	if dated, ok := p.Parameters.(datedParameters); ok {
		return dated.freshness()
	}
	return p.kind.freshness
}

// has reports whether the instance has one of the roles. One of no known
// type is given the benefit of the doubt: it has been refused already.
func (p *plugin) has(r roles) bool { return p.kind == nil || p.kind.roles&r != 0 }

// checkedParameters are parameters that not all values are good for.
type checkedParameters interface {
	// check reports bad values, and replaces those that the EPP replaces.
	check(l *loader, path *field.Path)
}

// A registry has the types of plugins of all versions.
type registry []*pluginType

// lookup returns a version's type of that name; nil where the version has none.
func (r registry) lookup(d dialect, typeName string) *pluginType {
	for _, t := range r {
		if t.name == typeName && t.in(d) {
			return t
		}
	}
	return nil
}

// in reports whether a version has the type.
func (t *pluginType) in(d dialect) bool {
	at := d.clock(t.own)
	return at != 0 && t.versions.has(at)
}

// registered returns the type with its registration.
func (t pluginType) registered(r registration) pluginType {
	t.registration = r
	return t
}

// releaseIn is the release of the plugin's code in a version: its parameters go by that.
func (p *plugin) releaseIn(d dialect) release { return d.clock(p.kind.own) }
