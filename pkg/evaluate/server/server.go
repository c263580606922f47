// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/sync/errgroup"

	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// A Server answers questions.
type Server struct {
	evaluator *evaluate.Evaluator
	scenarios []*evaluate.Scenario
	budget    budget
	slots     chan struct{}
	cache     *cache
}

// New returns a server of scenarios with different names. Without a budget, simulations have
// no bound; concurrency is how many run at once.
func New(e *evaluate.Evaluator, scenarios []*evaluate.Scenario, simulations, concurrency int) *Server {
	return &Server{
		evaluator: e, scenarios: scenarios, budget: budget{total: simulations},
		slots: make(chan struct{}, concurrency), cache: newCache(cacheBytes),
	}
}

// Handler serves the paths of the package's documentation.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/evaluate", s.evaluateOne)
	mux.HandleFunc("POST /v1/evaluate_examples", s.evaluateExamples)
	mux.HandleFunc("POST /v1/validate", s.validate)
	mux.HandleFunc("GET /v1/status", s.status)
	mux.HandleFunc("GET /v1/task", s.task)
	return mux
}

func (s *Server) evaluateOne(w http.ResponseWriter, r *http.Request) {
	q, err := readQuestion(w, r)
	if err == nil && q.Examples != nil {
		err = badQuestion{errors.New("examples: /v1/evaluate_examples takes several")}
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	answers, err := s.answer(r.Context(), q, []Example{q.Example})
	if err != nil {
		s.refuse(w, err)
		return
	}
	write(w, http.StatusOK, answers[0])
}

func (s *Server) evaluateExamples(w http.ResponseWriter, r *http.Request) {
	q, err := readQuestion(w, r)
	switch {
	case err != nil:
	case q.Example != Example{}:
		err = badQuestion{errors.New("scenario and seed: state them in examples")}
	case len(q.Examples) == 0 || len(q.Examples) > maxExamples:
		err = badQuestion{fmt.Errorf("examples: must be a list of 1 to %d", maxExamples)}
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	answers, err := s.answer(r.Context(), q, q.Examples)
	if err != nil {
		s.refuse(w, err)
		return
	}
	write(w, http.StatusOK, answers)
}

// errSpent says that the budget does not have as many simulations as a question needs.
var errSpent = errors.New("the budget is spent")

// answer answers for examples of a policy, in their order. It spends of the budget what no
// kept answer saves, and nothing where the budget does not have that.
func (s *Server) answer(ctx context.Context, q *Question, examples []Example) ([]json.RawMessage, error) {
	p, err := q.policy(s.evaluator.Limits)
	if err != nil {
		return nil, err
	}
	answers := make([]json.RawMessage, len(examples))
	keys := make([]cacheKey, len(examples))
	var missing []int
	for i, e := range examples {
		place, seed, err := s.find(e)
		if err != nil {
			return nil, err
		}
		keys[i] = cacheKey{p.ID, s.scenarios[place].ID, place, seed, q.summary, simulator.EngineVersion}
		if answers[i] = s.cache.get(keys[i]); answers[i] == nil {
			missing = append(missing, i)
		}
	}
	if !s.budget.take(len(missing)) {
		return nil, fmt.Errorf("%w: the question needs %d simulations", errSpent, len(missing))
	}
	candidates := map[int]*evaluate.Case{} // by the place of the scenario
	for _, i := range missing {
		if place := keys[i].place; candidates[place] == nil {
			candidates[place] = s.scenarios[place].With(p)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(s.slots))
	for _, i := range missing {
		group.Go(func() (err error) {
			answers[i], err = s.simulate(ctx, candidates[keys[i].place], keys[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return answers, nil
}

// simulate waits for a slot and answers. Where there is no answer, it gives back what it took
// of the budget.
func (s *Server) simulate(ctx context.Context, c *evaluate.Case, key cacheKey) (raw json.RawMessage, err error) {
	defer func() {
		if err != nil {
			s.budget.giveBack()
		}
	}()
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	a, err := s.evaluator.With(key.summary).Evaluate(ctx, c, key.seed)
	if err != nil {
		return nil, err
	}
	raw, err = json.Marshal(a)
	if err != nil || !repeats(a) {
		return raw, err
	}
	return s.cache.put(key, raw), nil
}

// repeats reports whether the same question has the same answer again. The limits of a
// machine give faults that another try may not have.
func repeats(a *evaluate.Answer) bool {
	return a.Error == nil || !a.Error.OfMachine()
}

// enter waits for a slot, or until no client waits for the answer.
func (s *Server) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Server) leave() { <-s.slots }
