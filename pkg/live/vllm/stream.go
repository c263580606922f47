// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"net/http"
	"time"
)

// chunk is one message of a stream.
type chunk struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
	Choices []any  `json:"choices"`
	Usage   *usage `json:"usage,omitempty"`
}

// shape is how a kind of request shows its answers.
type shape struct {
	// object and chunk name the kind of a whole answer and of a chunk.
	object, chunk string
	// opening is the chunk of an answer that comes before all text; nil is none.
	opening func(j *job, answer int, of chunk) any
	// delta shows some tokens of an answer, and whole all of them. last says that the tokens end it.
	delta func(j *job, answer, from, to int, last bool) any
	whole func(j *job, answer int) any
}

// reply sends the answers of a job.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, j *job, as *shape) error {
	defer s.close(j)
	if j.Stream {
		s.stream(w, r, j, as)
		return nil
	}
	err := j.follow(r.Context(), func(int, int, int) error { return nil })
	s.counted.ends(j, err, r.Context().Err() != nil)
	if err != nil {
		return err
	}
	var choices []any
	for i := range j.answers {
		choices = append(choices, as.whole(j, i))
	}
	s.answer(w, struct {
		chunk
		ServiceTier       *string `json:"service_tier"`
		SystemFingerprint *string `json:"system_fingerprint"`
		KVTransferParams  *kept   `json:"kv_transfer_params"`
	}{chunk: chunk{j.id, as.object, j.created, j.model, choices, s.usageOf(j)}, KVTransferParams: s.kept(r, j)})
	return nil
}

// stream sends the answers of a job as they come. What goes wrong then is part of the stream.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, j *job, as *shape) {
	out := s.openEvents(w)
	atEnd, always := s.usage(j.generation)
	opened := as.opening == nil
	err := j.follow(r.Context(), func(i, from, to int) error {
		of := chunk{ID: j.id, Object: as.chunk, Created: j.created, Model: j.model}
		if !opened {
			opened = true
			for each := range j.answers {
				of.Usage = s.usageSoFar(j, each, 0, always)
				out.send(as.opening(j, each, of))
			}
		}
		of.Usage = s.usageSoFar(j, i, to, always)
		of.Choices = []any{as.delta(j, i, from, to, to == len(j.answers[i].ids))}
		out.send(of)
		return out.flush()
	})
	gone := r.Context().Err() != nil || out.err != nil
	s.counted.ends(j, err, gone)
	switch {
	case gone:
		return
	case err != nil:
		out.write(s.body(asAPIError(err)))
	case atEnd:
		out.send(chunk{j.id, as.chunk, j.created, j.model, []any{}, s.usageOf(j)})
	}
	out.write([]byte("[DONE]"))
	_ = out.flush() // a client that is gone does not read it
}

// usageSoFar is the usage of an answer after some of its tokens; nil where it is not asked for.
func (s *Server) usageSoFar(j *job, answer, tokens int, asked bool) *usage {
	if !asked {
		return nil
	}
	prompt := len(j.prompt(answer))
	return &usage{PromptTokens: prompt, CompletionTokens: tokens, TotalTokens: prompt + tokens}
}

// events is a stream of server-sent events. After an error it sends nothing.
type events struct {
	w       http.ResponseWriter
	c       *http.ResponseController
	timeout time.Duration
	now     func() time.Time
	err     error
}

// openEvents sends the head of a stream.
func (s *Server) openEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	e := &events{w: w, c: http.NewResponseController(w), timeout: s.o.Limits.WriteTimeout, now: s.o.Now}
	_ = e.flush() // e keeps the error
	return e
}

func (e *events) send(of any) { e.write(encode(of)) }

// write adds an event.
func (e *events) write(data []byte) {
	for _, part := range [][]byte{[]byte("data: "), data, []byte("\n\n")} {
		if e.err == nil {
			_, e.err = e.w.Write(part)
		}
	}
}

// flush sends what has been added, in the time that a client may take.
func (e *events) flush() error {
	if e.err == nil {
		e.err = e.c.SetWriteDeadline(e.now().Add(e.timeout))
	}
	if e.err == nil {
		e.err = e.c.Flush()
	}
	return e.err
}
