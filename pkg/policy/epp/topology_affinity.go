// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Both plugins look for endpoints near the one that the profile before chose for
// the same request, so that KV has a short way. The scorer gives 1 on the same
// host, 0.2 in the same rack, 0.05 in the same zone, 0.02 in the same region and
// else 0. The filter keeps those that are as near as minAffinity says, or all
// where none is. In the first profile that runs, and with another handler than a
// [disaggProfileHandler], there is nobody to be near to: all score 0, and stay.
var (
	topologyAffinityScorer = factory{
		pluginType: pluginType{
			name:         "topology-affinity-scorer",
			registration: gie("router-v0.10.."),
			roles:        scorerRole,
			alpha:        true,
			parameters:   func() any { return &topologyScorerParameters{} },
			treatment:    treatTopologyAffinity,
		},
		newScorer: func(b *builder, p *plugin) scorer {
			return &topologyAffinity{places: placesBy(b, p.Parameters.(*topologyScorerParameters).TopologyProducerName)}
		},
	}
	topologyAffinityFilter = factory{
		pluginType: pluginType{
			name:         "topology-affinity-filter",
			registration: gie("router-v0.10.."),
			roles:        filterRole,
			alpha:        true,
			parameters:   func() any { return &topologyFilterParameters{MinAffinity: affinityLevels[sameHost]} },
			treatment:    treatTopologyAffinity,
		},
		newFilter: func(b *builder, p *plugin) filter {
			parameters := p.Parameters.(*topologyFilterParameters)
			return &topologyAffinity{placesBy(b, parameters.TopologyProducerName), slices.Index(affinityLevels[:], parameters.MinAffinity)}
		},
	}
)

var (
	affinityLevels = [apart]string{"host", "rack", "zone", "region"}
	affinityScores = [apart + 1]float64{1, 0.2, 0.05, 0.02, 0}
)

type topologyScorerParameters struct {
	TopologyProducerName string `json:"topologyProducerName,omitempty"`
}

func (p *topologyScorerParameters) check(l *loader, path *field.Path) {
	checkExtractor(l, &p.TopologyProducerName, path.Child("topologyProducerName"))
}

type topologyFilterParameters struct {
	MinAffinity          string `json:"minAffinity,omitempty"`
	TopologyProducerName string `json:"topologyProducerName,omitempty"`
}

func (p *topologyFilterParameters) check(l *loader, path *field.Path) {
	checkExtractor(l, &p.TopologyProducerName, path.Child("topologyProducerName"))
	setDefault(&p.MinAffinity, affinityLevels[sameHost])
	if !slices.Contains(affinityLevels[:], p.MinAffinity) {
		l.add(field.NotSupported(path.Child("minAffinity"), p.MinAffinity, affinityLevels[:]))
	}
}

// checkExtractor warns where no extractor has the name; the EPP does no more.
func checkExtractor(l *loader, name *string, at *field.Path) {
	setDefault(name, topologyExtractorType)
	l.later = append(l.later, func() {
		if p := l.byName[*name]; p == nil || p.Type != topologyExtractorType {
			l.notice(at, "no-effect", "no %s is named %s: no endpoint is near to another", topologyExtractorType, *name)
		}
	})
}

func treatTopologyAffinity(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
	if !c.stages.peers {
		return Exact, "no profile is told what another one chose, and no endpoint is near to another"
	}
	return treatTopology(c, cluster, p)
}

type topologyAffinity struct {
	places []place // by endpoint; nil where nobody tells
	// farthest is the farthest level that the filter keeps.
	farthest int
}

// level says how near an endpoint is to the peer.
func (a *topologyAffinity) level(c *cycle, endpoint int) int {
	if a.places == nil || c.peer == none {
		return apart
	}
	return a.places[c.peer].level(&a.places[endpoint])
}

func (a *topologyAffinity) score(c *cycle, candidates []int, w weight, scores []float64) {
	for i, e := range candidates {
		scores[i] = w.of(affinityScores[a.level(c, e)])
	}
}

func (a *topologyAffinity) filter(c *cycle, candidates []int) []int {
	kept := candidates[:0]
	for _, e := range candidates {
		if a.level(c, e) <= a.farthest {
			kept = append(kept, e)
		}
	}
	if len(kept) == 0 {
		return candidates // nothing was written over
	}
	return kept
}
