// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"sync"

	"golang.org/x/sync/errgroup"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
)

// job is the answers to one HTTP request: of each prompt in turn, so many choices.
type job struct {
	*generation
	// id is in the answer, with its kind before it.
	id             string
	model, adapter string
	created        int64
	prompts        [][]uint32
	answers        []written
	streams        []*replicas.Stream
	// tokens are those of the answers, as the server counts them.
	tokens int64
}

// begin writes the answers to prompts, and sends them to the engine. without is the bound of answers to a
// request that states none. Without an error, the caller closes the job.
func (s *Server) begin(r *http.Request, g *generation, kind string, prompts [][]uint32, without int) (_ *job, err error) {
	id := requestID(r)
	j := &job{generation: g, id: kind + id, created: s.o.Now().Unix(), prompts: prompts}
	defer func() {
		if err != nil {
			s.close(j)
		}
	}()
	if j.model, j.adapter, err = s.model(g.Model); err != nil {
		return nil, err
	}
	for _, prompt := range prompts {
		wish, err := s.wish(g, len(prompt), without)
		if err != nil {
			return nil, err
		}
		for choice := range g.choices() {
			if err := s.hold(j, s.writer.write(g.seed(prompt, j.adapter, choice), &wish)); err != nil {
				return nil, err
			}
		}
	}
	for i, answer := range j.answers {
		of := replicas.Request{ID: id, Prompt: j.prompt(i), Answer: answer.ids, Adapter: j.adapter, Priority: g.Priority}
		if len(j.answers) == 1 {
			of.Keeps, of.TakesOver = g.KVTransfer.keeps(answer.finish), g.KVTransfer.takesOver()
		}
		stream, err := s.engine.Submit(of)
		if err != nil {
			return nil, err
		}
		j.streams = append(j.streams, stream)
	}
	return j, nil
}

// requestID is the client's, or one of its own.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" {
		return id
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // which never fails
	return hex.EncodeToString(id[:])
}

// prompt is that of an answer.
func (j *job) prompt(answer int) []uint32 { return j.prompts[answer/j.choices()] }

// hold adds an answer to a job, unless the server has too much to say already.
func (s *Server) hold(j *job, answer written) error {
	tokens := int64(len(answer.ids))
	j.answers, j.tokens = append(j.answers, answer), j.tokens+tokens
	if s.answering.Add(tokens) > s.o.Limits.AnswerTokens {
		return unavailableFor("the server works on answers of %d tokens, and takes no more", s.o.Limits.AnswerTokens)
	}
	return nil
}

// close gives up what has not ended of a job, and frees its blocks.
func (s *Server) close(j *job) {
	s.answering.Add(-j.tokens)
	for _, stream := range j.streams {
		stream.Close()
	}
}

// follow calls given with the tokens of the answers as they come, never twice at a time, until all
// answers have ended.
func (j *job) follow(ctx context.Context, given func(answer, from, to int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	var one sync.Mutex
	for i, stream := range j.streams {
		group.Go(func() error {
			for from := 0; ; {
				n, more, err := stream.Next(ctx)
				if err != nil || !more {
					return err
				}
				one.Lock()
				err = given(i, from, from+n)
				one.Unlock()
				if err != nil {
					return err
				}
				from += n
			}
		})
	}
	return group.Wait()
}

// usage is the tokens of a request.
type usage struct {
	PromptTokens        int           `json:"prompt_tokens"`
	TotalTokens         int           `json:"total_tokens"`
	CompletionTokens    int           `json:"completion_tokens"`
	PromptTokensDetails *tokenDetails `json:"prompt_tokens_details,omitempty"`
}

type tokenDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

// usageOf is that of all answers. Several answers to a prompt share it.
func (s *Server) usageOf(j *job) *usage {
	u := &usage{}
	for _, prompt := range j.prompts {
		u.PromptTokens += len(prompt)
	}
	for _, a := range j.answers {
		u.CompletionTokens += len(a.ids)
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	if s.o.PromptDetails {
		u.PromptTokensDetails = &tokenDetails{CachedTokens: j.streams[len(j.streams)-1].Progress().Cached}
	}
	return u
}
