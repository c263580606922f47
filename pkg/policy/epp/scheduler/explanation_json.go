// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"strconv"

	"windtunnel.dev/windtunnel/internal/jsonline"
)

// AppendFields appends the fields of an explanation to an object in JSON, in the order and
// the spelling of encoding/json.
func (x *Explanation) AppendFields(b []byte) []byte {
	b = appendText(b, "model", x.Model)
	b = appendWhole(b, "epp", x.EPP)
	b = jsonline.Number(jsonline.Key(b, "atSeconds"), x.AtSeconds)
	b = x.Request.append(jsonline.Key(b, "request"))
	if x.Priority != nil {
		b = jsonline.Value(jsonline.Key(b, "priority"), x.Priority)
	}
	if len(x.Verdicts) > 0 {
		b = jsonline.Value(jsonline.Key(b, "verdicts"), x.Verdicts)
	}
	b = appendWhole(b, "asked", x.Asked)
	b = jsonline.List(jsonline.Key(b, "endpoints"), x.Endpoints, appendEndpoint)
	b = appendSome(b, "prefixes", x.Prefixes, appendPrefix)
	b = appendSome(b, "inFlight", x.InFlight, appendInFlight)
	b = appendSome(b, "predictions", x.Predictions, func(b []byte, p *PredictionSignal) []byte { return jsonline.Value(b, p) })
	if x.Admission != (Admission{}) {
		b = jsonline.Key(b, "admission")
		b = appendName(append(b, `{"detector":`...), &x.Admission.Detector)
		b = append(b, '}')
		b = appendNumber(jsonline.Key(b, "saturation"), &x.Admission.Saturation)
		if by := x.Admission.RefusedBy; by != nil {
			b = append(appendName(jsonline.Key(b, "refusedBy"), by), '}')
		}
		b = append(b, '}')
	}
	b = appendSome(b, "profiles", x.Profiles, appendProfile)
	if x.Decider != nil {
		b = jsonline.Value(jsonline.Key(b, "decider"), x.Decider)
	}
	b = appendEndpointNumber(b, "endpoint", x.Endpoint)
	b = appendEndpointNumber(b, "prefill", x.Prefill)
	return appendText(b, "error", x.Error)
}

func (r *ExplainedRequest) append(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), int64(r.ID), 10)
	b = jsonline.Number(jsonline.Key(b, "arrivalSeconds"), r.ArrivalSeconds)
	b = strconv.AppendInt(jsonline.Key(b, "promptTokens"), int64(r.PromptTokens), 10)
	b = strconv.AppendInt(jsonline.Key(b, "priority"), int64(r.Priority), 10)
	b = appendWhole(b, "session", int(r.Session))
	b = appendWhole(b, "adapter", int(r.Adapter))
	return append(b, '}')
}

func appendEndpoint(b []byte, s *EndpointSignals) []byte {
	b = append(b, '{')
	if s.Down {
		b = append(b, `"down":true`...)
	}
	if s.ScrapeAgeSeconds != nil {
		b = jsonline.Number(jsonline.Key(b, "scrapeAgeSeconds"), *s.ScrapeAgeSeconds)
	}
	b = strconv.AppendInt(jsonline.Key(b, "waiting"), int64(s.Waiting), 10)
	b = strconv.AppendInt(jsonline.Key(b, "running"), int64(s.Running), 10)
	b = appendNumber(jsonline.Key(b, "kvUsage"), &s.KVUsage)
	if s.Adapters != nil {
		b = jsonline.Value(jsonline.Key(b, "adapters"), s.Adapters)
	}
	return append(appendText(b, "anomaly", s.Anomaly), '}')
}

func appendPrefix(b []byte, s *PrefixSignal) []byte {
	b = appendName(b, &s.PluginName)
	b = jsonline.Text(jsonline.Key(b, "freshness"), s.Freshness)
	b = strconv.AppendInt(jsonline.Key(b, "blockTokens"), int64(s.BlockTokens), 10)
	b = strconv.AppendInt(jsonline.Key(b, "totalBlocks"), int64(s.TotalBlocks), 10)
	return append(jsonline.List(jsonline.Key(b, "blocks"), s.Blocks, jsonline.Whole), '}')
}

func appendInFlight(b []byte, s *InFlightSignal) []byte {
	b = appendName(b, &s.PluginName)
	b = jsonline.Text(jsonline.Key(b, "freshness"), s.Freshness)
	b = jsonline.List(jsonline.Key(b, "requests"), s.Requests, jsonline.Whole)
	b = appendSome(b, "tokens", s.Tokens, jsonline.Whole)
	return append(appendSome(b, "uncached", s.Uncached, jsonline.Whole), '}')
}

func appendProfile(b []byte, p *ProfileRun) []byte {
	b = jsonline.Text(append(b, `{"profile":`...), p.Profile)
	b = jsonline.List(jsonline.Key(b, "endpoints"), p.Endpoints, jsonline.Whole)
	b = appendSome(b, "filters", p.Filters, appendFilter)
	b = jsonline.List(jsonline.Key(b, "candidates"), p.Candidates, jsonline.Whole)
	b = appendSome(b, "scorers", p.Scorers, appendScorer)
	b = appendSome(b, "scores", p.Scores, appendNumber)
	b = append(appendName(jsonline.Key(b, "picker"), &p.Picker), '}')
	b = appendEndpointNumber(b, "chosen", p.Chosen)
	b = strconv.AppendInt(jsonline.Key(b, "tied"), int64(p.Tied), 10)
	b = strconv.AppendBool(jsonline.Key(b, "byChance"), p.ByChance)
	return append(b, '}')
}

func appendFilter(b []byte, f *FilterRun) []byte {
	b = appendName(b, &f.PluginName)
	return append(jsonline.List(jsonline.Key(b, "dropped"), f.Dropped, jsonline.Whole), '}')
}

func appendScorer(b []byte, s *ScorerRun) []byte {
	b = appendName(b, &s.PluginName)
	b = appendNumber(jsonline.Key(b, "weight"), &s.Weight)
	b = jsonline.List(jsonline.Key(b, "raw"), s.Raw, appendNumber)
	b = jsonline.List(jsonline.Key(b, "clamped"), s.Clamped, appendNumber)
	return append(jsonline.List(jsonline.Key(b, "weighted"), s.Weighted, appendNumber), '}')
}

// appendName begins an object with the name and the type of a plugin.
func appendName(b []byte, p *PluginName) []byte {
	b = jsonline.Text(append(b, `{"name":`...), p.Name)
	return jsonline.Text(jsonline.Key(b, "type"), p.Type)
}

func appendNumber(b []byte, n *Number) []byte { return jsonline.Number(b, float64(*n)) }

// appendText appends a text unless it is empty, appendWhole a number unless it is 0,
// appendSome a list unless it has no values, and appendEndpointNumber an endpoint unless
// there is none.
func appendText(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	return jsonline.Text(jsonline.Key(b, key), text)
}

func appendWhole(b []byte, key string, n int) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(jsonline.Key(b, key), int64(n), 10)
}

func appendSome[T any](b []byte, key string, values []T, one func([]byte, *T) []byte) []byte {
	if len(values) == 0 {
		return b
	}
	return jsonline.List(jsonline.Key(b, key), values, one)
}

func appendEndpointNumber(b []byte, key string, endpoint *int) []byte {
	if endpoint == nil {
		return b
	}
	return jsonline.Whole(jsonline.Key(b, key), endpoint)
}
