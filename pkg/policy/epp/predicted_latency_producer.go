// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const predictedLatencyProducerType = "predicted-latency-producer"

// predictedLatencyProducer asks a model that is trained beside the EPP how long
// each endpoint would take.
var predictedLatencyProducer = pluginType{
	name:  predictedLatencyProducerType,
	roles: producerRole | observerRole,
	parameters: func() any {
		return &predictedLatencyParameters{
			SamplingMean:     defaultSamplingMean,
			SLOBufferFactor:  1,
			ContextTTL:       5 * time.Minute.Nanoseconds(),
			PredictInProduce: true,
		}
	},
	needs:     predictedLatencyNeeds,
	produces:  func(p *plugin) []dataKey { return []dataKey{{latencyData, p.Name}} },
	treatment: unsupported("latencies are not predicted"),
}

func predictedLatencyNeeds(p *plugin) []dataKey {
	parameters := p.Parameters.(*predictedLatencyParameters)
	keys := []dataKey{
		{prefixMatchData, parameters.PrefixMatchInfoProducerName},
		{inFlightLoadData, parameters.InFlightLoadProducerName},
		{tokensData, tokenProducerType},
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
	ContextTTL                        int64  `json:"contextTTL"`
	StreamingMode                     bool   `json:"streamingMode"`
	EndpointRoleLabel                 string `json:"endpointRoleLabel,omitempty"`
	PredictInProduce                  bool   `json:"predictInProduce"`
	PrefixMatchInfoProducerName       string `json:"prefixMatchInfoProducerName"`
	InFlightLoadProducerName          string `json:"inFlightLoadProducerName"`
	UseEncoderCacheFeatures           bool   `json:"useEncoderCacheFeatures,omitempty"`
	EncoderCacheMatchInfoProducerName string `json:"encoderCacheMatchInfoProducerName,omitempty"`
}

func (p *predictedLatencyParameters) check(l *loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = orDefault(p.PrefixMatchInfoProducerName, prefixMatchData)
	p.InFlightLoadProducerName = orDefault(p.InFlightLoadProducerName, inFlightLoadData)
	if p.SLOBufferFactor <= 0 {
		l.add(field.Invalid(path.Child("sloBufferFactor"), p.SLOBufferFactor, "must be greater than 0"))
	}
	if p.SamplingMean != defaultSamplingMean {
		l.warn(path.Child("samplingMean"), "deprecated, no effect")
	}
	if p.MaxDecodeTokenSamplesForPrediction != 0 {
		l.warn(path.Child("maxDecodeTokenSamplesForPrediction"), "deprecated, no effect")
	}
	p.SamplingMean, p.MaxDecodeTokenSamplesForPrediction = 0, 0
}
