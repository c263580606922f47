// SPDX-License-Identifier: Apache-2.0

package epp

// What router-v0.11 adds. Only names and uses are known of these types: their
// parameters are taken as they are, and no instance is simulated.
var (
	endpointAttributeWeightScorer = unreadType("endpoint-attribute-weight-scorer", scorerRole, true).registered(gie("router-v0.11.."))
	labelProducer                 = unreadType("label-producer", producerRole, true).registered(gie("router-v0.11.."))
	latencyObservationScorer      = unreadType("latency-observation-scorer", scorerRole, true).registered(gie("router-v0.11.."))
	sessionStateProducer          = unreadType("session-state-producer", producerRole, true).registered(gie("router-v0.11.."))
	maxSaturationDetector         = unreadType("max-saturation-detector", saturationDetectorRole, false).registered(gie("router-v0.11.."))
	k8sPeerDiscovery              = unreadType("k8s-peer-discovery", peerDiscoveryRole, true).registered(gie("router-v0.11.."))
)

func unreadType(name string, roles roles, alpha bool) pluginType {
	return pluginType{
		name:       name,
		roles:      roles,
		alpha:      alpha,
		parameters: func() any { return &unreadParameters{} },
		treatment: func(*Config, *Cluster, *plugin) (Treatment, string) {
			return Unsupported, "it came with router-v0.11, and only its name is known here"
		},
	}
}

// unreadParameters are taken and written as they are.
type unreadParameters struct{ given node }

func (p *unreadParameters) decode(n node) error { //nolint:unparam // as every scalar
	p.given = n
	return nil
}

// MarshalJSON writes what was read.
func (p *unreadParameters) MarshalJSON() ([]byte, error) { return []byte(p.given.json()), nil }
