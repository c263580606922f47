// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Arrivals is how the requests of a load come.
type Arrivals string

// The arrivals.
const (
	PoissonArrivals  Arrivals = "Poisson"
	ConstantArrivals Arrivals = "Constant"
)

// AllArrivals lists the arrivals that a load may have.
func AllArrivals() []Arrivals { return []Arrivals{PoissonArrivals, ConstantArrivals} }

// A Load is the traffic of a run of which the single requests are not known.
type Load struct {
	// Requests is their number, Rate how many came per second. With a Rate of 0 all come
	// at once.
	Requests int
	Rate     float64
	Arrivals Arrivals
	// Concurrency is how many of them the engine has at most: another one is sent when one
	// ends, after ThinkSeconds on average. 0 is no limit. A closed loop has a Concurrency and
	// no Rate.
	Concurrency  int
	ThinkSeconds float64
	// WarmUp is how many requests come before these, and count in no figure.
	WarmUp int
	// Input and Output are the lengths below which a share of the requests lies.
	Input, Output func(share float64) float64
	// PrefixTokens is how much of its beginning a prompt shares with others, Prefixes how
	// many such beginnings there are, and BlockTokens the size of a block.
	PrefixTokens, Prefixes, BlockTokens int
}

// NewReportedRun returns the run of requests of which only the figures were measured. The
// requests are drawn from the load, lengths and arrivals each by themselves. A figure that
// was not measured is NaN.
func NewReportedRun(name string, e Engine, l Load, measured Figures) *Run {
	r := NewRun(name, e, l.draw())
	r.Concurrency, r.ThinkSeconds = l.Concurrency, l.ThinkSeconds
	r.warmUp = l.WarmUp
	r.Figures = &measured
	return r
}

// draw returns requests whose lengths have exactly the shares of the load.
func (l *Load) draw() []Request {
	input, output := l.lengths("input", l.Input), l.lengths("output", l.Output)
	arrivals := stats.NewStream(1, "calibrate/report/arrivals")
	prefixes := stats.NewStream(1, "calibrate/report/prefixes")
	requests := make([]Request, len(input))
	at := 0.0
	for i := range requests {
		requests[i] = Request{Queued: nanoseconds(at), InputTokens: input[i], OutputTokens: output[i]}
		l.share(&requests[i], prefixes)
		gap := 1.0
		if l.Arrivals == PoissonArrivals {
			gap = arrivals.Exponential()
		}
		if l.Rate > 0 {
			at += gap / l.Rate
		}
	}
	return requests
}

// lengths are one length a request, in random order.
func (l *Load) lengths(name string, law func(float64) float64) []int {
	lengths := make([]int, l.WarmUp+l.Requests)
	for i := range lengths {
		share := (float64(i) + 0.5) / float64(len(lengths))
		lengths[i] = int(min(max(math.Round(law(share)), 1), workload.MaxTokens))
	}
	order := stats.NewStream(1, "calibrate/report/"+name)
	for i := len(lengths) - 1; i > 0; i-- {
		j := min(int(order.Float64()*float64(i+1)), i)
		lengths[i], lengths[j] = lengths[j], lengths[i]
	}
	return lengths
}

// share gives a prompt one of the shared beginnings.
func (l *Load) share(r *Request, prefixes *stats.Stream) {
	if l.PrefixTokens == 0 {
		return
	}
	which := min(int(prefixes.Float64()*float64(l.Prefixes)), l.Prefixes-1)
	blocks := min(l.PrefixTokens, r.InputTokens) / l.BlockTokens
	r.BlockTokens = l.BlockTokens
	for i := range blocks {
		r.Blocks = append(r.Blocks, stats.Hash64(uint64(which), uint64(i)))
	}
}

// figures are those that were measured of requests [from, to).
func (r *Run) figures(from, to int) Figures {
	if r.Figures != nil {
		return *r.Figures
	}
	return FiguresOf(r.Measured()[from:to])
}

// check refuses what a run without single requests cannot be.
func (r *Run) check() error {
	switch {
	case len(r.Requests) == 0:
		return fmt.Errorf("%s: a run without requests", r.Name)
	case r.Figures != nil && r.Fitted > 0:
		return fmt.Errorf("%s: a report has no figures of its first requests alone", r.Name)
	}
	return nil
}
