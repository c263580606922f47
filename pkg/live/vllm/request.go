// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// generation is what both kinds of requests say.
type generation struct {
	Model          *string        `json:"model"`
	MaxTokens      *int           `json:"max_tokens"`
	N              *int           `json:"n"`
	Stop           texts          `json:"stop"`
	StopTokenIDs   []uint32       `json:"stop_token_ids"`
	IncludeStop    bool           `json:"include_stop_str_in_output"`
	Stream         bool           `json:"stream"`
	StreamOptions  *streamOptions `json:"stream_options"`
	IgnoreEOS      bool           `json:"ignore_eos"`
	MinTokens      int            `json:"min_tokens"`
	Seed           *int64         `json:"seed"`
	Priority       int            `json:"priority"`
	ReturnTokenIDs bool           `json:"return_token_ids"`
	KVTransfer     *kvTransfer    `json:"kv_transfer_params"`

	// What a sampler needs is checked, and changes nothing: the text has no meaning.
	Temperature       *float64 `json:"temperature"`
	TopP              *float64 `json:"top_p"`
	TopK              *float64 `json:"top_k"`
	MinP              *float64 `json:"min_p"`
	PresencePenalty   *float64 `json:"presence_penalty"`
	FrequencyPenalty  *float64 `json:"frequency_penalty"`
	RepetitionPenalty *float64 `json:"repetition_penalty"`

	// What follows is refused unless it is off.
	Logprobs          json.RawMessage `json:"logprobs"`
	PromptLogprobs    json.RawMessage `json:"prompt_logprobs"`
	UseBeamSearch     json.RawMessage `json:"use_beam_search"`
	StructuredOutputs json.RawMessage `json:"structured_outputs"`
	Truncate          json.RawMessage `json:"truncate_prompt_tokens"`
	ResponseFormat    *struct {
		Type string `json:"type"`
	} `json:"response_format"`
}

// streamOptions say what a stream has in addition to text.
type streamOptions struct {
	// IncludeUsage is true where it is not written.
	IncludeUsage         *bool `json:"include_usage"`
	ContinuousUsageStats bool  `json:"continuous_usage_stats"`
}

// usage reports whether a stream ends with its usage, and whether each chunk has it.
func (s *Server) usage(g *generation) (atEnd, always bool) {
	o := g.StreamOptions
	atEnd = s.o.ForceUsage || o != nil && (o.IncludeUsage == nil || *o.IncludeUsage)
	return atEnd, atEnd && o != nil && o.ContinuousUsageStats
}

// texts is a JSON string, or a list of them.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		*t = texts{""}
		return json.Unmarshal(raw, &(*t)[0])
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// off reports whether a field is not there, or says no.
func off(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "false":
		return true
	}
	return false
}

// maxStops is how many texts may end an answer: each is searched for in all of it. vLLM has no bound.
const maxStops = 64

// check refuses what the server does not do, and values out of bounds.
func (s *Server) check(g *generation) error {
	for _, f := range []struct {
		name string
		raw  json.RawMessage
	}{
		{"logprobs", g.Logprobs}, {"prompt_logprobs", g.PromptLogprobs}, {"use_beam_search", g.UseBeamSearch},
		{"structured_outputs", g.StructuredOutputs}, {"truncate_prompt_tokens", g.Truncate},
	} {
		if !off(f.raw) {
			return refuse(f.name, "%s is not simulated", f.name)
		}
	}
	switch {
	case g.ResponseFormat != nil && g.ResponseFormat.Type != "text":
		return refuse("response_format", "response_format %q is not simulated: answers have no meaning", g.ResponseFormat.Type)
	case g.choices() < 1 || g.choices() > s.o.Limits.Choices:
		return refuse("n", "n must be from 1 to %d, got %d", s.o.Limits.Choices, g.choices())
	case g.MaxTokens != nil && *g.MaxTokens < 1:
		return refuse("max_tokens", "max_tokens must be at least 1, got %d", *g.MaxTokens)
	case g.MinTokens < 0:
		return refuse("min_tokens", "min_tokens must be at least 0, got %d", g.MinTokens)
	case g.MaxTokens != nil && g.MinTokens > *g.MaxTokens:
		return refuse("min_tokens", "min_tokens must be at most max_tokens, %d, got %d", *g.MaxTokens, g.MinTokens)
	case g.StreamOptions != nil && !g.Stream:
		return refuse("stream_options", "stream_options needs stream")
	}
	if err := g.checkSampler(); err != nil {
		return err
	}
	if len(g.Stop) > maxStops {
		return refuse("stop", "stop must have at most %d texts, got %d", maxStops, len(g.Stop))
	}
	for _, stop := range g.Stop {
		if stop == "" {
			return refuse("stop", "stop must not have an empty text")
		}
	}
	return nil
}

// checkSampler refuses what vLLM's SamplingParams do (vllm/sampling_params.py).
func (g *generation) checkSampler() error {
	const above0 = math.SmallestNonzeroFloat64
	for _, f := range []struct {
		name        string
		value       *float64
		least, most float64
		bounds      string
	}{
		{"temperature", g.Temperature, 0, math.MaxFloat64, "at least 0"},
		{"top_p", g.TopP, above0, 1, "above 0, and at most 1"},
		{"top_k", g.TopK, -1, math.MaxFloat64, "at least -1"},
		{"min_p", g.MinP, 0, 1, "from 0 to 1"},
		{"presence_penalty", g.PresencePenalty, -2, 2, "from -2 to 2"},
		{"frequency_penalty", g.FrequencyPenalty, -2, 2, "from -2 to 2"},
		{"repetition_penalty", g.RepetitionPenalty, above0, math.MaxFloat64, "above 0"},
	} {
		if f.value != nil && !(*f.value >= f.least && *f.value <= f.most) {
			return refuse(f.name, "%s must be %s, got %v", f.name, f.bounds, *f.value)
		}
	}
	return nil
}

// choices is how many answers a prompt gets.
func (g *generation) choices() int {
	if g.N == nil {
		return 1
	}
	return *g.N
}

// model finds what a request asks for: the name in the answer, and the adapter.
func (s *Server) model(name *string) (served, adapter string, err error) {
	if name == nil || *name == "" {
		return s.o.Names[0], "", nil
	}
	for _, known := range s.o.Names {
		if known == *name {
			return known, "", nil
		}
	}
	if s.adapters.has(*name) {
		return *name, *name, nil
	}
	param := "model"
	return "", "", &apiError{Message: "there is no model " + *name, Type: notFound, Param: &param, Code: http.StatusNotFound}
}

// wish is what a request wants of the answer to a prompt of a number of tokens. without is the bound of a
// request that states none.
func (s *Server) wish(g *generation, prompt, without int) (wish, error) {
	if prompt == 0 {
		return wish{}, refuse("prompt", "the prompt must have at least one token")
	}
	room := s.o.MaxModelLen - prompt
	most := min(without, room)
	if g.MaxTokens != nil {
		most = *g.MaxTokens
	}
	if room < 1 || most > room {
		return wish{}, refuse("", "this model's maximum context length is %d tokens: the prompt has %d, and the answer may have %d", s.o.MaxModelLen, prompt, max(most, 1))
	}
	return wish{
		most: most, least: min(g.MinTokens, most), ignoreEnd: g.IgnoreEOS,
		stops: g.Stop, includeStop: g.IncludeStop, stopIDs: g.StopTokenIDs,
	}, nil
}

// unbounded is the bound of a chat that states none: what the model has room for.
const unbounded = math.MaxInt

// seed is what decides about the answers to a prompt.
func (g *generation) seed(prompt []uint32, adapter string, choice int) uint64 {
	h := stats.Hash64(uint64(choice), stats.HashString(adapter))
	if g.Seed != nil {
		h = stats.Hash64(h, uint64(*g.Seed))
	}
	for _, id := range prompt {
		h = stats.Hash64(h, uint64(id))
	}
	return h
}
