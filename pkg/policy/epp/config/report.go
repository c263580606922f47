// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// PluginReport is what a simulation makes of one plugin.
type PluginReport struct {
	Name      string    `json:"name"`
	Type      string    `json:"type"`
	Treatment Treatment `json:"treatment"`
	// Note says what is not reproduced, or why the plugin has no effect or is
	// unsupported.
	Note string `json:"note,omitempty"`
	// Created is whether the loader made the plugin, as the EPP does.
	Created bool `json:"created,omitempty"`
}

// Treatment says how closely a simulation follows a plugin.
type Treatment string

const (
	// Exact plugins decide as the EPP's do, random draws aside.
	Exact Treatment = "exact"
	// Approximated plugins differ in what their note says.
	Approximated Treatment = "approximated"
	// NoEffect plugins make no difference to a simulation.
	NoEffect Treatment = "no effect"
	// Unsupported plugins are known, but cannot be simulated on this cluster.
	Unsupported Treatment = "unsupported"
)

// Report says of every plugin, also of those that the loader made, how a
// simulation on a cluster treats it, in the order of the document. A nil cluster
// has no labels and nothing else that a user can state.
func (c *Config) Report(cluster *Cluster) []PluginReport {
	reports := make([]PluginReport, 0, len(c.Document.Plugins))
	for _, p := range c.Document.Plugins {
		r := PluginReport{Name: p.Name, Type: p.Type, Created: p.created}
		r.Treatment, r.Note = c.treatmentOf(p, cluster)
		reports = append(reports, r)
	}
	return reports
}

// Approximations says of settings that are no plugin's, by their path in the
// document, what a simulation does otherwise than the EPP.
func (c *Config) Approximations() []string {
	if !c.FlowControlled() || !c.Document.FlowControl.EnableEviction {
		return nil
	}
	text := "flowControl.enableEviction: an abort reaches the engine at once: scrapes show it though the step under way has not ended, and others get the room when it has"
	if c.Dialect.Framework < version.RouterMain {
		text += "; the EPP may evict for expired requests while no others wait; the simulator does not"
	}
	return []string{text}
}

func (c *Config) treatmentOf(p *Plugin, cluster *Cluster) (Treatment, string) {
	onlyInProfiles := p.Kind.Roles&profileRoles != 0 && p.Kind.Roles&SaturationDetectorRole == 0 && (p.Kind.ActsOutside == nil || !p.Kind.ActsOutside(c, p))
	switch {
	case onlyInProfiles && !c.InProfile(p):
		return NoEffect, "in no scheduling profile"
	case onlyInProfiles && !c.Runs(p, cluster) && c.encodes(p):
		return NoEffect, "for requests with images, audio or video, and simulated requests have none"
	case onlyInProfiles && !c.Runs(p, cluster):
		return NoEffect, "in no scheduling profile that ever runs"
	case p.Kind.Treatment == nil:
		return Exact, ""
	}
	return p.Kind.Treatment(c, cluster, p)
}

// Check says what keeps a configuration that its EPP loads from being simulated
// on a cluster: plugins without behaviour here, data that no document states, and
// settings with which every request would fail. path is the document's; a plugin that
// the EPP makes by itself has its name there in place of an index.
func (c *Config) Check(cluster *Cluster, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, p := range c.Document.Plugins {
		at := path.Child("plugins").Index(i)
		if p.created {
			at = path.Child("plugins").Key(p.Name)
		}
		if treatment, why := c.treatmentOf(p, cluster); treatment == Unsupported {
			errs = append(errs, field.Invalid(at, p.Name, "cannot be simulated: "+why))
			continue
		}
		if p.Kind.Obstacles != nil {
			errs = append(errs, p.Kind.Obstacles(c, cluster, p, at)...)
		}
	}
	return errs
}

// Plugin returns the instance of that name, or nil.
func (c *Config) Plugin(name string) *Plugin {
	for _, p := range c.Document.Plugins {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// FirstWith returns the first plugin with a role, or nil.
func (c *Config) FirstWith(role Roles) *Plugin {
	for _, p := range c.Document.Plugins {
		if p.Has(role) {
			return p
		}
	}
	return nil
}

// HasSource reports whether a plugin is a source of the data layer, which the EPP then calls from time to time.
func (c *Config) HasSource(name string) bool {
	return slices.ContainsFunc(c.Document.DataLayer.Sources, func(s DataSource) bool { return s.PluginRef == name })
}

// InProfile reports whether a plugin is in a profile, even if that never runs.
func (c *Config) InProfile(p *Plugin) bool {
	return c.inProfileThat(p, func(string) bool { return true })
}

// Runs reports whether a plugin is in a profile that does, on a cluster that may be
// nil.
func (c *Config) Runs(p *Plugin, cluster *Cluster) bool {
	return c.inProfileThat(p, func(profile string) bool { return c.Stages.Runs(profile, cluster) })
}

// encodes reports whether a plugin is in the profile that requests with images,
// audio or video run.
func (c *Config) encodes(p *Plugin) bool {
	return c.Stages.Encode != "" && c.inProfileThat(p, func(profile string) bool { return profile == c.Stages.Encode })
}

func (c *Config) inProfileThat(p *Plugin, does func(profile string) bool) bool {
	for _, profile := range c.Document.SchedulingProfiles {
		if !does(profile.Name) {
			continue
		}
		for _, entry := range profile.Plugins {
			if entry.PluginRef == p.Name {
				return true
			}
		}
	}
	return false
}
