// SPDX-License-Identifier: Apache-2.0

package vllm

import "net/http"

// tokenizeRequest is the body of /tokenize: a prompt, or a conversation.
type tokenizeRequest struct {
	conversation
	Model        *string `json:"model"`
	Prompt       *string `json:"prompt"`
	AddSpecial   *bool   `json:"add_special_tokens"`
	ReturnTokens bool    `json:"return_token_strs"`
}

func (s *Server) tokenize(w http.ResponseWriter, _ *http.Request, t *tokenizeRequest) error {
	if _, _, err := s.model(t.Model); err != nil {
		return err
	}
	var ids []uint32
	switch {
	case t.Prompt != nil:
		ids = encodePrompt(s.o.Tokenizer, *t.Prompt, t.AddSpecial)
	case len(t.Messages) == 0:
		return refuse("prompt", "prompt or messages is required")
	default:
		if err := t.check(); err != nil {
			return err
		}
		ids = t.encode(s.o.Tokenizer, s.template)
	}
	var texts []string
	if t.ReturnTokens {
		for _, id := range ids {
			texts = append(texts, s.o.Tokenizer.Decode([]uint32{id}))
		}
	}
	s.answer(w, struct {
		Count       int      `json:"count"`
		MaxModelLen int      `json:"max_model_len"`
		Tokens      []uint32 `json:"tokens"`
		TokenStrs   []string `json:"token_strs"`
	}{len(ids), s.o.MaxModelLen, ids, texts})
	return nil
}

// detokenizeRequest is the body of /detokenize.
type detokenizeRequest struct {
	Model  *string  `json:"model"`
	Tokens []uint32 `json:"tokens"`
}

func (s *Server) detokenize(w http.ResponseWriter, _ *http.Request, d *detokenizeRequest) error {
	if _, _, err := s.model(d.Model); err != nil {
		return err
	}
	if d.Tokens == nil {
		return refuse("tokens", "tokens is required")
	}
	s.answer(w, map[string]string{"prompt": s.o.Tokenizer.Decode(d.Tokens)})
	return nil
}

// rendered is the token ids of a prompt, which llm-d's router asks for.
type rendered struct {
	TokenIDs []uint32 `json:"token_ids"`
}

func (s *Server) renderChat(w http.ResponseWriter, _ *http.Request, c *chatRequest) error {
	if err := c.check(); err != nil {
		return err
	}
	s.answer(w, rendered{c.encode(s.o.Tokenizer, s.template)})
	return nil
}

func (s *Server) renderCompletion(w http.ResponseWriter, _ *http.Request, c *completionRequest) error {
	if c.prompts() == 0 {
		return refuse("prompt", "prompt is required")
	}
	var all []rendered
	for _, ids := range c.encoded(s.o.Tokenizer) {
		all = append(all, rendered{ids})
	}
	s.answer(w, all)
	return nil
}
