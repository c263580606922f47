// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// An Explanation says how one request was routed, and by what. It belongs to who
// receives it.
type Explanation struct {
	// View is what was seen, and Request who asked; both are only valid while it is
	// told.
	View    *policy.View
	Request *policy.Request
	// InFlight counts, by endpoint, the requests that the router had sent there and
	// whose answers had not ended; nil if they are not needed.
	InFlight []int
	// Signals are what scorers, or a policy without scorers, knew of the prompt.
	Signals []Signal
	// Endpoints are those that were there, Filters the stages of a policy that took some
	// of them out, in order, and Candidates those that were left.
	Endpoints  []int
	Filters    []Filter
	Candidates []int
	// Scorers are those of a weighted policy, in order; Scores[j] is what they add up
	// to for Candidates[j], or minus its load where that decides. It is nil where the
	// policy scores nothing.
	Scorers []ScorerRun
	Scores  []float64
	// Tied counts the candidates that were as good as the chosen one, and ByChance is
	// whether a draw decided.
	Tied     int
	ByChance bool
	// Endpoint is the chosen one, unless Err says why there is none.
	Endpoint int
	Err      error
	// Prefill is how the endpoint was chosen that computes the prompt; nil where none is.
	Prefill *Explanation
}

// A ScorerRun says what a scorer gave each candidate: Raw is what it said, Clamped
// that between 0 and 1, Weighted that times the weight.
type ScorerRun struct {
	Name                   string
	Weight                 float64
	Raw, Clamped, Weighted []float64
}

// A Filter is a stage of a policy that took endpoints out.
type Filter struct {
	Name    string
	Dropped []int
}

// A Signal is what a scorer or a policy knew of who holds the prompt.
type Signal struct {
	// Name is that of the scorer or the policy.
	Name string
	// Freshness says in words how old that is.
	Freshness string
	// Blocks are those that each endpoint holds of TotalBlocks, of BlockTokens each.
	BlockTokens, TotalBlocks int
	Blocks                   []int
}

// An informed scorer knows of who holds what.
type informed interface {
	// signal is of the last request that it scored.
	signal(r *round) Signal
}

// An explained chooser says how it chose last.
type explained interface {
	explain(r *round, x *Explanation)
}

// Explain has each decision from now on explained, as soon as it is made; nil ends
// that. Decisions are the same either way.
func (r *Router) Explain(tell func(*Explanation)) {
	r.tell = tell
	if w, ok := r.chooser.(*weighted); ok {
		w.keep(tell != nil)
	}
}

// begin notes what changes with a decision.
func (r *Router) begin(view *policy.View, request *policy.Request) *Explanation {
	return &Explanation{
		View: view, Request: request, InFlight: slices.Clone(r.inFlight),
		Endpoints: slices.Clone(r.round.candidates), Candidates: slices.Clone(r.round.candidates),
	}
}

// end adds how it was made, and tells.
func (r *Router) end(x *Explanation, endpoint int, err error) {
	x.Endpoint, x.Err = endpoint, err
	if e, ok := r.chooser.(explained); ok && err == nil {
		e.explain(&r.round, x)
	}
	r.tell(x)
}

// keep has raw scores kept, or not any more.
func (w *weighted) keep(raw bool) {
	w.raw = nil
	for range w.scorers {
		if raw {
			w.raw = append(w.raw, make([]float64, cap(w.scores)))
		}
	}
}

func (w *weighted) explain(r *round, x *Explanation) {
	n := len(w.scores)
	x.Scores = slices.Clone(w.scores)
	w.ties.explain(x)
	for i, s := range w.scorers {
		run := ScorerRun{Name: w.names[i], Weight: w.weights[i], Raw: slices.Clone(w.raw[i][:n]), Weighted: slices.Clone(w.parts[i][:n])}
		for _, raw := range run.Raw {
			run.Clamped = append(run.Clamped, min(max(raw, 0), 1))
		}
		x.Scorers = append(x.Scorers, run)
		if s, ok := s.(informed); ok {
			signal := s.signal(r)
			signal.Name = w.names[i]
			x.Signals = append(x.Signals, signal)
		}
	}
}

func (c *leastLoaded) explain(_ *round, x *Explanation) {
	x.Scores = slices.Clone(c.lightly)
	c.ties.explain(x)
}

func (c *random) explain(r *round, x *Explanation) {
	x.Tied, x.ByChance = len(r.candidates), len(r.candidates) > 1
}

// explain is of the last choice.
func (t *ties) explain(x *Explanation) {
	x.Tied = len(t.equal)
	x.ByChance = x.Tied > 1 && t.how != tieFirst && t.how != tieRotate
}

func (s *prefixAffinity) signal(r *round) Signal {
	return Signal{
		Freshness:   "the requests sent there, without delay; does not see evictions",
		BlockTokens: s.blockTokens, TotalBlocks: r.request.Tokens / s.blockTokens, Blocks: slices.Clone(s.blocks),
	}
}

func (s precisePrefixCache) signal(r *round) Signal { return s.caches.signal(r) }
func (s oraclePrefix) signal(r *round) Signal       { return s.caches.signal(r) }
func (s *noHitLRU) signal(r *round) Signal          { return s.caches.signal(r) }

// signal is what the last look found, counted in blocks of the first endpoint.
func (c *caches) signal(r *round) Signal {
	s := Signal{Freshness: "the content of the engines' caches, without delay", Blocks: slices.Clone(c.match.Blocks)}
	if c.feed.Lag > 0 {
		s.Freshness = "the content of the engines' caches, delayed by " + c.feed.Lag.String()
	}
	if s.BlockTokens = r.view.Scrapes[0].BlockTokens; s.BlockTokens > 0 {
		s.TotalBlocks = r.request.Tokens / s.BlockTokens
	}
	return s
}
