// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"encoding/json"
	"slices"
)

// Config is an EndpointPickerConfig after defaulting. It is immutable.
//
// Marshalled to JSON it is an EndpointPickerConfig that the EPP would accept
// and that means the same, with every default spelled out: weights, parameters,
// and the plugins that the loader makes. What the EPP ignores is left out.
// Loading that text gives the same text again.
type Config struct {
	document  effective
	dialect   dialect
	stages    stages
	tokensOff bool // no parser gives the EPP a prompt
	scraped   bool // some data source brings the engines' core metrics
	warnings  []string
}

// effective is the document that a Config is marshalled to.
type effective struct {
	APIVersion         string         `json:"apiVersion"`
	Kind               string         `json:"kind"`
	FeatureGates       []string       `json:"featureGates"`
	Plugins            []*plugin      `json:"plugins"`
	SchedulingProfiles []profile      `json:"schedulingProfiles"`
	RequestHandler     requestHandler `json:"requestHandler"`
	FlowControl        flowControl    `json:"flowControl"`
	DataLayer          dataLayer      `json:"dataLayer"`
}

// MarshalJSON writes the document.
func (c *Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.document) }

// Warnings says what in the configuration is deprecated, was replaced or has
// no effect, each with its path in the document, in the order of loading.
func (c *Config) Warnings() []string { return slices.Clone(c.warnings) }

// Disaggregates reports whether an endpoint may be asked to compute a prompt that
// another one decodes: whether requests are ever handed over.
func (c *Config) Disaggregates() bool { return c.stages.prefill != "" && !c.stages.silent }
