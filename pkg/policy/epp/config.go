// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
)

// Config is an EndpointPickerConfig after defaulting. It is immutable.
//
// Marshalled to JSON it is an EndpointPickerConfig that the EPP of its version
// would accept and that means the same, with every default spelled out: weights,
// parameters, and the plugins that the loader makes. What the EPP ignores is left
// out. Loading that text gives the same text again.
type Config struct {
	dialect   dialect
	document  effective
	stages    stages
	gates     []gate
	tokensOff bool // no parser gives the EPP a prompt
	scraped   bool // some data source brings the engines' core metrics
	notices   []Notice
	warnings  []string
}

// effective is the document that a Config is marshalled to.
type effective struct {
	APIVersion         string         `json:"apiVersion"`
	Kind               string         `json:"kind"`
	FeatureGates       []string       `json:"featureGates,omitempty" versions:"gie-v1.2.."`
	Plugins            []*plugin      `json:"plugins"`
	SchedulingProfiles []profile      `json:"schedulingProfiles"`
	RequestHandler     requestHandler `json:"requestHandler,omitempty" versions:"router-v0.9.."`
	FlowControl        flowControl    `json:"flowControl,omitempty" versions:"scheduler-v0.6.."`
	DataLayer          dataLayer      `json:"dataLayer,omitempty" versions:"gie-v1.5.."`

	// What older versions write elsewhere.
	Data               *dataLayer        `json:"data,omitempty" versions:"gie-v1.3..gie-v1.4"`
	SaturationLimits   *saturationLimits `json:"-" name:"saturationDetector" versions:"gie-v1.2..gie-v1.4"`
	SaturationDetector *reference        `json:"saturationDetector,omitempty" versions:"gie-v1.5..scheduler-520af478"`
	Parser             *reference        `json:"parser,omitempty" versions:"gie-v1.5..scheduler-520af478"`
}

// Version is the full name of the EPP version that the configuration is for.
func (c *Config) Version() string { return c.dialect.name }

// MarshalJSON writes the document.
func (c *Config) MarshalJSON() ([]byte, error) {
	d := c.document
	d.Plugins = slices.DeleteFunc(slices.Clone(d.Plugins), func(p *plugin) bool { return p.implied })
	return encode(d, c.dialect), nil
}

// Notices says what in the configuration is deprecated, was replaced or has no
// effect, in the order of loading.
func (c *Config) Notices() []Notice { return slices.Clone(c.notices) }

// Warnings are the notices as text, each with its path in the document.
func (c *Config) Warnings() []string { return slices.Clone(c.warnings) }

// Disaggregates reports whether an endpoint may be asked to compute a prompt that
// another one decodes: whether requests are ever handed over.
func (c *Config) Disaggregates() bool { return c.stages.prefill != "" && !c.stages.silent }

// flowControlled reports whether requests may wait in front of the scheduler.
func (c *Config) flowControlled() bool {
	return slices.Contains(c.gates, gate{flowControlGate, true})
}

func (c *Config) hasType(typeName string) bool {
	return slices.ContainsFunc(c.document.Plugins, func(p *plugin) bool { return p.Type == typeName })
}

// typeOf is the type of a plugin by its name; "" where there is none.
func (d *effective) typeOf(name string) string {
	for _, p := range d.Plugins {
		if p.Name == name {
			return p.Type
		}
	}
	return ""
}

// flowSettings is what the section flowControl comes to.
func (c *Config) flowSettings() flowSettings {
	return newFlowSettings(&c.document.FlowControl, c.dialect.framework)
}

func setDefault(text *string, standard string) {
	if *text == "" {
		*text = standard
	}
}

func (d *effective) hasProfile(name string) bool {
	return slices.ContainsFunc(d.SchedulingProfiles, func(p profile) bool { return p.Name == name })
}

func (d *effective) profile(name string) *profile {
	i := slices.IndexFunc(d.SchedulingProfiles, func(p profile) bool { return p.Name == name })
	return &d.SchedulingProfiles[i]
}
