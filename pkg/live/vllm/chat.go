// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// chatRequest is the body of /v1/chat/completions.
type chatRequest struct {
	generation
	conversation
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	Echo                json.RawMessage `json:"echo"`
}

// conversation is what the prompt of a chat is made of.
type conversation struct {
	Messages []message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
	// AddGenerationPrompt is true where it is not written.
	AddGenerationPrompt *bool           `json:"add_generation_prompt"`
	ContinueFinal       json.RawMessage `json:"continue_final_message"`
}

type message struct {
	Role      string            `json:"role"`
	Content   content           `json:"content"`
	ToolCalls []json.RawMessage `json:"tool_calls"`
}

// content is a text, or parts that are texts.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(raw []byte) error {
	if raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(c))
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var texts []string
	for _, part := range parts {
		if part.Type != "text" {
			return refuse("messages", "a part of the type %q is not simulated: content is text", part.Type)
		}
		texts = append(texts, part.Text)
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

// template is what a chat has around its roles and contents.
type template struct{ open, close, end string }

// templates have a first token by which they are found. They are the frame of what the models have in the file
// chat_template, without the texts that some of those add.
var templates = []template{
	{"<|im_start|>", "\n", "<|im_end|>\n"},
	{"<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>"},
}

// templateOf is the one whose first token a tokeniser has, or the first one.
func templateOf(t Tokenizer) template {
	for _, known := range templates {
		if len(t.Encode(known.open)) == 1 {
			return known
		}
	}
	return templates[0]
}

// encode is the prompt of a conversation. Each header and each content has tokens of its own, so that the
// next turn begins with the same tokens.
func (c *conversation) encode(t Tokenizer, in template) []uint32 {
	ids := slices.Clone(t.Begin())
	add := func(texts ...string) {
		for _, text := range texts {
			ids = append(ids, t.Encode(text)...)
		}
	}
	if len(c.Tools) > 0 {
		add(in.open+"tools"+in.close, joined(c.Tools), in.end)
	}
	for _, m := range c.Messages {
		add(in.open+m.Role+in.close, string(m.Content), joined(m.ToolCalls), in.end)
	}
	if c.AddGenerationPrompt == nil || *c.AddGenerationPrompt {
		add(in.open + "assistant" + in.close)
	}
	return ids
}

func joined(raw []json.RawMessage) string {
	var b strings.Builder
	for _, r := range raw {
		b.Write(r)
		b.WriteByte('\n')
	}
	return b.String()
}

// check refuses a chat without messages, with one that has no role, or with one that goes on.
func (c *conversation) check() error {
	if !off(c.ContinueFinal) {
		return refuse("continue_final_message", "continue_final_message is not simulated")
	}
	if len(c.Messages) == 0 {
		return refuse("messages", "messages must have at least one message")
	}
	for _, m := range c.Messages {
		if m.Role == "" {
			return refuse("messages", "each message needs a role")
		}
	}
	return nil
}

// chatDelta is some text of an answer.
type chatDelta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

// chatPart is some tokens of an answer.
type chatPart struct {
	Index        int       `json:"index"`
	Delta        chatDelta `json:"delta"`
	Logprobs     *string   `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

// chatMessage is an answer.
type chatMessage struct {
	Role         string  `json:"role"`
	Content      string  `json:"content"`
	Refusal      *string `json:"refusal"`
	Annotations  *string `json:"annotations"`
	Audio        *string `json:"audio"`
	FunctionCall *string `json:"function_call"`
	Reasoning    *string `json:"reasoning"`
}

var chatShape = shape{
	object: "chat.completion", chunk: "chat.completion.chunk",
	opening: func(j *job, i int, of chunk) any {
		empty := ""
		of.Choices = []any{chatPart{Index: i, Delta: chatDelta{Role: "assistant", Content: &empty}}}
		opening := struct {
			chunk
			PromptTokenIDs []uint32 `json:"prompt_token_ids"`
		}{chunk: of}
		if j.ReturnTokenIDs {
			opening.PromptTokenIDs = j.prompt(i)
		}
		return opening
	},
	delta: func(j *job, i, from, to int, last bool) any {
		a := &j.answers[i]
		text := a.piece(from, to)
		part := chatPart{Index: i, Delta: chatDelta{Content: &text}}
		var ids []uint32
		if j.ReturnTokenIDs {
			ids = a.ids[from:to]
		}
		if !last {
			return struct {
				chatPart
				TokenIDs []uint32 `json:"token_ids"`
			}{part, ids}
		}
		part.FinishReason = &a.finish
		return struct {
			chatPart
			StopReason any      `json:"stop_reason"`
			TokenIDs   []uint32 `json:"token_ids"`
		}{part, a.reason, ids}
	},
	whole: func(j *job, i int) any {
		a := &j.answers[i]
		var ids []uint32
		if j.ReturnTokenIDs {
			ids = a.ids
		}
		return struct {
			Index        int         `json:"index"`
			Message      chatMessage `json:"message"`
			Logprobs     *string     `json:"logprobs"`
			FinishReason string      `json:"finish_reason"`
			StopReason   any         `json:"stop_reason"`
			TokenIDs     []uint32    `json:"token_ids"`
		}{i, chatMessage{Role: "assistant", Content: a.text}, nil, a.finish, a.reason, ids}
	},
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request, c *chatRequest) error {
	if most := c.MaxCompletionTokens; most != nil {
		if *most < 1 {
			return refuse("max_completion_tokens", "max_completion_tokens must be at least 1, got %d", *most)
		}
		c.MaxTokens = most
	}
	if err := s.check(&c.generation); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	if choice := string(c.ToolChoice); !off(c.ToolChoice) && choice != `"none"` && choice != `"auto"` {
		return refuse("tool_choice", "tool_choice %s is not simulated: answers call no tool", choice)
	}
	if !off(c.Echo) {
		return refuse("echo", "echo is not simulated")
	}
	j, err := s.begin(r, &c.generation, "chatcmpl-", [][]uint32{c.encode(s.o.Tokenizer, s.template)}, unbounded)
	if err != nil {
		return err
	}
	return s.reply(w, r, j, &chatShape)
}
