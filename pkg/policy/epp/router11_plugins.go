// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// What router-v0.11 adds. Only names and uses are known of these types: their
// parameters are taken as they are, and no instance is simulated.
var (
	endpointAttributeWeightScorer = unreadType("endpoint-attribute-weight-scorer", config.ScorerRole, true).Registered(version.GIE("router-v0.11.."))
	labelProducer                 = unreadType("label-producer", config.ProducerRole, true).Registered(version.GIE("router-v0.11.."))
	latencyObservationScorer      = unreadType("latency-observation-scorer", config.ScorerRole, true).Registered(version.GIE("router-v0.11.."))
	sessionStateProducer          = unreadType("session-state-producer", config.ProducerRole, true).Registered(version.GIE("router-v0.11.."))
	maxSaturationDetector         = newMaxSaturationDetector().Registered(version.GIE("router-v0.11.."))
	k8sPeerDiscovery              = unreadType("k8s-peer-discovery", config.PeerDiscoveryRole, true).Registered(version.GIE("router-v0.11.."))
)

func unreadType(name string, roles config.Roles, alpha bool) config.PluginType {
	return config.PluginType{
		Name:       name,
		Roles:      roles,
		Alpha:      alpha,
		Parameters: func() any { return &unreadParameters{} },
		Treatment: func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
			return config.Unsupported, "it came with router-v0.11, and only its name is known here"
		},
	}
}

// newMaxSaturationDetector is as saturated as the most saturated of other detectors.
func newMaxSaturationDetector() config.PluginType {
	t := unreadType("max-saturation-detector", config.SaturationDetectorRole, false)
	t.Parameters = func() any { return &maxSaturationParameters{} }
	t.Ordered = true
	return t
}

// maxSaturationParameters name detectors, for all stages or by stage.
type maxSaturationParameters struct {
	Detectors []string          `json:"detectors,omitempty"`
	Stages    *unreadParameters `json:"stages,omitempty"`
}

func (p *maxSaturationParameters) Check(l *config.Loader, path *field.Path) {
	if len(p.Detectors) == 0 {
		l.Add(field.Required(path.Child("detectors"), "must name at least one saturation detector"))
	}
	for i, name := range p.Detectors {
		if slices.Contains(p.Detectors[:i], name) {
			l.Add(field.Duplicate(path.Child("detectors").Index(i), name))
		}
	}
	l.References = append(l.References, func() {
		for i, name := range p.Detectors {
			l.ReferInParameters(name, config.SaturationDetectorRole, "a saturation detector", path.Child("detectors").Index(i))
		}
	})
}

// unreadParameters are taken and written as they are.
type unreadParameters struct{ given document.Node }

func (p *unreadParameters) Decode(n document.Node) error {
	p.given = n
	return nil
}

// MarshalJSON writes what was read.
func (p *unreadParameters) MarshalJSON() ([]byte, error) { return []byte(p.given.Json()), nil }
