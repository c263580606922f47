// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Both plugins look for endpoints near the one that the profile before chose for
// the same request, so that KV has a short way. The scorer gives 1 on the same
// host, 0.2 in the same rack, 0.05 in the same zone, 0.02 in the same region and
// else 0. The filter keeps those that are as near as minAffinity says, or all
// where none is. In the first profile that runs, and with another handler than a
// [disaggProfileHandler], there is no endpoint to be near to: all score 0, and stay.
var (
	topologyAffinityScorer = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         "topology-affinity-scorer",
			Registration: version.GIE("router-v0.10.."),
			Roles:        config.ScorerRole,
			Alpha:        true,
			Parameters:   func() any { return &topologyScorerParameters{} },
			Treatment:    treatTopologyAffinity,
		},
		NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
			return &topologyAffinity{places: placesBy(b, p.Parameters.(*topologyScorerParameters).TopologyProducerName)}
		},
	}
	topologyAffinityFilter = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         "topology-affinity-filter",
			Registration: version.GIE("router-v0.10.."),
			Roles:        config.FilterRole,
			Alpha:        true,
			Parameters:   func() any { return &topologyFilterParameters{MinAffinity: affinityLevels[sameHost]} },
			Treatment:    treatTopologyAffinity,
		},
		NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
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

func (p *topologyScorerParameters) Check(l *config.Loader, path *field.Path) {
	checkExtractor(l, &p.TopologyProducerName, path.Child("topologyProducerName"))
}

type topologyFilterParameters struct {
	MinAffinity          string `json:"minAffinity,omitempty"`
	TopologyProducerName string `json:"topologyProducerName,omitempty"`
}

func (p *topologyFilterParameters) Check(l *config.Loader, path *field.Path) {
	checkExtractor(l, &p.TopologyProducerName, path.Child("topologyProducerName"))
	config.SetDefault(&p.MinAffinity, affinityLevels[sameHost])
	if !slices.Contains(affinityLevels[:], p.MinAffinity) {
		l.Add(field.NotSupported(path.Child("minAffinity"), p.MinAffinity, affinityLevels[:]))
	}
}

// checkExtractor warns where no extractor has the name; the EPP does no more.
func checkExtractor(l *config.Loader, name *string, at *field.Path) {
	config.SetDefault(name, config.TopologyExtractorType)
	l.Later = append(l.Later, func() {
		if p := l.ByName[*name]; p == nil || p.Type != config.TopologyExtractorType {
			l.Notice(at, "no-effect", "no %s is named %s: no endpoint is near to another", config.TopologyExtractorType, *name)
		}
	})
}

func treatTopologyAffinity(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
	if !c.Stages.SecondSeesFirst {
		return config.Exact, "no profile knows the choice of another one, and no endpoint is near to another"
	}
	return treatTopology(c, cluster, p)
}

type topologyAffinity struct {
	places []place // by endpoint; nil if places are unknown
	// farthest is the farthest level that the filter keeps.
	farthest int
}

// level says how near an endpoint is to the peer.
func (a *topologyAffinity) level(c *scheduler.Cycle, endpoint int) int {
	if a.places == nil || c.Peer == scheduler.None {
		return apart
	}
	return a.places[c.Peer].level(&a.places[endpoint])
}

func (a *topologyAffinity) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	for i, e := range candidates {
		scores[i] = w.Of(affinityScores[a.level(c, e)])
	}
}

func (a *topologyAffinity) Filter(c *scheduler.Cycle, candidates []int) []int {
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
