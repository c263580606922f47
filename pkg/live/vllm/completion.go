// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"encoding/json"
	"net/http"
	"slices"
)

// completionRequest is the body of /v1/completions.
type completionRequest struct {
	generation
	Prompt prompts `json:"prompt"`
	// AddSpecial is true where it is not written.
	AddSpecial *bool `json:"add_special_tokens"`

	Suffix *string         `json:"suffix"`
	Echo   json.RawMessage `json:"echo"`
	BestOf *int            `json:"best_of"`
	Embeds json.RawMessage `json:"prompt_embeds"`
}

// defaultCompletionTokens is the bound of a completion that states none, as OpenAI's.
const defaultCompletionTokens = 16

// prompts are a text, texts, token ids, or lists of those.
type prompts struct {
	texts []string
	ids   [][]uint32
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *prompts) UnmarshalJSON(raw []byte) error {
	var one string
	var list []uint32
	switch {
	case string(raw) == "null":
		return nil
	case json.Unmarshal(raw, &one) == nil:
		p.texts = []string{one}
	case json.Unmarshal(raw, &p.texts) == nil:
	case json.Unmarshal(raw, &list) == nil:
		p.texts, p.ids = nil, [][]uint32{list}
	case json.Unmarshal(raw, &p.ids) == nil:
		p.texts = nil
	default:
		return refuse("prompt", "prompt must be a text, a list of texts, a list of token ids, or a list of those")
	}
	return nil
}

// prompts is how many there are.
func (c *completionRequest) prompts() int { return len(c.Prompt.texts) + len(c.Prompt.ids) }

// encoded are the prompts as token ids.
func (c *completionRequest) encoded(t Tokenizer) [][]uint32 {
	ids := c.Prompt.ids
	for _, text := range c.Prompt.texts {
		ids = append(ids, encodePrompt(t, text, c.AddSpecial))
	}
	return ids
}

// encodePrompt is the ids of a prompt that is text, with those before it unless special says no.
func encodePrompt(t Tokenizer, text string, special *bool) []uint32 {
	if special != nil && !*special {
		return t.Encode(text)
	}
	return slices.Concat(t.Begin(), t.Encode(text))
}

// textChoice is an answer, or some tokens of one.
type textChoice struct {
	Index          int      `json:"index"`
	Text           string   `json:"text"`
	Logprobs       *string  `json:"logprobs"`
	FinishReason   *string  `json:"finish_reason"`
	StopReason     any      `json:"stop_reason"`
	PromptTokenIDs []uint32 `json:"prompt_token_ids"`
	TokenIDs       []uint32 `json:"token_ids"`
}

var textShape = shape{
	object: "text_completion", chunk: "text_completion",
	delta: showText,
	whole: func(j *job, i int) any { return showText(j, i, 0, len(j.answers[i].ids), true) },
}

func showText(j *job, i, from, to int, last bool) any {
	a := &j.answers[i]
	c := textChoice{Index: i, Text: a.piece(from, to)}
	if last {
		c.FinishReason, c.StopReason = &a.finish, a.reason
	}
	if j.ReturnTokenIDs {
		c.TokenIDs = a.ids[from:to]
		if from == 0 {
			c.PromptTokenIDs = j.prompt(i)
		}
	}
	return c
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request, c *completionRequest) error {
	if err := s.check(&c.generation); err != nil {
		return err
	}
	switch prompts := c.prompts(); {
	case c.Suffix != nil && *c.Suffix != "":
		return refuse("suffix", "suffix is not simulated")
	case !off(c.Echo):
		return refuse("echo", "echo is not simulated")
	case !off(c.Embeds):
		return refuse("prompt_embeds", "prompt_embeds is not simulated")
	case c.BestOf != nil && *c.BestOf != c.choices():
		return refuse("best_of", "best_of is not simulated")
	case prompts == 0:
		return refuse("prompt", "prompt is required")
	case prompts > s.o.Limits.Choices/c.choices():
		return refuse("prompt", "a request may ask for %d answers, got %d prompts with %d each", s.o.Limits.Choices, prompts, c.choices())
	}
	j, err := s.begin(r, &c.generation, "cmpl-", c.encoded(s.o.Tokenizer), defaultCompletionTokens)
	if err != nil {
		return err
	}
	return s.reply(w, r, j, &textShape)
}
