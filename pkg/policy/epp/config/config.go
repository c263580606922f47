// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Config is an EndpointPickerConfig after defaulting. It is immutable.
//
// Marshalled to JSON it is an EndpointPickerConfig that the EPP of its version
// would accept and that means the same, with every default spelled out: weights,
// parameters, and the plugins that the loader makes. What the EPP ignores is left
// out. Loading that text gives the same text again.
type Config struct {
	Dialect   version.Dialect
	Document  EffectiveDocument
	Stages    Stages
	gates     []gate
	TokensOff bool // no parser gives the EPP a prompt
	Scraped   bool // some data source brings the engines' core metrics
	notices   []Notice
	warnings  []string
}

// EffectiveDocument is the document that a Config is marshalled to.
type EffectiveDocument struct {
	APIVersion         string         `json:"apiVersion"`
	Kind               string         `json:"kind"`
	FeatureGates       []string       `json:"featureGates,omitempty" versions:"gie-v1.2.."`
	Plugins            []*Plugin      `json:"plugins"`
	SchedulingProfiles []Profile      `json:"schedulingProfiles"`
	RequestHandler     requestHandler `json:"requestHandler,omitempty" versions:"router-v0.9.."`
	FlowControl        FlowControl    `json:"flowControl,omitempty" versions:"scheduler-v0.6.."`
	DataLayer          dataLayer      `json:"dataLayer,omitempty" versions:"gie-v1.5.."`

	// What older versions write elsewhere.
	Data               *dataLayer        `json:"data,omitempty" versions:"gie-v1.3..gie-v1.4"`
	SaturationLimits   *saturationLimits `json:"-" name:"saturationDetector" versions:"gie-v1.2..gie-v1.4"`
	SaturationDetector *Reference        `json:"saturationDetector,omitempty" versions:"gie-v1.5..scheduler-520af478"`
	Parser             *Reference        `json:"parser,omitempty" versions:"gie-v1.5..scheduler-520af478"`
}

// Version is the full name of the EPP version that the configuration is for.
func (c *Config) Version() string { return c.Dialect.Name }

// MarshalJSON writes the document.
func (c *Config) MarshalJSON() ([]byte, error) {
	d := c.Document
	d.Plugins = slices.DeleteFunc(slices.Clone(d.Plugins), func(p *Plugin) bool { return p.implied })
	return document.Encode(d, c.Dialect), nil
}

// Notices says what in the configuration is deprecated, was replaced or has no
// effect, in the order of loading.
func (c *Config) Notices() []Notice { return slices.Clone(c.notices) }

// Warnings are the notices as text, each with its path in the document.
func (c *Config) Warnings() []string { return slices.Clone(c.warnings) }

// Disaggregates reports whether an endpoint may be asked to compute a prompt that
// another one decodes: whether requests are ever handed over.
func (c *Config) Disaggregates() bool {
	return c.Stages.Prefill != "" && !c.Stages.PrefillHeaderMissing
}

// FlowControlled reports whether requests may wait in front of the scheduler.
func (c *Config) FlowControlled() bool {
	return slices.Contains(c.gates, gate{flowControlGate, true})
}

// LoadProducers names the plugins that count what is in flight, in the order of the
// configuration.
func (c *Config) LoadProducers() []string {
	var names []string
	for _, p := range c.Document.Plugins {
		if p.Type == InFlightLoadProducerType {
			names = append(names, p.Name)
		}
	}
	return names
}

// HasType reports whether the configuration has a plugin of a type.
func (c *Config) HasType(typeName string) bool {
	return slices.ContainsFunc(c.Document.Plugins, func(p *Plugin) bool { return p.Type == typeName })
}

// TypeOf is the type of a plugin by its name; "" for an unknown plugin.
func (d *EffectiveDocument) TypeOf(name string) string {
	for _, p := range d.Plugins {
		if p.Name == name {
			return p.Type
		}
	}
	return ""
}

// FlowSettings is what the section flowControl comes to.
func (c *Config) FlowSettings() FlowSettings {
	return NewFlowSettings(&c.Document.FlowControl, c.Dialect.Framework)
}

// SetDefault sets an empty text.
func SetDefault(text *string, standard string) {
	if *text == "" {
		*text = standard
	}
}

// HasProfile reports whether there is a scheduling profile of a name.
func (d *EffectiveDocument) HasProfile(name string) bool {
	return slices.ContainsFunc(d.SchedulingProfiles, func(p Profile) bool { return p.Name == name })
}

// Profile returns the scheduling profile of a name, which there is.
func (d *EffectiveDocument) Profile(name string) *Profile {
	i := slices.IndexFunc(d.SchedulingProfiles, func(p Profile) bool { return p.Name == name })
	return &d.SchedulingProfiles[i]
}
