// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"net/http"
	"time"
)

// Options say what a server serves.
type Options struct {
	// Names are those of the base model. Answers have the first.
	Names []string
	// Version is the release that the server answers as.
	Version Version
	// MaxModelLen bounds prompt and answer together, in tokens.
	MaxModelLen int
	// Started is when the replica began to serve.
	Started time.Time
}

// A Server is an http.Handler that may serve requests concurrently.
type Server struct {
	o   Options
	mux *http.ServeMux
}

// New makes the server of a replica.
func New(o Options) *Server {
	s := &Server{o: o, mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	s.mux.HandleFunc("GET /v1/models", s.listModels)
	return s
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }
