// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// predictedLatencyProducer asks a model that is trained next to the EPP how long
// each endpoint would take: here one that knows how long engines take, with an
// error of its own.
//
// It knows the prompt's length and the share of it that is matched, tokens and
// requests in flight, requests waiting and KV cache use. Headroom is what the
// objective leaves of the prediction, 0 being the objective of a request that
// states none; that of the time between tokens is also the strictest one of those
// that run on the endpoint, times sloBufferFactor. Outside of streaming mode, and
// for endpoints with the role prefill, it is 0.
var predictedLatencyProducer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.PredictedLatencyProducerType,
		NeededInMay:  []config.DataKind{config.PrefixMatchData},
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.ProducerRole | config.ObserverRole,
		Parameters: func() any {
			return &predictedLatencyParameters{
				SamplingMean:     defaultSamplingMean,
				SLOBufferFactor:  1,
				ContextTTL:       5 * time.Minute.Nanoseconds(),
				PredictInProduce: true, PredictInPrepareData: true,
			}
		},
		Needs: predictedLatencyNeeds,
		Produces: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.LatencyData, Producer: p.Name}}
		},
		Freshness: "counts at once, metrics as of the last scrape, both prediction.lag ago",
		Treatment: treatPredictor,
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return append(checkReadsPreciseMatch(c, p, at), severalPredict(c, p, at)...)
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer {
		return newPredictedLatency(b, dataName(b, p), p.Parameters.(*predictedLatencyParameters))
	},
}

// treatPredictor says what predictions are made of.
func treatPredictor(_ *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
	parameters := p.Parameters.(*predictedLatencyParameters)
	switch {
	case !parameters.PredictInProduce:
		return config.NoEffect, "predictInProduce is off: it only learns, and nothing is predicted"
	case !parameters.StreamingMode:
		return config.Approximated, oracleNote + "; outside of streaming mode TTFT is the time of the whole answer, and of its length the mean is known"
	default:
		return config.Approximated, oracleNote
	}
}

const oracleNote = "predictions are the engine's own latency model's, with the stated error, and not those of a model that learns; waits for a seat or for memory are not foreseen"

func predictedLatencyNeeds(p *config.Plugin) []config.DataKey {
	parameters := p.Parameters.(*predictedLatencyParameters)
	keys := []config.DataKey{
		{Kind: config.PrefixMatchData, Producer: parameters.PrefixMatchInfoProducerName},
		{Kind: config.TokensData, Producer: config.TokenProducerType},
	}
	if name := parameters.InFlightLoadProducerName; name != "" {
		keys = append(keys, config.DataKey{Kind: config.InFlightLoadData, Producer: name})
	}
	if parameters.UseEncoderCacheFeatures {
		keys = append(keys, config.DataKey{Kind: config.EncoderCacheData, Producer: config.OrDefault(parameters.EncoderCacheMatchInfoProducerName, config.EncoderCacheData)})
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

func (p *predictedLatencyParameters) Check(l *config.Loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = config.OrDefault(p.PrefixMatchInfoProducerName, config.PrefixMatchData)
	if l.Clock == version.GIE15 {
		p.PredictInProduce = p.PredictInPrepareData
	}
	if l.Clock >= version.Router10 {
		p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
	}
	if p.SLOBufferFactor <= 0 {
		l.Add(field.Invalid(path.Child("sloBufferFactor"), p.SLOBufferFactor, "must be greater than 0"))
	}
	if p.SamplingMean != defaultSamplingMean {
		l.Notice(path.Child("samplingMean"), "deprecated", "deprecated, no effect")
	}
	if p.MaxDecodeTokenSamplesForPrediction != 0 {
		l.Notice(path.Child("maxDecodeTokenSamplesForPrediction"), "deprecated", "deprecated, no effect")
	}
	p.SamplingMean, p.MaxDecodeTokenSamplesForPrediction = 0, 0
}

// severalPredict is about a plugin that predicts, or reads predictions, together with a
// predicted-latency-scorer of gie-v1.5: both are attached to the endpoints under one name.
func severalPredict(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if c.Dialect.Framework != version.GIE15 || !c.HasType(predictedLatencyScorerType) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, p.Name, "is listed together with a "+predictedLatencyScorerType+", which writes its predictions under the same name; this is not simulated")}
}

// Predicts reports whether a plugin predicts how long engines take: whether a
// cluster is to have Latencies.
func Predicts(c *config.Config) bool {
	return slices.ContainsFunc(c.Document.Plugins, func(p *config.Plugin) bool {
		return p.Type == config.PredictedLatencyProducerType || p.Type == predictedLatencyScorerType
	})
}
