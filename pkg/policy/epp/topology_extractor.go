// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// topologyExtractor reads where an endpoint runs from its labels. The EPP also
// looks at spec.hostname of pods that have no label for it; endpoints have none
// here.
var topologyExtractor = config.PluginType{
	Name:         config.TopologyExtractorType,
	Registration: version.GIE("router-v0.10.."),
	Roles:        config.ExtractorRole,
	Alpha:        true,
	Parameters:   func() any { return &topologyParameters{} },
	Treatment:    treatTopology,
}

// topologyParameters name a label for each level.
type topologyParameters struct {
	Hostname string `json:"hostname,omitempty"`
	Rack     string `json:"rack,omitempty"`
	Zone     string `json:"zone,omitempty"`
	Region   string `json:"region,omitempty"`
}

func (p *topologyParameters) Check(*config.Loader, *field.Path) {
	config.SetDefault(&p.Hostname, "kubernetes.io/hostname")
	config.SetDefault(&p.Rack, "topology.kubernetes.io/rack")
	config.SetDefault(&p.Zone, "topology.kubernetes.io/zone")
	config.SetDefault(&p.Region, "topology.kubernetes.io/region")
}

func treatTopology(_ *config.Config, cluster *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
	if cluster.Labelled() {
		return config.Exact, ""
	}
	return config.Exact, "endpoints have no labels, and none is near to another"
}

// The levels at which two endpoints may be at one place, the nearest first.
const (
	sameHost = iota
	sameRack
	sameZone
	sameRegion
	apart
)

// A place numbers an endpoint's host, rack, zone and region; 0 where a label
// says nothing.
type place [apart]int32

// placesBy returns the place of each endpoint from the extractor of that name; nil if there is
// no such extractor.
func placesBy(b *scheduler.Builder, extractor string) []place {
	p := b.Plugins[extractor]
	if p == nil || p.Type != config.TopologyExtractorType {
		return nil
	}
	parameters := p.Parameters.(*topologyParameters)
	places := make([]place, b.Endpoints)
	for level, label := range [apart]string{parameters.Hostname, parameters.Rack, parameters.Zone, parameters.Region} {
		numbers := map[string]int32{"": 0}
		for e := range places {
			name := b.LabelsOf(e)[label]
			if _, known := numbers[name]; !known {
				numbers[name] = int32(len(numbers))
			}
			places[e][level] = numbers[name]
		}
	}
	return places
}

// level is the nearest one at which both are at one place, or apart.
func (p *place) level(other *place) int {
	for level, number := range p {
		if number != 0 && number == other[level] {
			return level
		}
	}
	return apart
}
