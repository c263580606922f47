// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// keptEpochs is how many epochs an Adaptation keeps of the beginning of a run, and as
// many of its end.
const keptEpochs = 300

// An Adaptation is how the weights of a router changed in a run, epoch by epoch.
type Adaptation struct {
	// Router is the name of the router, or else the base model that it serves; empty where there is
	// one router. Model is the base model where there are several.
	Router, Model string
	// Pools are those among which the router chooses, where a route divides the requests for a model.
	Pools []string
	// Law names what changes the weights.
	Law string
	// Last are the weights of the scorers after the last epoch.
	Last []ScorerWeight
	// Told, if set, receives each epoch.
	Told func(*WeightEpoch)

	first, recent []WeightEpoch // recent is a ring, once it is full
	epochs        int
	from          simtime.Time
	ratios        ratioMoments
}

// A WeightEpoch is one epoch: what happened in it, and the weights under which it did.
type WeightEpoch struct {
	// Begin is when its first request arrived, and End when the first request after it
	// did.
	Begin, End simtime.Time
	// Arrived and Rejected count requests.
	Arrived, Rejected int64
	// Prefix and Load are the weights of the scorers that look at prefixes, and of those
	// that look at load, each together.
	Prefix, Load float64
	// NoSignal says that the law learnt nothing from the epoch, and Capped that the cap
	// held the weights back which follow it.
	NoSignal, Capped bool
}

// Ratio is the weight of prefixes over that of load.
func (e *WeightEpoch) Ratio() float64 { return e.Prefix / e.Load }

// MeasureFrom leaves epochs that begin before a time out of the figures.
func (a *Adaptation) MeasureFrom(at simtime.Time) { a.from = at }

// Add adds an epoch that has ended.
func (a *Adaptation) Add(e WeightEpoch) {
	switch late := a.epochs - keptEpochs; {
	case late < 0:
		a.first = append(a.first, e)
	case late < keptEpochs:
		a.recent = append(a.recent, e)
	default:
		a.recent[late%keptEpochs] = e
	}
	a.epochs++
	if a.Told != nil {
		a.Told(&e)
	}
	if e.Begin >= a.from {
		a.ratios.add(e.Ratio())
	}
}

// Epochs returns the first and the last epochs, in order, and how many between them are
// left out.
func (a *Adaptation) Epochs() (first, last []WeightEpoch, leftOut int) {
	next := max(a.epochs-keptEpochs, 0) % keptEpochs
	if len(a.recent) < keptEpochs {
		next = 0
	}
	last = append(last, a.recent[next:]...)
	last = append(last, a.recent[:next]...)
	return a.first, last, a.epochs - len(a.first) - len(last)
}

// Recent returns the ratios of the last measured epochs that follow each other without a
// gap.
func (a *Adaptation) Recent() []float64 {
	first, last, leftOut := a.Epochs()
	var ratios []float64
	for i, epochs := range [][]WeightEpoch{first, last} {
		for j := range epochs {
			if e := &epochs[j]; e.Begin >= a.from && (i == 1 || leftOut == 0) {
				ratios = append(ratios, e.Ratio())
			}
		}
	}
	return ratios
}

// Ratio returns the mean and the standard deviation of the ratios of the measured epochs;
// false if there are no such epochs.
func (a *Adaptation) Ratio() (mean, deviation float64, ok bool) {
	return a.ratios.mean, a.ratios.deviation(), a.ratios.n > 0
}

// ratioMoments are sums for a mean and a variance (Welford, 1962).
type ratioMoments struct{ n, mean, squares float64 }

func (m *ratioMoments) add(x float64) {
	m.n++
	before := x - m.mean
	m.mean += before / m.n
	m.squares += float64(before * (x - m.mean))
}

func (m *ratioMoments) deviation() float64 {
	if m.n < 2 {
		return 0
	}
	return math.Sqrt(m.squares / (m.n - 1))
}
