// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// The kinds of text that prompts and answers consist of. A text's source is a
// hash of its kind and number, so that texts of two kinds are never shared.
const (
	blockText = iota + 1
	tailText
	answerText
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
	return workload.Request{
		ID:           i,
		Arrival:      r.Queued,
		Prompt:       r.prompt(i),
		OutputTokens: r.OutputTokens,
		Response:     stats.Hash64(answerText, uint64(i)),
	}, true
}

// prompt returns the prompt of request i: its full blocks, then a tail of its own.
func (r *Request) prompt(i int) prompt.Prompt {
	text := make([]prompt.Extent, 0, len(r.Blocks)+1)
	for _, id := range r.Blocks {
		text = append(text, prompt.Extent{Source: stats.Hash64(blockText, id), Tokens: int32(r.BlockTokens)})
	}
	if tail := r.InputTokens - len(r.Blocks)*r.BlockTokens; tail > 0 {
		text = append(text, prompt.Extent{Source: stats.Hash64(tailText, uint64(i)), Tokens: int32(tail)})
	}
	return prompt.Prompt{Extents: text}
}
