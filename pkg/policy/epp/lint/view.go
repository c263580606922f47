// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// A view is a configuration as the EPP runs it, where each part knows what was
// written of it.
type view struct {
	FeatureGates       []string     `json:"featureGates"`
	Plugins            []*plugin    `json:"plugins"`
	SchedulingProfiles []*profile   `json:"schedulingProfiles"`
	RequestHandler     handlers     `json:"requestHandler"`
	Parser             reference    `json:"parser"`
	DataLayer          layer        `json:"dataLayer"`
	FlowControl        *flowSection `json:"flowControl"`
	SaturationDetector reference    `json:"saturationDetector"`

	// precise says what reaches the precise prefix plugins.
	precise []epp.PreciseWiring
}

type plugin struct {
	Name       string         `json:"name"`
	Type       string         `json:"type"`
	Parameters map[string]any `json:"parameters"`

	// path and given are nil for what the loader made.
	path  *field.Path
	given *yamlv3.Node // the parameters
}

type profile struct {
	Name    string   `json:"name"`
	Plugins []*entry `json:"plugins"`

	path *field.Path // the document's, for what the loader made
}

type entry struct {
	PluginRef string   `json:"pluginRef"`
	Weight    *float64 `json:"weight"`

	path   *field.Path // the profile's, for what the loader made
	plugin *plugin
}

type reference struct {
	PluginRef string `json:"pluginRef"`
}

type handlers struct {
	Parsers []reference `json:"parsers"`
}

type layer struct {
	Sources                     []reference `json:"sources"`
	CrossReplicaSyncerPluginRef string      `json:"crossReplicaSyncerPluginRef"`
}

type flowSection struct {
	SaturationDetector reference `json:"saturationDetector"`
}

// newView reads a configuration that was loaded, and the document that it was
// loaded from.
func newView(config *config.Config, root *yamlv3.Node) *view {
	raw, err := json.Marshal(config)
	if err != nil {
		panic(fmt.Sprintf("lint: marshal EndpointPickerConfig: %v", err))
	}
	v := &view{precise: epp.PreciseWirings(config)}
	if err := json.Unmarshal(raw, v); err != nil {
		panic(fmt.Sprintf("lint: unmarshal EndpointPickerConfig: %v", err))
	}
	v.placePlugins(root)
	v.placeProfiles(root)
	return v
}

func (v *view) placePlugins(root *yamlv3.Node) {
	for i, item := range items(child(root, "plugins")) {
		name := text(child(item, "name"))
		if name == "" {
			name = text(child(item, "type"))
		}
		if p := v.plugin(name); p != nil && p.path == nil {
			p.path, p.given = field.NewPath("plugins").Index(i), child(item, "parameters")
		}
	}
}

func (v *view) placeProfiles(root *yamlv3.Node) {
	written := items(child(root, "schedulingProfiles"))
	at := field.NewPath("schedulingProfiles")
	for i, p := range v.SchedulingProfiles {
		var entries []*yamlv3.Node
		if i < len(written) {
			p.path = at.Index(i)
			entries = items(child(written[i], "plugins"))
		}
		for j, e := range p.Plugins {
			e.plugin, e.path = v.plugin(e.PluginRef), p.path
			// What the EPP ignores may be left out, so places are not the same.
			for k := j; k < len(entries); k++ {
				if text(child(entries[k], "pluginRef")) == e.PluginRef {
					e.path = p.path.Child("plugins").Index(k)
					break
				}
			}
		}
	}
}

func (v *view) plugin(name string) *plugin {
	for _, p := range v.Plugins {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// ofType are the instances of a type.
func (v *view) ofType(types ...string) []*plugin {
	var found []*plugin
	for _, p := range v.Plugins {
		if slices.Contains(types, p.Type) {
			found = append(found, p)
		}
	}
	return found
}

func (v *view) profile(name string) *profile {
	for _, p := range v.SchedulingProfiles {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// inProfile reports whether some profile refers to the plugin.
func (v *view) inProfile(p *plugin) bool {
	return slices.ContainsFunc(v.SchedulingProfiles, func(pr *profile) bool { return pr.entry(p) != nil })
}

// gate reports whether a feature gate is on.
func (v *view) gate(name string) bool {
	return slices.Contains(v.FeatureGates, name) || slices.Contains(v.FeatureGates, name+"=true")
}

func (p *profile) entry(of *plugin) *entry {
	for _, e := range p.Plugins {
		if e.plugin == of {
			return e
		}
	}
	return nil
}

// with are the entries whose plugins have a role.
func (p *profile) with(role string) []*entry {
	var found []*entry
	for _, e := range p.Plugins {
		if e.plugin != nil && e.plugin.is(role) {
			found = append(found, e)
		}
	}
	return found
}

// weight is 1 unless it is written.
func (e *entry) weight() float64 {
	if e.Weight == nil {
		return 1
	}
	return *e.Weight
}

func (p *plugin) is(role string) bool { return slices.Contains(epp.RolesOf(p.Type), role) }

// isSet reports whether a parameter is written.
func (p *plugin) isSet(name string) bool { return child(p.given, name) != nil }

// number is the value of a parameter, defaults included.
func (p *plugin) number(name string) (float64, bool) {
	v, ok := p.Parameters[name].(float64)
	return v, ok
}

func (p *plugin) flag(name string) bool {
	v, _ := p.Parameters[name].(bool)
	return v
}

func (p *plugin) stringValue(name string) string {
	v, _ := p.Parameters[name].(string)
	return v
}

// duration is 0 for what is none.
func (p *plugin) duration(name string) time.Duration {
	d, err := time.ParseDuration(p.stringValue(name))
	if err != nil {
		return 0
	}
	return d
}

// object is a parameter that holds others.
func (p *plugin) object(name string) *plugin {
	inner, _ := p.Parameters[name].(map[string]any)
	return &plugin{Name: p.Name, Type: p.Type, Parameters: inner, given: child(p.given, name)}
}

// parameter is the path of one, or of the plugin where it is not written.
func (p *plugin) parameter(names ...string) *field.Path {
	if p.path == nil {
		return nil
	}
	at, n := p.path.Child("parameters"), p.given
	for _, name := range names {
		if n = child(n, name); n == nil {
			return p.path
		}
		at = at.Child(name)
	}
	return at
}
