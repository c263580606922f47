// SPDX-License-Identifier: Apache-2.0

package result

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// LeaderboardSchemaVersion names the layout of a [Leaderboard].
const LeaderboardSchemaVersion = "windtunnel.dev/leaderboard/v2"

// NoBaseline is the baseline of a leaderboard that has none.
const NoBaseline = -1

// Assignment is a parameter's value.
type Assignment struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// String returns name=value.
func (a Assignment) String() string { return a.Name + "=" + a.Value }

// Entry is a point that takes part.
type Entry struct {
	Point      int          `json:"point"`
	Parameters []Assignment `json:"parameters,omitempty"`
	// Dropped is set where the search stopped giving it seeds.
	Dropped *Drop `json:"dropped,omitempty"`
	// Elite is the kind of behaviour of which it is the best, where a search looks
	// for such.
	Elite Kind `json:"elite,omitempty"`
	// Capacity ranks before all objectives, where it is searched for.
	Capacity *Capacity `json:"capacity,omitempty"`
	// Origin says how its policy came about, where a search makes policies.
	Origin *Origin `json:"origin,omitempty"`
}

// Name names the candidate by its values.
func (c *Entry) Name() string {
	if len(c.Parameters) == 0 {
		return OnlyPoint
	}
	var parts []string
	for _, p := range c.Parameters {
		parts = append(parts, p.String())
	}
	return strings.Join(parts, " ")
}

// Drop says why a search gave a candidate no more seeds.
type Drop struct {
	// PValue is that of its being as good as the best, all comparisons and looks
	// together; absent where it was its rank that counted.
	PValue *float64 `json:"pValue,omitempty"`
}

// LeaderboardInput is what a leaderboard is made of.
type LeaderboardInput struct {
	Candidates []Entry
	// Rows are of the candidates, in any order; the same one may be there twice.
	Rows        []Row
	Objectives  []Objective
	Constraints []Constraint
	// Features are what distinguishes kinds of behaviour.
	Features []Measure
	// Shown are further measures to give the figures of.
	Shown []Measure
	// Workloads are the names of the workloads that the rows are merged of, if they are.
	Workloads []string
	// WithoutRequestCost names the pools that state no cost of the way to the engine.
	WithoutRequestCost []string
	// Baseline is a point, or NoBaseline.
	Baseline int
	// Seeds are those that every candidate should have a row under, and by which
	// they are ranked; where it is nil, all that some candidate has that was not
	// dropped. Rows under others only make figures and comparisons more precise.
	Seeds []int64
	// Keep bounds how many candidates are listed in addition to the baseline: the best,
	// as many of the Pareto front, and as many that are the best of their kind. 0
	// lists all.
	Keep int
}

// Leaderboard ranks candidates by what their simulations found.
type Leaderboard struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	// Confidence is the level of every interval, and of the verdicts of each
	// objective together.
	Confidence  float64      `json:"confidence"`
	Objectives  []Objective  `json:"objectives"`
	Constraints []Constraint `json:"constraints,omitempty"`
	// Features are what distinguishes kinds of behaviour.
	Features []string `json:"features,omitempty"`
	// Seeds are those by which candidates are ranked, ascending.
	Seeds []int64 `json:"seeds"`
	// Baseline is the point compared with; absent without a baseline.
	Baseline *int `json:"baseline,omitempty"`
	// Workloads are the names of the workloads under which the candidates were simulated;
	// absent where there was one without a name. Metrics without a workload are means over
	// them.
	Workloads []string `json:"workloads,omitempty"`
	// WithoutRequestCost names the pools that state no cost of the way to the engine, where
	// that would count: half of the first tokens of some simulation came within 50 ms.
	WithoutRequestCost []string `json:"withoutRequestCost,omitempty"`
	// Counts are of all candidates, listed or not.
	Counts Counts `json:"counts"`
	// Rungs are the efforts of a search that begins with little, least first;
	// none where every simulation was a full one.
	Rungs []Rung `json:"rungs,omitempty"`
	// Candidates are in order of rank.
	Candidates []Ranked `json:"candidates"`
}

// Measures are those of the objectives and constraints, each once.
func (l *Leaderboard) Measures() []Measure { return measuresOf(l.Objectives, l.Constraints) }

// Counts are numbers of candidates by their standing.
type Counts struct {
	All        int `json:"all"`
	Feasible   int `json:"feasible"`
	Infeasible int `json:"infeasible,omitempty"`
	Dropped    int `json:"dropped,omitempty"`
	Shortened  int `json:"shortened,omitempty"`
	Incomplete int `json:"incomplete,omitempty"`
	Failed     int `json:"failed,omitempty"`
	// Compared is how many were tested against the baseline.
	Compared int `json:"compared,omitempty"`
}

// Standing says what can be said of a candidate. Candidates rank in the order
// of their standings.
type Standing string

// The standings.
const (
	// Feasible candidates keep to the constraints, Infeasible ones do not: they
	// rank by how far they exceed them.
	Feasible   Standing = "Feasible"
	Infeasible Standing = "Infeasible"
	// Dropped candidates got fewer seeds, Shortened ones shorter simulations
	// only: the search gave them up.
	Dropped   Standing = "Dropped"
	Shortened Standing = "Shortened"
	// Incomplete candidates lack results, Failed ones cannot be simulated.
	Incomplete Standing = "Incomplete"
	Failed     Standing = "Failed"
)

var allStandings = []Standing{Feasible, Infeasible, Dropped, Shortened, Incomplete, Failed}

// Ranked is a candidate and its standing.
type Ranked struct {
	// Rank is the place, from 1. Candidates that are equal in all objectives
	// share one.
	Rank int `json:"rank"`
	Entry
	// Baseline marks the candidate that the others are compared with.
	Baseline bool     `json:"baseline,omitempty"`
	Standing Standing `json:"standing"`
	// Reason says in words why it is neither Feasible nor Infeasible.
	Reason string `json:"reason,omitempty"`
	// Excess is how far the means exceed the constraints, each in parts of its
	// bound, added up.
	Excess float64 `json:"excess,omitempty"`
	// Pareto says that no other feasible candidate is at least as good in all
	// objectives and better in one, by the means.
	Pareto bool `json:"pareto"`
	// ParetoProbability is how likely that is, as the seeds vary; absent where
	// there is one seed, or the candidate is far from the front.
	ParetoProbability *float64 `json:"paretoProbability,omitempty"`
	// Metrics are the figures of objectives, constraints and what else is shown.
	Metrics Intervals `json:"metrics"`
	// RejectedBy counts the requests that were rejected under all seeds, by reason.
	RejectedBy Rejections `json:"rejectedBy,omitempty"`
	// VersusBaseline has one entry an objective; empty for the baseline.
	VersusBaseline []Comparison `json:"versusBaseline,omitempty"`
}

// Complete reports whether the candidate has all results that it should.
func (r *Ranked) Complete() bool { return r.Standing == Feasible || r.Standing == Infeasible }

var medianTTFT = Of(MustParseMetric("ttft.p50")).Reader()

// hasFastFirstTokens reports whether half of the first tokens came so fast that the way to the
// engine would count.
func hasFastFirstTokens(r Row) bool {
	median, ok := medianTTFT.Value(&r)
	return ok && median < latency.WithoutAWayMatters.Seconds()
}

// NewLeaderboard ranks candidates: the feasible ones by the mean of the first
// objective, ties by the following ones, then by point; after them the others by
// their standing. Rows of unknown points, contradicting rows, repeated points
// and unknown directions are errors. The order of candidates and rows does not
// matter. With Keep it takes some 200 bytes a candidate beyond what it is given.
func NewLeaderboard(in LeaderboardInput) (*Leaderboard, error) {
	s, err := newLeaderboardBuilder(in)
	if err != nil {
		return nil, err
	}
	l := &Leaderboard{
		SchemaVersion: LeaderboardSchemaVersion,
		EngineVersion: simulator.EngineVersion,
		Confidence:    Confidence,
		Objectives:    append([]Objective{}, in.Objectives...),
		Constraints:   in.Constraints,
		Seeds:         s.seeds,
		Workloads:     in.Workloads,
		Counts:        s.counts(),
		Rungs:         s.rungs(),
		Candidates:    s.listed(),
	}
	for _, feature := range in.Features {
		l.Features = append(l.Features, feature.String())
	}
	if slices.ContainsFunc(in.Rows, hasFastFirstTokens) {
		l.WithoutRequestCost = in.WithoutRequestCost
	}
	if in.Baseline != NoBaseline {
		l.Baseline = &in.Baseline
		l.Counts.Compared = s.compared
	}
	return l, nil
}
