// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// A Validation says whether a policy has faults that show at its first decisions.
type Validation struct {
	PolicyID string          `json:"policy_id"`
	OK       bool            `json:"ok"`
	Error    *evaluate.Fault `json:"error"`
}

func (s *Server) validate(w http.ResponseWriter, r *http.Request) {
	v, err := s.validation(w, r)
	if err != nil {
		s.refuse(w, err)
		return
	}
	write(w, http.StatusOK, v)
}

func (s *Server) validation(w http.ResponseWriter, r *http.Request) (*Validation, error) {
	q, err := readQuestion(w, r)
	if err != nil {
		return nil, err
	}
	if q.Examples != nil {
		return nil, badQuestion{errors.New("examples: a validation is about one scenario")}
	}
	if q.Summary != "" {
		return nil, badQuestion{errors.New("summary: a validation has no summary")}
	}
	p, err := q.policy(s.evaluator.Limits)
	if err != nil {
		return nil, err
	}
	place, seed, err := s.find(q.Example)
	if err != nil {
		return nil, err
	}
	if err := s.enter(r.Context()); err != nil {
		return nil, err
	}
	defer s.leave()
	fault, err := s.evaluator.Validate(r.Context(), s.scenarios[place].With(p), seed)
	return &Validation{p.ID, fault == nil, fault}, err
}

// A Status is the state of a server.
type Status struct {
	EngineVersion string `json:"engine_version"`
	// Budget is null where there is no bound.
	Budget      *Budget     `json:"budget"`
	Concurrency int         `json:"concurrency"`
	Running     int         `json:"running"`
	Cache       CacheReport `json:"cache"`
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, Status{
		EngineVersion: simulator.EngineVersion, Budget: s.budget.report(),
		Concurrency: cap(s.slots), Running: len(s.slots), Cache: s.cache.state(),
	})
}

// A Task is what there is to evaluate in, and how.
type Task struct {
	Scenarios      []TaskScenario      `json:"scenarios"`
	Languages      []evaluate.Language `json:"languages"`
	Components     []sandbox.Component `json:"components"`
	DefaultSignals []string            `json:"default_signals"`
	Summaries      []insight.Strategy  `json:"summaries"`
	AnswerSchema   json.RawMessage     `json:"answer_schema"`
}

// A TaskScenario is one scenario of a task.
type TaskScenario struct {
	Name       string          `json:"name"`
	ID         string          `json:"scenario_id"`
	Seeds      []int64         `json:"seeds"`
	Objectives []evaluate.Goal `json:"objectives"`
}

func (s *Server) task(w http.ResponseWriter, _ *http.Request) {
	t := Task{Languages: evaluate.Languages, Components: evaluate.Components, DefaultSignals: evaluate.DefaultSignals, Summaries: evaluate.Summaries, AnswerSchema: evaluate.Schema}
	for _, scenario := range s.scenarios {
		t.Scenarios = append(t.Scenarios, TaskScenario{scenario.Name, scenario.ID, scenario.Seeds, scenario.Goals})
	}
	write(w, http.StatusOK, t)
}

// A Refusal is the body of an answer that is an error.
type Refusal struct {
	Message string  `json:"message"`
	Budget  *Budget `json:"budget"`
}

// refuse answers with an error. A client that is gone gets none.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, context.Canceled):
		code = http.StatusServiceUnavailable
	case errors.Is(err, errSpent):
		code = http.StatusTooManyRequests
	case errors.As(err, &tooLarge):
		code = http.StatusRequestEntityTooLarge
	case errors.As(err, new(badQuestion)):
		code = http.StatusBadRequest
	}
	write(w, code, Refusal{err.Error(), s.budget.report()})
}

// write writes JSON in one piece.
func write(w http.ResponseWriter, code int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(raw, '\n')) // a client that is gone does not read
}
