// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// The kinds of text that prompts and answers consist of: blocks that prompts
// may share, and what only one request has, the rest of its prompt and its
// answer. A text's source is a hash of its kind and number.
const (
	blockText = iota + 1
	ownText
)

// source replays measured requests; request i has the ID i.
type source struct {
	requests []Request
	next     int
}

// Labels implements workload.Source.
func (*source) Labels() workload.Labels {
	return workload.Labels{
		Clients: []string{"measured"},
		Tenants: []string{workload.DefaultLabel},
		Classes: []string{workload.DefaultLabel},
	}
}

// Next implements workload.Source.
func (s *source) Next() (workload.Request, bool) {
	if s.next == len(s.requests) {
		return workload.Request{}, false
	}
	i := s.next
	s.next++
	r := &s.requests[i]
	own := stats.Hash64(ownText, uint64(i))
	return workload.Request{
		ID:            i,
		Arrival:       r.Queued,
		Prompt:        r.prompt(own),
		OutputTokens:  r.OutputTokens,
		Response:      own,
		ResponseStart: int32(r.ownTokens()),
	}, true
}

// ownTokens is how much of the prompt is in none of its blocks.
func (r *Request) ownTokens() int { return r.InputTokens - len(r.Blocks)*r.BlockTokens }

// prompt returns the prompt: its full blocks, then a text of its own, which the
// answer continues.
func (r *Request) prompt(own uint64) prompt.Prompt {
	text := make([]prompt.Extent, 0, len(r.Blocks)+1)
	for _, id := range r.Blocks {
		text = append(text, prompt.Extent{Source: stats.Hash64(blockText, id), Tokens: int32(r.BlockTokens)})
	}
	if tokens := r.ownTokens(); tokens > 0 {
		text = append(text, prompt.Extent{Source: own, Tokens: int32(tokens)})
	}
	return prompt.Prompt{Extents: text}
}
