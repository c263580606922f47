// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"sort"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Trial is a point to simulate under some seeds.
type Trial struct {
	Point Point
	// Share is that of the scenario's arrivals, in (0, 1].
	Share float64
	Seeds []int64
}

// Round is what a study asks for at a time: its simulations depend on nothing
// that is not known yet, so that they may run in any order and anywhere.
type Round struct {
	// Index numbers the rounds of a study from 0.
	Index  int
	Trials []Trial
	// Workloads are the names of the workloads under which each trial is simulated; one
	// without a name where the plan has none.
	Workloads []string

	// Ends[i] is the number of simulations of trials 0 to i, and costs[i] their time on one
	// core, in seconds.
	Ends  []int
	costs []float64
}

// NewRound counts the simulations of a round of the plan.
func (p *Plan) NewRound(index int, trials []Trial) *Round {
	return newRound(index, trials, p.workloadNames(), p.Cost())
}

// newRound counts a round's simulations. cost estimates one of a trial's.
func newRound(index int, trials []Trial, workloads []string, cost func(*Trial) float64) *Round {
	r := &Round{Index: index, Trials: trials, Workloads: workloads}
	simulations, seconds := 0, 0.0
	for i := range trials {
		n := len(trials[i].Seeds) * len(r.Workloads)
		simulations += n
		seconds += float64(float64(n) * cost(&trials[i]))
		r.Ends = append(r.Ends, simulations)
		r.costs = append(r.costs, seconds)
	}
	return r
}

// Simulations is their number: one for each trial, seed of it and workload.
func (r *Round) Simulations() int {
	if len(r.Ends) == 0 {
		return 0
	}
	return r.Ends[len(r.Ends)-1]
}

// CoreSeconds estimates what the simulations take of a core.
func (r *Round) CoreSeconds() float64 {
	if len(r.costs) == 0 {
		return 0
	}
	return r.costs[len(r.costs)-1]
}

// Case is what one simulation simulates: a trial under a seed and a workload.
type Case struct {
	*Trial
	Seed int64
	// Workload is the name of a workload of the plan; empty where it has none.
	Workload string
}

// At returns what simulation i simulates: the trials follow each other, each with its
// seeds in order, each of them under all workloads.
func (r *Round) At(i int) Case {
	trial := sort.SearchInts(r.Ends, i+1)
	t := &r.Trials[trial]
	place := i - r.First(trial)
	return Case{t, t.Seeds[place/len(r.Workloads)], r.Workloads[place%len(r.Workloads)]}
}

// First is the number of a trial's first simulation.
func (r *Round) First(trial int) int {
	if trial == 0 {
		return 0
	}
	return r.Ends[trial-1]
}

// Span is a range of a round's simulations [First, End).
type Span struct {
	First int `json:"first"`
	End   int `json:"end"`
}

// Len is the number of simulations.
func (s Span) Len() int { return s.End - s.First }

// Indices are the numbers of the simulations.
func (s Span) Indices() []int {
	indices := make([]int, s.Len())
	for i := range indices {
		indices[i] = s.First + i
	}
	return indices
}

// SpansOf returns the spans of numbers, ascending.
func SpansOf(numbers []int) []Span {
	var spans []Span
	for _, n := range numbers {
		if last := len(spans) - 1; last >= 0 && spans[last].End == n {
			spans[last].End++
		} else {
			spans = append(spans, Span{n, n + 1})
		}
	}
	return spans
}

// All is the span of all simulations.
func (r *Round) All() Span { return Span{0, r.Simulations()} }

// Missing returns the simulations of a round for which known has no row, by
// their keys, and the rows of the others in the places of their simulations.
// Where known is nil, nothing is.
func (p *Plan) Missing(r *Round, known func(key string) (result.Row, bool)) (missing []int, rows []result.Row, err error) {
	criteria, errs := p.Criteria(nil)
	if len(errs) > 0 {
		return nil, nil, errs.ToAggregate()
	}
	metrics := criteria.Metrics()
	rows = make([]result.Row, r.Simulations())
	if known == nil {
		return r.All().Indices(), rows, nil
	}
	i := 0
	for t := range r.Trials {
		trial := &r.Trials[t]
		for _, key := range p.TrialKeys(trial, metrics) {
			if row, ok := known(key); ok {
				row.Point, row.Share, row.Workload = trial.Point.ID, trial.Share, r.At(i).Workload
				rows[i] = row
			} else {
				missing = append(missing, i)
			}
			i++
		}
	}
	return missing, rows, nil
}
