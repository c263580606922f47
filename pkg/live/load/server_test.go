// SPDX-License-Identifier: Apache-2.0

package load

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Times of the server of tests, which is alone with each request.
const (
	prefill = 100 * time.Millisecond
	decode  = 10 * time.Millisecond
)

// A server answers requests of the OpenAI API in the process of the test: the first token after
// prefill, each further one after decode.
type server struct {
	mu sync.Mutex
	// got are the requests, in the order of their arrival.
	got []received
	// refuse, if it is set, answers a request that it reports true for.
	refuse func(w http.ResponseWriter, nth int) bool
	// cached is what the usage says of the prompt's cached tokens.
	cached int
}

type received struct {
	header http.Header
	path   string
	body   body
}

// prompt is the text that was asked with.
func (r *received) prompt() string {
	if len(r.body.Messages) > 0 {
		return r.body.Messages[0].Content
	}
	return r.body.Prompt
}

// take notes a request, and returns its place.
func (s *server) take(r *http.Request, b body) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, received{r.Header, r.URL.Path, b})
	return len(s.got) - 1
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var b body
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if nth := s.take(r, b); s.refuse != nil && s.refuse(w, nth) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	wait := prefill
	for i := range b.MaxTokens {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
		wait = decode
		finish := "null"
		if i == b.MaxTokens-1 {
			finish = `"length"`
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"text\":%q,\"finish_reason\":%s}]}\n\n", answerWord(i), finish)
	}
	tokens := 0
	for _, m := range b.Messages {
		tokens += len(m.Content) / 4
	}
	tokens += len(b.Prompt) / 4
	fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"prompt_tokens_details\":{\"cached_tokens\":%d}}}\n\ndata: [DONE]\n\n",
		tokens, b.MaxTokens, s.cached)
}

// answerWord is the text of the ith token of each answer.
func answerWord(i int) string { return fmt.Sprintf("a%03d", i) }

// RoundTrip implements http.RoundTripper: it serves the request itself.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	read, write := io.Pipe()
	w := &pipeWriter{header: http.Header{}, body: write, begun: make(chan int, 1)}
	go func() {
		s.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		_ = write.CloseWithError(r.Context().Err())
	}()
	select {
	case code := <-w.begun:
		return &http.Response{StatusCode: code, Header: w.header, Body: read, Request: r}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// pipeWriter is the answer of a request that is served in the process.
type pipeWriter struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	begun  chan int
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(code int) { w.once.Do(func() { w.begun <- code }) }

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// answerText is the text of an answer.
func answerText(tokens int) string {
	var text strings.Builder
	for i := range tokens {
		text.WriteString(answerWord(i))
	}
	return text.String()
}
