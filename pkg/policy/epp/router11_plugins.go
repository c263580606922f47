// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// What router-v0.11 adds. Only names and uses are known of these types: their
// parameters are taken as they are, and no instance is simulated.
var (
	endpointAttributeWeightScorer = unreadType("endpoint-attribute-weight-scorer", config.ScorerRole).Registered(version.GIE("router-v0.11.."))
	labelProducer                 = unreadType("label-producer", config.ProducerRole).Registered(version.GIE("router-v0.11.."))
	latencyObservationScorer      = unreadType("latency-observation-scorer", config.ScorerRole).Registered(version.GIE("router-v0.11.."))
	sessionStateProducer          = unreadType("session-state-producer", config.ProducerRole).Registered(version.GIE("router-v0.11.."))
	k8sPeerDiscovery              = unreadType("k8s-peer-discovery", config.PeerDiscoveryRole).Registered(version.GIE("router-v0.11.."))
)

// unreadType is an Alpha type of which only the name is known.
func unreadType(name string, roles config.Roles) config.PluginType {
	return config.PluginType{
		Name:       name,
		Roles:      roles,
		Alpha:      true,
		Parameters: func() any { return &unreadParameters{} },
		Treatment: func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
			return config.Unsupported, "it came with router-v0.11, and only its name is known here"
		},
	}
}

// unreadParameters are taken and written as they are.
type unreadParameters struct{ given document.Node }

func (p *unreadParameters) Decode(n document.Node) error {
	p.given = n
	return nil
}

// MarshalJSON writes what was read.
func (p *unreadParameters) MarshalJSON() ([]byte, error) { return []byte(p.given.Json()), nil }
