// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
)

// An Engine computes the answers of one replica.
type Engine interface {
	// Submit sends a request. A [simulation.Refusal] says why the engine does not take it.
	Submit(replicas.Request) (*replicas.Stream, error)
	Metrics() replicas.Metrics
	// Lateness is how late tokens were, of all replicas of the process.
	Lateness() prometheus.Histogram
}

// A Tokenizer turns text into token ids and back. The text of several ids is that of each, one after
// the other.
type Tokenizer interface {
	// Begin is the ids before each prompt that is text.
	Begin() []uint32
	Encode(text string) []uint32
	Decode(ids []uint32) string
}

// Options say what a server serves.
type Options struct {
	// Names are those of the base model, at least one. Answers have the first. Root is where its
	// weights are from.
	Names []string
	Root  string
	// Version is the release that the server answers as.
	Version Version
	// MaxModelLen bounds prompt and answer together, in tokens.
	MaxModelLen int
	Tokenizer   Tokenizer
	// Lengths are answers in tokens, at least one, of which each request gets one: as long is its
	// answer, unless the request bounds it.
	Lengths []int
	// Adapters are the LoRA adapters that are loaded at the start.
	Adapters []string
	// ForceUsage adds the usage to each stream, PromptDetails the cached tokens to each usage, and
	// EchoRequestID the header X-Request-Id to each answer: vLLM's flags --enable-force-include-usage,
	// --enable-prompt-tokens-details and --enable-request-id-headers.
	ForceUsage, PromptDetails, EchoRequestID bool
	Limits                                   Limits
	// Now is the wall clock.
	Now func() time.Time
	// Scraped, unless it is nil, receives what a client has read of /metrics, once it was sent. Calls overlap.
	Scraped func(*replicas.Metrics)
}

// Limits bound what clients may ask.
type Limits struct {
	// BodyBytes is the size of a request, Requests how many the server works on at once, Choices how
	// many answers one request may ask for, and Adapters how many may be loaded.
	BodyBytes                   int64
	Requests, Choices, Adapters int
	// AnswerTokens is how many tokens the answers have that the server works on at once: it has all of an
	// answer from the beginning.
	AnswerTokens int64
	// WriteTimeout is how long a client may take to send a body, and to read a piece of an answer. Then
	// the server gives the request up.
	WriteTimeout time.Duration
}

// A Server is an http.Handler that may serve requests concurrently.
type Server struct {
	o        Options
	engine   Engine
	writer   writer
	template template
	adapters adapters
	mux      *http.ServeMux
	// started is when the server was made, underWay how many requests it works on, and answering how many
	// tokens their answers have.
	started             time.Time
	underWay, answering atomic.Int64
	counted             counted
}

// New makes the server of a replica.
func New(o Options, e Engine) *Server {
	s := &Server{o: o, engine: e, writer: newWriter(o.Tokenizer, o.Lengths), template: templateOf(o.Tokenizer), mux: http.NewServeMux(), started: o.Now(), counted: newCounted(o.MaxModelLen)}
	s.adapters.loaded = map[string]string{}
	for _, name := range o.Adapters {
		s.adapters.loaded[name] = name
	}
	s.mux.HandleFunc(otherPaths, func(w http.ResponseWriter, r *http.Request) { s.fail(w, s.missing(r)) })
	s.mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	s.mux.HandleFunc("GET /ping", func(http.ResponseWriter, *http.Request) {})
	s.mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		s.answer(w, map[string]string{"version": o.Version.String() + ".0"})
	})
	s.mux.HandleFunc("GET /metrics", s.showMetrics)
	s.mux.HandleFunc("GET /v1/models", s.listModels)
	handle(s, "POST /v1/completions", s.complete)
	handle(s, "POST /v1/chat/completions", s.chat)
	handle(s, "POST /v1/load_lora_adapter", s.loadAdapter)
	handle(s, "POST /v1/unload_lora_adapter", s.unloadAdapter)
	handle(s, "POST /tokenize", s.tokenize)
	handle(s, "POST /detokenize", s.detokenize)
	handle(s, "POST /v1/completions/render", s.renderCompletion)
	handle(s, "POST /v1/chat/completions/render", s.renderChat)
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if id := r.Header.Get("X-Request-Id"); id != "" && s.o.EchoRequestID {
		w.Header().Set("X-Request-Id", id)
	}
	s.mux.ServeHTTP(w, r)
}

// otherPaths is the pattern of what no other pattern has.
const otherPaths = "/"

// missing is the error of a path that is not there, or not for the method of a request.
func (s *Server) missing(r *http.Request) *apiError {
	e := &apiError{Code: http.StatusNotFound}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if _, pattern := s.mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host}); pattern != otherPaths {
			e.Code = http.StatusMethodNotAllowed
		}
	}
	e.Message = http.StatusText(e.Code)
	e.Type = e.Message
	return e
}

// handle answers requests with a body of type T at a pattern.
func handle[T any](s *Server, pattern string, work func(http.ResponseWriter, *http.Request, *T) error) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		defer s.underWay.Add(-1)
		if s.underWay.Add(1) > int64(s.o.Limits.Requests) {
			s.fail(w, unavailableFor("the server works on %d requests, and takes no more", s.o.Limits.Requests))
			return
		}
		var of T
		err := s.read(w, r, &of)
		if err == nil {
			err = work(w, r, &of)
		}
		if err != nil {
			s.fail(w, err)
		}
	})
}

// read reads a body, in the time that a client may take. It reads all of it: only then does package http
// notice a client that hangs up.
func (s *Server) read(w http.ResponseWriter, r *http.Request, of any) error {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(s.o.Now().Add(s.o.Limits.WriteTimeout)) // as in send
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, s.o.Limits.BodyBytes))
	if err := body.Decode(of); err != nil {
		return unreadable(err)
	}
	if _, err := body.Token(); err == nil {
		return malformedBody("", "the body must be one JSON value")
	} else if !errors.Is(err, io.EOF) {
		return unreadable(err)
	}
	_ = c.SetReadDeadline(time.Time{})
	return nil
}

// unreadable says why a body cannot be read.
func unreadable(err error) *apiError {
	var large *http.MaxBytesError
	var typed *json.UnmarshalTypeError
	var own *apiError
	switch {
	case errors.As(err, &large):
		return &apiError{
			Message: fmt.Sprintf("the body is larger than %d bytes", large.Limit), Type: tooLarge, Code: http.StatusRequestEntityTooLarge,
		}
	case errors.As(err, &own):
		return own
	case errors.As(err, &typed):
		field := fieldOf(typed.Field)
		return malformedBody(field, "%s must not be a JSON %s", cmp.Or(field, "the body"), typed.Value)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &apiError{Message: "the body does not come in time", Type: tooSlow, Code: http.StatusRequestTimeout}
	}
	return malformedBody("", "the body is not JSON: %v", err)
}

// malformedBody is an error of a body that has not the types of a request.
func malformedBody(param, format string, args ...any) *apiError {
	e := refuse(param, format, args...)
	e.Type = malformed
	return e
}

// fieldOf is the path of a field as clients know it. That of package json has the names of embedded structs.
func fieldOf(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "generation."), "conversation.")
}
