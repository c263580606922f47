// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

// predictedLatencyScorer became predictedLatencyProducer and latencyScorer: one
// plugin that asked the model and chose.
var predictedLatencyScorer = pluginType{
	name:       "predicted-latency-scorer",
	roles:      scorerRole | producerRole | observerRole,
	parameters: func() any { return &predictedLatencyScorerParameters{} },
	treatment:  unsupported("its way of choosing is not built; gie-v1.5 has predicted-latency-producer and latency-scorer instead"),
}

// predictedLatencyScorerParameters leave out what is not stated.
type predictedLatencyScorerParameters struct {
	SamplingMean              *float64 `json:"samplingMean,omitempty"`
	MaxSampledTokens          *int     `json:"maxSampledTokens,omitempty"`
	SLOBufferFactor           *float64 `json:"sloBufferFactor,omitempty"`
	NegHeadroomTTFTWeight     *float64 `json:"negHeadroomTTFTWeight,omitempty"`
	NegHeadroomTPOTWeight     *float64 `json:"negHeadroomTPOTWeight,omitempty"`
	HeadroomTTFTWeight        *float64 `json:"headroomTTFTWeight,omitempty"`
	HeadroomTPOTWeight        *float64 `json:"headroomTPOTWeight,omitempty"`
	HeadroomSelectionStrategy *string  `json:"headroomSelectionStrategy,omitempty"`
	CompositeKVWeight         *float64 `json:"compositeKVWeight,omitempty"`
	CompositeQueueWeight      *float64 `json:"compositeQueueWeight,omitempty"`
	CompositePrefixWeight     *float64 `json:"compositePrefixWeight,omitempty"`
	EpsilonExploreSticky      *float64 `json:"epsilonExploreSticky,omitempty"`
	EpsilonExploreNeg         *float64 `json:"epsilonExploreNeg,omitempty"`
	AffinityGateTau           *float64 `json:"affinityGateTau,omitempty"`
	AffinityGateTauGlobal     *float64 `json:"affinityGateTauGlobal,omitempty"`
	SelectionMode             *string  `json:"selectionMode,omitempty"`
	StreamingMode             *bool    `json:"streamingMode,omitempty"`
	EndpointRoleLabel         *string  `json:"endpointRoleLabel,omitempty" versions:"gie-v1.4.."`
	ContextTTL                *int64   `json:"contextTTL,omitempty" versions:"gie-v1.4.."`
}

func (p *predictedLatencyScorerParameters) check(l *loader, path *field.Path) {
	if p.SLOBufferFactor != nil && *p.SLOBufferFactor <= 0 {
		l.add(field.Invalid(path.Child("sloBufferFactor"), *p.SLOBufferFactor, "must be greater than 0"))
	}
}
