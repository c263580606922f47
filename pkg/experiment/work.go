// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"sort"
)

// WorkKey is the key of an encoded Work.
const WorkKey = "round.json.gz"

// maxWorkBytes bounds a decoded Work, which is compressed where it lies.
const maxWorkBytes = 64 << 20

// Work is what a Job simulates: the simulations of a round but those whose rows
// are known.
type Work struct {
	// Round is the round's index.
	Round int `json:"round"`
	// Trials are the round's if it does not follow from the plan alone: of
	// every round but the first. Where policies evolve they are there of each, so that
	// only one program makes them.
	Trials []workTrial `json:"trials,omitempty"`
	// Skip are the ranges [first, end) of simulations to leave out.
	Skip [][2]int `json:"skip,omitempty"`
}

// workTrial is a Trial without the names of its parameters.
type workTrial struct {
	Point  int      `json:"point"`
	Values []string `json:"values,omitempty"`
	// Policy is the text of a policy that evolved.
	Policy string  `json:"policy,omitempty"`
	Share  float64 `json:"share"`
	Seeds  []int64 `json:"seeds"`
}

// Work returns what is left of a round of the plan: the simulations of these
// numbers, ascending.
func (p *Plan) Work(r *Round, missing []int) Work {
	w := Work{Round: r.Index, Skip: without(r.Simulations(), missing)}
	if r.Index == 0 && p.evolving() < 0 {
		return w
	}
	for _, t := range r.Trials {
		trial := workTrial{Point: t.Point.ID, Policy: t.Point.Policy, Share: t.Share, Seeds: t.Seeds}
		for _, value := range t.Point.Values {
			trial.Values = append(trial.Values, value.Value)
		}
		w.Trials = append(w.Trials, trial)
	}
	return w
}

// without returns the ranges of the numbers below n that are not among some,
// ascending.
func without(n int, some []int) [][2]int {
	var ranges [][2]int
	next := 0
	for _, i := range some {
		if i > next {
			ranges = append(ranges, [2]int{next, i})
		}
		next = i + 1
	}
	if next < n {
		ranges = append(ranges, [2]int{next, n})
	}
	return ranges
}

// Encode returns compressed JSON: equal work, equal bytes.
func (w Work) Encode() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(w); err != nil {
		panic(fmt.Sprintf("experiment: encode the work of a round: %v", err))
	}
	_ = z.Close() // into memory
	return b.Bytes()
}

// DecodeWork reads what Encode wrote.
func DecodeWork(raw []byte) (Work, error) {
	var w Work
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return w, fmt.Errorf("decode the work of a round: %w", err)
	}
	d := json.NewDecoder(io.LimitReader(z, maxWorkBytes))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return w, fmt.Errorf("decode the work of a round: %w", err)
	}
	return w, nil
}

// Part returns one of n parts of a round's simulations of these numbers. Parts
// follow each other, cover every one once, and take about as long: they end
// where the estimated cost reaches their share of it. None of n is empty where
// there are as many simulations.
func (r *Round) Part(which []int, index, n int) []int { return r.Parts(which, n)[index] }

// Parts returns all of n parts.
func (r *Round) Parts(which []int, n int) [][]int {
	costs := make([]float64, len(which))
	total := 0.0
	for i, simulation := range which {
		total += r.seconds(simulation)
		costs[i] = total
	}
	parts := make([][]int, n)
	for i, first := 1, 0; i <= n; i++ {
		share := float64(total * float64(i) / float64(n))
		at := sort.Search(len(which), func(j int) bool {
			// A simulation goes where most of it lies.
			return costs[j]-r.seconds(which[j])/2 >= share
		})
		end := min(max(at, first+1), len(which)-min(n-i, len(which)))
		if i == n {
			end = len(which)
		}
		parts[i-1] = which[min(first, len(which)):end]
		first = end
	}
	return parts
}

// seconds estimates what a simulation takes of a core.
func (r *Round) seconds(simulation int) float64 {
	trial := sort.SearchInts(r.Ends, simulation+1)
	before := 0.0
	if trial > 0 {
		before = r.costs[trial-1]
	}
	return (r.costs[trial] - before) / float64(r.Ends[trial]-r.First(trial))
}

// Keys returns the key of each simulation of a round, in order.
func (p *Plan) Keys(r *Round) ([]string, error) {
	criteria, errs := p.Criteria(nil)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	metrics := criteria.Metrics()
	keys := make([]string, 0, r.Simulations())
	for i := range r.Trials {
		keys = append(keys, p.TrialKeys(&r.Trials[i], metrics)...)
	}
	return keys, nil
}
