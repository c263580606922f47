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

	// ends[i] is the number of simulations of trials 0 to i, and costs[i] what
	// they take of a core, in seconds.
	ends  []int
	costs []float64
}

// newRound counts a round's simulations. cost estimates one of a trial's.
func newRound(index int, trials []Trial, cost func(*Trial) float64) *Round {
	r := &Round{Index: index, Trials: trials}
	simulations, seconds := 0, 0.0
	for i := range trials {
		n := len(trials[i].Seeds)
		simulations += n
		seconds += float64(float64(n) * cost(&trials[i]))
		r.ends = append(r.ends, simulations)
		r.costs = append(r.costs, seconds)
	}
	return r
}

// Simulations is their number: one for each trial and seed of it.
func (r *Round) Simulations() int {
	if len(r.ends) == 0 {
		return 0
	}
	return r.ends[len(r.ends)-1]
}

// CoreSeconds estimates what the simulations take of a core.
func (r *Round) CoreSeconds() float64 {
	if len(r.costs) == 0 {
		return 0
	}
	return r.costs[len(r.costs)-1]
}

// At returns what simulation i simulates: the trials follow each other, each
// with its seeds in order.
func (r *Round) At(i int) (*Trial, int64) {
	trial := sort.SearchInts(r.ends, i+1)
	first := r.ends[trial] - len(r.Trials[trial].Seeds)
	return &r.Trials[trial], r.Trials[trial].Seeds[i-first]
}

// maxPerShard is how many simulations a shard can have: its termination message
// names some twenty chunks of a few hundred rows each.
const maxPerShard = 8000

// Shards is the number of shards that make sense when so many are asked for: no
// more than simulations, and enough of them that each can report its results.
func (r *Round) Shards(asked int) int {
	total := r.Simulations()
	return max(1, min(asked, total), (total+maxPerShard-1)/maxPerShard)
}

// Span is a range of a round's simulations [First, End).
type Span struct{ First, End int }

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

// All is the span of all simulations.
func (r *Round) All() Span { return Span{0, r.Simulations()} }

// Shard returns the span of one of n shards. Together they cover every
// simulation once, and they take about as long as each other: shards end where
// the estimated cost reaches their share of it.
func (r *Round) Shard(index, n int) Span {
	return Span{First: r.boundary(index, n), End: r.boundary(index+1, n)}
}

// boundary is the simulation at which shard index of n begins. No shard of n is
// empty where there are as many simulations.
func (r *Round) boundary(index, n int) int {
	total := r.Simulations()
	if index == n {
		return total
	}
	at := 0
	for i := 1; i <= index; i++ {
		at = max(at+1, r.reached(float64(i)/float64(n)))
	}
	return min(at, total-(n-index))
}

// reached is the simulation at which a share of the cost is nearly reached.
func (r *Round) reached(share float64) int {
	seconds := float64(share * r.CoreSeconds())
	trial := sort.SearchFloat64s(r.costs, seconds)
	first, before := 0, 0.0
	if trial > 0 {
		first, before = r.ends[trial-1], r.costs[trial-1]
	}
	n := r.ends[trial] - first
	return first + int(float64(n)*(seconds-before)/(r.costs[trial]-before)+0.5)
}

// Missing returns the simulations of a round for which known has no row, by
// their keys, and the rows of the others in the places of their simulations.
// Where known is nil, nothing is.
func (p *Plan) Missing(r *Round, known func(key string) (result.Row, bool)) (missing []int, rows []result.Row, err error) {
	asked, errs := p.asked(nil)
	if len(errs) > 0 {
		return nil, nil, errs.ToAggregate()
	}
	metrics := asked.metrics()
	rows = make([]result.Row, r.Simulations())
	if known == nil {
		return r.All().Indices(), rows, nil
	}
	i := 0
	for t := range r.Trials {
		trial := &r.Trials[t]
		for _, key := range p.keys(trial, metrics) {
			if row, ok := known(key); ok {
				row.Point, row.Share = trial.Point.ID, trial.Share
				rows[i] = row
			} else {
				missing = append(missing, i)
			}
			i++
		}
	}
	return missing, rows, nil
}
