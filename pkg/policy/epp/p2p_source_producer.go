// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const p2pSourceProducerType = "p2p-source-producer"

// p2pSourceProducer tells the chosen endpoint which other one holds more of the
// prompt, to fetch KV from there. It chooses no endpoint.
var p2pSourceProducer = pluginType{
	name:         p2pSourceProducerType,
	registration: gie("router-v0.10.."),
	roles:        producerRole,
	alpha:        true,
	parameters:   func() any { return &p2pSourceParameters{MinCachedTokenDelta: 1} },
	needs: func(p *plugin) []dataKey {
		return []dataKey{{prefixMatchData, p.Parameters.(*p2pSourceParameters).PrefixMatchInfoProducerName}}
	},
	treatment: func(*Config, *Cluster, *plugin) (Treatment, string) {
		return Approximated, "endpoints are chosen as the EPP does; the chosen one computes what it does not hold, and fetches nothing from another one"
	},
}

type p2pSourceParameters struct {
	PrefixMatchInfoProducerName string `json:"prefixMatchInfoProducerName"`
	MinCachedTokenDelta         int    `json:"minCachedTokenDelta"`
	PrefillProfileName          string `json:"prefillProfileName"`
}

func (p *p2pSourceParameters) check(l *loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = orDefault(p.PrefixMatchInfoProducerName, prefixMatchData)
	setDefault(&p.PrefillProfileName, prefillProfile)
	if p.MinCachedTokenDelta < 1 {
		l.add(field.Invalid(path.Child("minCachedTokenDelta"), p.MinCachedTokenDelta, "must be at least 1"))
	}
}
