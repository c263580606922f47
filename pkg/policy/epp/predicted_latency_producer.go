// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// predictedLatencyProducer asks a model that is trained beside the EPP how long
// each endpoint would take: here one that knows how long engines take, with an
// error of its own.
//
// It is told the prompt's length and the share of it that is matched, tokens and
// requests in flight, requests waiting and KV cache use. Headroom is what the
// objective leaves of the prediction, 0 being the objective of a request that
// states none; that of the time between tokens is also the strictest one of those
// that run on the endpoint, times sloBufferFactor. Outside of streaming mode, and
// for endpoints with the role prefill, it is 0.
var predictedLatencyProducer = factory{
	pluginType: pluginType{
		name:         predictedLatencyProducerType,
		neededInMay:  []dataKind{prefixMatchData},
		registration: gie("gie-v1.5.."),
		roles:        producerRole | observerRole,
		parameters: func() any {
			return &predictedLatencyParameters{
				SamplingMean:     defaultSamplingMean,
				SLOBufferFactor:  1,
				ContextTTL:       5 * time.Minute.Nanoseconds(),
				PredictInProduce: true, PredictInPrepareData: true,
			}
		},
		needs:     predictedLatencyNeeds,
		produces:  func(p *plugin) []dataKey { return []dataKey{{latencyData, p.Name}} },
		freshness: "counts at once, metrics as of the last scrape, both prediction.lag ago",
		treatment: treatPredictor,
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			return append(heedsPrecise(c, p, at), severalPredict(c, p, at)...)
		},
	},
	newProducer: func(b *builder, p *plugin) producer {
		return newPredictedLatency(b, dataName(b, p), p.Parameters.(*predictedLatencyParameters))
	},
}

// treatPredictor says what predictions are made of.
func treatPredictor(_ *Config, _ *Cluster, p *plugin) (Treatment, string) {
	parameters := p.Parameters.(*predictedLatencyParameters)
	switch {
	case !parameters.PredictInProduce:
		return NoEffect, "predictInProduce is off: it only learns, and nothing is predicted"
	case !parameters.StreamingMode:
		return Approximated, oracleNote + "; outside of streaming mode TTFT is the time of the whole answer, and of its length the mean is known"
	default:
		return Approximated, oracleNote
	}
}

const oracleNote = "predictions are the engine's own latency model's, with the stated error, and not those of a model that learns; waits for a seat or for memory are not foreseen"

func predictedLatencyNeeds(p *plugin) []dataKey {
	parameters := p.Parameters.(*predictedLatencyParameters)
	keys := []dataKey{
		{prefixMatchData, parameters.PrefixMatchInfoProducerName},
		{tokensData, tokenProducerType},
	}
	if name := parameters.InFlightLoadProducerName; name != "" {
		keys = append(keys, dataKey{inFlightLoadData, name})
	}
	if parameters.UseEncoderCacheFeatures {
		keys = append(keys, dataKey{encoderCacheData, orDefault(parameters.EncoderCacheMatchInfoProducerName, encoderCacheData)})
	}
	return keys
}

const defaultSamplingMean = 1000

type predictedLatencyParameters struct {
	SamplingMean                       float64 `json:"samplingMean,omitempty"`
	MaxDecodeTokenSamplesForPrediction int     `json:"maxDecodeTokenSamplesForPrediction,omitempty"`
	SLOBufferFactor                    float64 `json:"sloBufferFactor"`
	// ContextTTL is in nanoseconds: the EPP takes no duration such as 5m here.
	ContextTTL        int64  `json:"contextTTL"`
	StreamingMode     bool   `json:"streamingMode"`
	EndpointRoleLabel string `json:"endpointRoleLabel,omitempty"`
	PredictInProduce  bool   `json:"predictInProduce" versions:"scheduler-520af478.."`
	// PredictInPrepareData is the old name of PredictInProduce.
	PredictInPrepareData              bool   `json:"predictInPrepareData" versions:"gie-v1.5..gie-v1.5"`
	PrefixMatchInfoProducerName       string `json:"prefixMatchInfoProducerName" versions:"router-v0.9.."`
	InFlightLoadProducerName          string `json:"inFlightLoadProducerName" versions:"router-v0.10.."`
	UseEncoderCacheFeatures           bool   `json:"useEncoderCacheFeatures,omitempty" versions:"router-v0.10.."`
	EncoderCacheMatchInfoProducerName string `json:"encoderCacheMatchInfoProducerName,omitempty" versions:"router-v0.10.."`
}

func (p *predictedLatencyParameters) check(l *loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = orDefault(p.PrefixMatchInfoProducerName, prefixMatchData)
	if l.clock == gie15 {
		p.PredictInProduce = p.PredictInPrepareData
	}
	if l.clock >= router10 {
		p.InFlightLoadProducerName = orDefault(p.InFlightLoadProducerName, inFlightLoadData)
	}
	if p.SLOBufferFactor <= 0 {
		l.add(field.Invalid(path.Child("sloBufferFactor"), p.SLOBufferFactor, "must be greater than 0"))
	}
	if p.SamplingMean != defaultSamplingMean {
		l.notice(path.Child("samplingMean"), "deprecated", "deprecated, no effect")
	}
	if p.MaxDecodeTokenSamplesForPrediction != 0 {
		l.notice(path.Child("maxDecodeTokenSamplesForPrediction"), "deprecated", "deprecated, no effect")
	}
	p.SamplingMean, p.MaxDecodeTokenSamplesForPrediction = 0, 0
}

// severalPredict is about a plugin that predicts, or reads predictions, beside a
// predicted-latency-scorer of gie-v1.5: both are told to the endpoints under one name.
func severalPredict(c *Config, p *plugin, at *field.Path) field.ErrorList {
	if c.dialect.framework != gie15 || !c.hasType(predictedLatencyScorerType) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, p.Name, "stands beside a "+predictedLatencyScorerType+", whose predictions are told under the same name, which is not simulated")}
}

// Predicts reports whether a plugin predicts how long engines take: whether a
// cluster is to have Latencies.
func Predicts(c *Config) bool {
	return slices.ContainsFunc(c.document.Plugins, func(p *plugin) bool {
		return p.Type == predictedLatencyProducerType || p.Type == predictedLatencyScorerType
	})
}
