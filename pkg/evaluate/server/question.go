// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// maxRequestBytes bounds a question: the greatest module in base64, and more than its
// document.
const maxRequestBytes = 8 << 20

// maxExamples bounds what one question asks for.
const maxExamples = 1000

// A Question is the body of a request.
type Question struct {
	// Policy is a text, or a bundle as an object. That of a module is in base64.
	Policy json.RawMessage `json:"policy"`
	// Language is bundle unless it is set.
	Language evaluate.Language `json:"language,omitempty"`
	// Component and Signals are those of a program.
	Component sandbox.Component `json:"component,omitempty"`
	Signals   []string          `json:"signals,omitempty"`
	// Summary is one of [evaluate.Summaries]; the first one unless it is set.
	Summary insight.Strategy `json:"summary,omitempty"`
	// Example is what a question about one asks for, Examples those of a question about
	// several.
	Example
	Examples []Example `json:"examples,omitempty"`

	summary insight.Strategy // as an evaluator takes it
}

// An Example is a scenario under a seed.
type Example struct {
	// Scenario is the name of one; empty is the only one.
	Scenario string `json:"scenario,omitempty"`
	// Seed is the scenario's first one unless it is set.
	Seed *int64 `json:"seed,omitempty"`
}

// A badQuestion marks an error as the client's.
type badQuestion struct{ error }

func (b badQuestion) Unwrap() error { return b.error }

// readQuestion reads the body of a request.
func readQuestion(w http.ResponseWriter, r *http.Request) (*Question, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		return nil, badQuestion{err}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	q := &Question{}
	if err := d.Decode(q); err != nil {
		return nil, badQuestion{fmt.Errorf("the body must be a question in JSON: %w", err)}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, badQuestion{errors.New("the body must be one question in JSON")}
	}
	if q.summary, err = evaluate.SummaryOf(q.Summary); err != nil {
		return nil, badQuestion{err}
	}
	return q, nil
}

// policy reads the policy of a question.
func (q *Question) policy(most bundle.Limits) (*evaluate.Policy, error) {
	language := q.Language
	if language == "" {
		language = evaluate.Bundle
	}
	raw := []byte(q.Policy)
	var text string
	switch err := json.Unmarshal(q.Policy, &text); {
	case len(raw) == 0:
		return nil, badQuestion{errors.New("policy: state the policy")}
	case err == nil:
		raw = []byte(text)
	case language != evaluate.Bundle || raw[0] != '{':
		return nil, badQuestion{errors.New("policy: must be a text, or an object that is a bundle")}
	}
	if language == evaluate.WASM {
		module, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return nil, badQuestion{fmt.Errorf("policy: a module must be in base64: %w", err)}
		}
		raw = module
	}
	p, err := evaluate.ReadPolicy(raw, language, evaluate.Program{Component: q.Component, Signals: q.Signals}, most)
	if err != nil {
		return nil, badQuestion{err}
	}
	return p, nil
}

// find returns the place of the scenario of an example, and its seed.
func (s *Server) find(e Example) (place int, seed int64, err error) {
	place = -1
	var names []string
	for i, scenario := range s.scenarios {
		if scenario.Name == e.Scenario || e.Scenario == "" && len(s.scenarios) == 1 {
			place = i
		}
		names = append(names, scenario.Name)
	}
	if place < 0 {
		return 0, 0, badQuestion{fmt.Errorf("scenario %q: must be one of %s", e.Scenario, strings.Join(names, ", "))}
	}
	seed = s.scenarios[place].Seeds[0]
	if e.Seed != nil {
		seed = *e.Seed
	}
	if seed < 0 {
		return 0, 0, badQuestion{fmt.Errorf("seed %d: must be at least 0", seed)}
	}
	return place, seed, nil
}
