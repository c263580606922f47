// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"math"
	"slices"
)

// Trial is a proposal and what became of it.
type Trial struct {
	Proposal
	// Samples hold a row for each seed of the effort, with one number for each
	// objective; less is better. They are nil where the trial failed.
	Samples [][]float64
	// Excess is how far outcomes, the means over the seeds, go beyond their
	// constraints: relative to them, summed. It is 0 where all are met.
	Excess float64
	// Beyond holds a row for each seed, with one number for each constraint: how
	// far its outcome goes beyond it, relative to it, negative where it is met.
	// From these Excess is reckoned anew where the seeds of a trial are joined or
	// parted; they may be nil where that does not happen.
	Beyond [][]float64
	// Features place the trial among others that are not to compete with it,
	// for MAPElites: means over the seeds.
	Features []float64
	// Claim says, for Capacity, whether the constraints are met with confidence.
	Claim Claim
}

// Claim is what the seeds of a trial say of its outcome constraints.
type Claim int

// The claims.
const (
	Undecided Claim = iota
	Holds
	Breaks
)

// Failed says whether the trial has nothing to compare: no samples, or some
// that are not finite.
func (t *Trial) Failed() bool {
	infinite := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
	return len(t.Samples) == 0 || slices.ContainsFunc(t.Samples, func(row []float64) bool {
		return len(row) == 0 || slices.ContainsFunc(row, infinite)
	})
}

// Losses returns the mean over seeds of each objective; nil where the trial
// failed.
func (t *Trial) Losses() []float64 {
	if t.Failed() {
		return nil
	}
	losses := make([]float64, len(t.Samples[0]))
	for i := range losses {
		sum := 0.0
		for _, row := range t.Samples {
			sum += row[i] / float64(len(t.Samples))
		}
		losses[i] = sum
	}
	return losses
}

// settleExcess reckons how far the means over the seeds exceed the constraints.
func (t *Trial) settleExcess() {
	if len(t.Beyond) == 0 {
		return
	}
	t.Excess = 0
	for i := range t.Beyond[0] {
		mean := 0.0
		for _, row := range t.Beyond {
			mean += row[i] / float64(len(t.Beyond))
		}
		t.Excess += max(0, mean)
	}
}

// first returns what is known of a trial from its first n seeds.
func (t *Trial) first(n int) *Trial {
	first := *t
	first.Samples, first.Beyond = t.Samples[:n], t.Beyond[:min(n, len(t.Beyond))]
	first.settleExcess()
	return &first
}

// better says whether a is better than b by their first objectives.
func better(a, b Trial) bool { return compare(&a, &b) < 0 }

// order returns the indices of trials, the best by their first objective first;
// of equal ones the earlier.
func order(trials []Trial) []int {
	places := make([]int, len(trials))
	ranks := make([]rank, len(trials))
	for i := range trials {
		places[i], ranks[i] = i, trials[i].rank()
	}
	slices.SortStableFunc(places, func(i, j int) int { return ranks[i].compare(ranks[j]) })
	return places
}

// compare is negative where a is better than b by their first objectives,
// positive where it is worse.
func compare(a, b *Trial) int { return a.rank().compare(b.rank()) }

// rank orders trials: those that meet the constraints by their loss, then those
// that do not by how far they exceed them, then those that failed (Deb: An
// efficient constraint handling method for genetic algorithms, 2000).
type rank struct {
	failed       bool
	excess, loss float64
}

func (t *Trial) rank() rank {
	losses := t.Losses()
	switch {
	case losses == nil:
		return rank{failed: true}
	case t.Excess > 0:
		return rank{excess: t.Excess, loss: losses[0]}
	default:
		return rank{loss: losses[0]}
	}
}

func (r rank) compare(s rank) int {
	if r.failed || s.failed {
		return cmp.Compare(truth(r.failed), truth(s.failed))
	}
	return cmp.Or(cmp.Compare(r.excess, s.excess), cmp.Compare(r.loss, s.loss))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
