// SPDX-License-Identifier: Apache-2.0

package load

import (
	"encoding/json"
	"fmt"
)

// API is the part of the OpenAI API that requests go to.
type API string

// The APIs.
const (
	Completions API = "completions"
	Chat        API = "chat"
)

// APIs are all of them, by name.
func APIs() []API { return []API{Completions, Chat} }

// path is that of the URL.
func (a API) path() string {
	if a == Chat {
		return "/v1/chat/completions"
	}
	return "/v1/completions"
}

// body is the body of a request, with the parameters of vLLM.
type body struct {
	Model    string    `json:"model"`
	Prompt   string    `json:"prompt,omitempty"`
	Messages []message `json:"messages,omitempty"`
	// MaxTokens with IgnoreEOS is the length of the answer.
	MaxTokens     int           `json:"max_tokens"`
	IgnoreEOS     bool          `json:"ignore_eos"`
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
	// Priority is vLLM's: the lowest is served first.
	Priority int `json:"priority,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// encode returns the body of a request with a prompt.
func (a API) encode(b body, text []byte) []byte {
	if a == Chat {
		b.Messages = []message{{Role: "user", Content: string(text)}}
	} else {
		b.Prompt = string(text)
	}
	b.IgnoreEOS, b.Stream, b.StreamOptions.IncludeUsage = true, true, true
	raw, err := json.Marshal(&b)
	if err != nil {
		panic(fmt.Sprintf("load: encode a request: %v", err))
	}
	return raw
}
