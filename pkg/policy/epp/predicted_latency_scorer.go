// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const predictedLatencyScorerType = "predicted-latency-scorer"

// predictedLatencyScorer became [predictedLatencyProducer] and [latencyScorer]: one
// plugin that asks the model and chooses an endpoint, which scores 1, as
// [headroomSelection] does. It keeps counts of its own, and goes by
//
//   - up to scheduler-v0.6, predictions for the candidates of its profile. What a
//     request states, and what endpoints hold of it, it learns behind the gate
//     prepareDataPlugins only; without it all objectives are 0;
//   - in gie-v1.4, predictions for all endpoints, made behind that gate. Without it
//     there are none, and it goes by memory and queues;
//   - in gie-v1.5, predictions for all endpoints.
//
// Where it predicts for all, requests of negative priority that state their
// objectives are turned away where no endpoint meets them, none is idle or cold, and
// none holds so much of the prompt that it would be chosen for that.
var predictedLatencyScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         predictedLatencyScorerType,
		Registration: version.GIE("gie-v1.3..gie-v1.5"),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole | config.ProducerRole | config.ObserverRole,
		Parameters:   func() any { return &predictedLatencyScorerParameters{} },
		Freshness:    predictedLatencyProducer.Freshness,
		Treatment:    treatPredictedLatencyScorer,
		// It turns requests away by its predictions.
		ActsOutside: func(c *config.Config, _ *config.Plugin) bool {
			return c.Dialect.Framework >= version.GIE15 || c.Dialect.Framework >= version.GIE14 && c.Prepares()
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return append(checkReadsPreciseMatch(c, p, at), checkSeveralAttach(c, p, at)...)
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer { return sharedPredictions(b, p) },
	NewScorer:   func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer { return sharedPredictions(b, p) },
	NewAdmitter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Admitter { return sharedPredictions(b, p) },
}

func sharedPredictions(b *scheduler.Builder, p *config.Plugin) *predictedSelection {
	return scheduler.Shared(b, p, func() *predictedSelection { return newPredictedSelection(b, p) })
}

func treatPredictedLatencyScorer(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
	at, note := c.Dialect.Framework, oracleNote
	switch {
	case at < version.GIE14 && !c.Prepares():
		note += "; without the gate " + config.PrepareDataPluginsGate + " it takes all objectives for 0, and endpoints to hold nothing"
	case at < version.GIE15 && at >= version.GIE14 && !c.Prepares():
		return config.Exact, "predicts nothing without the gate " + config.PrepareDataPluginsGate + ", and goes by memory and queues"
	}
	if at < version.GIE15 {
		note += "; of what waits at an endpoint it knows the number of requests, as scraped, and the mean length of prompts"
	}
	if !p.Parameters.(*predictedLatencyScorerParameters).StreamingMode {
		note += "; outside of streaming mode TTFT is the time of the whole answer, and of its length the mean is known"
	}
	return config.Approximated, note
}

type predictedLatencyScorerParameters struct {
	SamplingMean              float64 `json:"samplingMean"`
	MaxSampledTokens          int     `json:"maxSampledTokens"`
	SLOBufferFactor           float64 `json:"sloBufferFactor"`
	NegHeadroomTTFTWeight     float64 `json:"negHeadroomTTFTWeight"`
	NegHeadroomTPOTWeight     float64 `json:"negHeadroomTPOTWeight"`
	HeadroomTTFTWeight        float64 `json:"headroomTTFTWeight"`
	HeadroomTPOTWeight        float64 `json:"headroomTPOTWeight"`
	HeadroomSelectionStrategy string  `json:"headroomSelectionStrategy"`
	CompositeKVWeight         float64 `json:"compositeKVWeight"`
	CompositeQueueWeight      float64 `json:"compositeQueueWeight"`
	CompositePrefixWeight     float64 `json:"compositePrefixWeight"`
	EpsilonExploreSticky      float64 `json:"epsilonExploreSticky"`
	EpsilonExploreNeg         float64 `json:"epsilonExploreNeg"`
	AffinityGateTau           float64 `json:"affinityGateTau"`
	AffinityGateTauGlobal     float64 `json:"affinityGateTauGlobal"`
	AffinityMaxTTFTPenaltyMs  float64 `json:"affinityMaxTTFTPenaltyMs" versions:"gie-v1.5.."`
	SelectionMode             string  `json:"selectionMode"`
	StreamingMode             bool    `json:"streamingMode"`
	EndpointRoleLabel         string  `json:"endpointRoleLabel,omitempty" versions:"gie-v1.4.."`
	// ContextTTL is in nanoseconds.
	ContextTTL int64 `json:"contextTTL" versions:"gie-v1.4.."`
}

// The other strategies go by memory, queues and prefixes, and not by headroom: least
// and most among endpoints that the headroom has told apart, only without a look at
// it.
const (
	compositeLeast = "composite-least"
	compositeMost  = "composite-most"
	compositeOnly  = "composite-only"
)

// selectMax is the mode that takes the greatest weight; any other draws by weight.
const selectMax = "max"

func (p *predictedLatencyScorerParameters) Defaults(at version.Release) {
	*p = predictedLatencyScorerParameters{
		SamplingMean:              defaultSamplingMean,
		SLOBufferFactor:           1,
		NegHeadroomTTFTWeight:     0.8,
		NegHeadroomTPOTWeight:     0.2,
		HeadroomTTFTWeight:        0.8,
		HeadroomTPOTWeight:        0.2,
		HeadroomSelectionStrategy: leastHeadroom,
		CompositeKVWeight:         1,
		CompositeQueueWeight:      1,
		CompositePrefixWeight:     1,
		EpsilonExploreSticky:      0.01,
		EpsilonExploreNeg:         0.01,
		AffinityGateTau:           0.8,
		AffinityGateTauGlobal:     0.99,
		AffinityMaxTTFTPenaltyMs:  5000,
		SelectionMode:             "linear",
		StreamingMode:             true,
		ContextTTL:                5 * time.Minute.Nanoseconds(),
	}
	if at < version.GIE14 {
		p.MaxSampledTokens = 5
	}
}

func (p *predictedLatencyScorerParameters) Check(l *config.Loader, path *field.Path) {
	config.SetDefault(&p.HeadroomSelectionStrategy, leastHeadroom)
	for _, number := range []struct {
		name  string
		value float64
	}{{"samplingMean", p.SamplingMean}, {"sloBufferFactor", p.SLOBufferFactor}} {
		if number.value <= 0 {
			l.Add(field.Invalid(path.Child(number.name), number.value, "must be greater than 0"))
		}
	}
	switch {
	case p.MaxSampledTokens < 0:
		l.Add(field.Invalid(path.Child("maxSampledTokens"), p.MaxSampledTokens, "must not be negative"))
	case p.MaxSampledTokens == 0 && l.Clock < version.GIE14:
		l.Add(field.Invalid(path.Child("maxSampledTokens"), p.MaxSampledTokens, "must be greater than 0"))
	}
	for _, number := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"negHeadroomTTFTWeight", p.NegHeadroomTTFTWeight, 0}, {"negHeadroomTPOTWeight", p.NegHeadroomTPOTWeight, 0},
		{"headroomTTFTWeight", p.HeadroomTTFTWeight, 0}, {"headroomTPOTWeight", p.HeadroomTPOTWeight, 0},
		{"compositeKVWeight", p.CompositeKVWeight, 0}, {"compositeQueueWeight", p.CompositeQueueWeight, 0},
		{"compositePrefixWeight", p.CompositePrefixWeight, 0}, {"affinityMaxTTFTPenaltyMs", p.AffinityMaxTTFTPenaltyMs, 0},
		{"epsilonExploreSticky", p.EpsilonExploreSticky, 1}, {"epsilonExploreNeg", p.EpsilonExploreNeg, 1},
		{"affinityGateTau", p.AffinityGateTau, 1}, {"affinityGateTauGlobal", p.AffinityGateTauGlobal, 1},
	} {
		switch {
		case number.value < 0:
			l.Add(field.Invalid(path.Child(number.name), number.value, "must not be negative"))
		case number.most > 0 && number.value > number.most:
			l.Add(field.Invalid(path.Child(number.name), number.value, fmt.Sprintf("must be at most %v", number.most)))
		}
	}
}
