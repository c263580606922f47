// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const p2pSourceProducerType = "p2p-source-producer"

// p2pSourceProducer tells the chosen endpoint which other one holds more of the
// prompt, to fetch KV from there. It chooses no endpoint.
var p2pSourceProducer = config.PluginType{
	Name:         p2pSourceProducerType,
	Registration: version.GIE("router-v0.10.."),
	Roles:        config.ProducerRole,
	Alpha:        true,
	Parameters:   func() any { return &p2pSourceParameters{MinCachedTokenDelta: 1} },
	Needs: func(p *config.Plugin) []config.DataKey {
		return []config.DataKey{{Kind: config.PrefixMatchData, Producer: p.Parameters.(*p2pSourceParameters).PrefixMatchInfoProducerName}}
	},
	Treatment: func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
		return config.Approximated, "endpoints are chosen as the EPP does; the chosen one computes what it does not hold, and fetches nothing from another one"
	},
}

type p2pSourceParameters struct {
	PrefixMatchInfoProducerName string `json:"prefixMatchInfoProducerName"`
	MinCachedTokenDelta         int    `json:"minCachedTokenDelta"`
	PrefillProfileName          string `json:"prefillProfileName"`
}

func (p *p2pSourceParameters) Check(l *config.Loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = config.OrDefault(p.PrefixMatchInfoProducerName, config.PrefixMatchData)
	config.SetDefault(&p.PrefillProfileName, config.PrefillProfile)
	if p.MinCachedTokenDelta < 1 {
		l.Add(field.Invalid(path.Child("minCachedTokenDelta"), p.MinCachedTokenDelta, "must be at least 1"))
	}
}
