// SPDX-License-Identifier: Apache-2.0

package whatif

import "time"

// figures are what one simulation says of a request and of its window.
type figures struct{ own, window latencies }

// latencies are sums over the completed ones of some requests. They are whole nanoseconds, so
// that their order does not matter.
type latencies struct {
	requests, completed int
	ttft, e2e           time.Duration
}

func (l *latencies) add(e end) {
	l.requests++
	if e.completed {
		l.completed++
		l.ttft += e.ttft
		l.e2e += e.e2e
	}
}

// figuresOf returns the figures of a request that arrived.
func (w *watch) figuresOf(request int) figures {
	var f figures
	of := w.window(request)
	for _, e := range w.ends {
		if e.request == request {
			f.own.add(e)
		}
		if e.request >= request && e.arrival < of.until {
			f.window.add(e)
		}
	}
	return f
}

// A Comparison is of a request, or of the requests of its window.
type Comparison struct {
	// Requests is how many there are as picked, and the others are how many of them
	// completed. Latencies are means over these.
	Requests           int    `json:"requests"`
	CompletedAsPicked  int    `json:"completedAsPicked"`
	CompletedElsewhere int    `json:"completedElsewhere"`
	TTFT               Regret `json:"ttft"`
	E2E                Regret `json:"e2e"`
}

// A Regret compares a latency as the router picked with that of an alternative.
type Regret struct {
	// AsPicked and Elsewhere are the latencies; nil where no request completed.
	AsPicked  *float64 `json:"asPickedSeconds,omitempty"`
	Elsewhere *float64 `json:"elsewhereSeconds,omitempty"`
	// Seconds is the first minus the second: positive where the alternative is better.
	Seconds *float64 `json:"regretSeconds,omitempty"`
	// Spread is how much picks between equals change AsPicked.
	Spread  float64 `json:"spreadSeconds"`
	Verdict Effect  `json:"verdict"`
}

// Effect says what an alternative is.
type Effect string

const (
	// Better alternatives have a latency that is lower by more than the spread, or
	// complete what did not complete.
	Better Effect = "better"
	// Worse is the opposite.
	Worse Effect = "worse"
	// Zero is a difference within the spread.
	Zero Effect = "zero"
)

// compare compares latencies with those of an alternative. flips are the same in the
// simulations that give the spread.
func compare(picked, elsewhere latencies, flips []latencies) Comparison {
	c := Comparison{Requests: picked.requests, CompletedAsPicked: picked.completed, CompletedElsewhere: elsewhere.completed}
	c.TTFT = regretOf(picked, elsewhere, flips, func(l *latencies) time.Duration { return l.ttft })
	c.E2E = regretOf(picked, elsewhere, flips, func(l *latencies) time.Duration { return l.e2e })
	return c
}

func regretOf(picked, elsewhere latencies, flips []latencies, sum func(*latencies) time.Duration) Regret {
	r := Regret{}
	asPicked, someAsPicked := picked.mean(sum)
	there, someThere := elsewhere.mean(sum)
	var spread time.Duration
	for i := range flips {
		if flipped, some := flips[i].mean(sum); some && someAsPicked {
			spread = max(spread, (flipped - asPicked).Abs())
		}
	}
	r.Spread = seconds(spread)
	if someAsPicked {
		r.AsPicked = new(seconds(asPicked))
	}
	if someThere {
		r.Elsewhere = new(seconds(there))
	}
	if someAsPicked && someThere {
		r.Seconds = new(seconds(asPicked - there))
	}
	r.Verdict = r.verdict()
	return r
}

// seconds has as few digits as tell it from other whole nanoseconds.
func seconds(d time.Duration) float64 { return float64(d) / 1e9 }

// mean is that of the completed requests, to a nanosecond; false if none completed.
func (l *latencies) mean(sum func(*latencies) time.Duration) (time.Duration, bool) {
	if l.completed == 0 {
		return 0, false
	}
	return sum(l) / time.Duration(l.completed), true
}

func (r *Regret) verdict() Effect {
	switch {
	case r.Seconds != nil && *r.Seconds > r.Spread, r.AsPicked == nil && r.Elsewhere != nil:
		return Better
	case r.Seconds != nil && *r.Seconds < -r.Spread, r.AsPicked != nil && r.Elsewhere == nil:
		return Worse
	default:
		return Zero
	}
}
