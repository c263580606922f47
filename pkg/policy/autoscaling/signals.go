// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "time"

// Engines returns what the newest readable sample has of a pool's engines; nil where
// there is no sample.
func (v *View) Engines(p *Pool) []Engine {
	s := v.Monitor.Latest(v.Now)
	if s == nil {
		return nil
	}
	return p.of(s)
}

func (p *Pool) of(s *Sample) []Engine { return s.Engines[p.First : p.First+p.Endpoints] }

// MeanOverEngines returns the mean of a gauge over the pool's engines that were scraped;
// ok is false where none was.
func (v *View) MeanOverEngines(p *Pool, gauge func(*Engine) float64) (mean float64, ok bool) {
	sum, n := 0.0, 0
	engines := v.Engines(p)
	for i := range engines {
		if engines[i].Up {
			sum += gauge(&engines[i])
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}

// Waiting is the gauge of the requests in an engine's queue, KVUsage that of the share of
// its KV blocks in use.
func Waiting(e *Engine) float64 { return float64(e.Waiting) }

// KVUsage is the gauge of the share of an engine's KV blocks in use.
func KVUsage(e *Engine) float64 { return e.KVUsage }

// Utilization returns the mean over the pool's engines of the share of the window in
// which a step was under way, 0 to 1, of those that were scraped at both ends of it.
func (v *View) Utilization(p *Pool, window time.Duration) (share float64, ok bool) {
	oldest, newest, count := v.Monitor.Range(v.Now, window)
	if count < 2 {
		return 0, false
	}
	span, sum, n := newest.At.Sub(oldest.At), 0.0, 0
	before, after := p.of(oldest), p.of(newest)
	for i := range after {
		if after[i].Up && before[i].Up && after[i].Started == before[i].Started {
			sum += float64(after[i].Busy-before[i].Busy) / float64(span)
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}

// ArrivalRate returns the requests of the unit's router that arrived per second of the
// window.
func (v *View) ArrivalRate(window time.Duration) (perSecond float64, ok bool) {
	oldest, newest, count := v.Monitor.Range(v.Now, window)
	if count < 2 {
		return 0, false
	}
	return float64(newest.Gateway.Arrived-oldest.Gateway.Arrived) / newest.At.Sub(oldest.At).Seconds(), true
}

// Attainment returns the share of the requests that ended within the window that met
// their targets; ok is false where none ended.
func (v *View) Attainment(window time.Duration) (share float64, ok bool) {
	oldest, newest, count := v.Monitor.Range(v.Now, window)
	if count < 2 || newest.Gateway.Ended == oldest.Gateway.Ended {
		return 0, false
	}
	return float64(newest.Gateway.Good-oldest.Gateway.Good) / float64(newest.Gateway.Ended-oldest.Gateway.Ended), true
}

// Increase sums over the pool's engines how much a counter grew in the window. An engine
// that started within it counts from 0.
func (v *View) Increase(p *Pool, window time.Duration, counter func(*Engine) int64) (increase int64, span time.Duration, ok bool) {
	oldest, newest, count := v.Monitor.Range(v.Now, window)
	if count < 2 {
		return 0, 0, false
	}
	before, after := p.of(oldest), p.of(newest)
	for i := range after {
		if !after[i].Up {
			continue
		}
		increase += counter(&after[i])
		if before[i].Up && before[i].Started == after[i].Started {
			increase -= counter(&before[i])
		}
	}
	return increase, newest.At.Sub(oldest.At), true
}

// Latency is a histogram that engines export.
type Latency int

// The histograms.
const (
	TimeToFirstToken Latency = iota
	InterTokenLatency
)

// Quantile returns a quantile of what the pool's engines observed in the window, in
// seconds; ok is false where they observed nothing.
func (v *View) Quantile(p *Pool, window time.Duration, of Latency, q float64) (seconds float64, ok bool) {
	oldest, newest, count := v.Monitor.Range(v.Now, window)
	if count < 2 {
		return 0, false
	}
	buckets, bounds := func(e *Engine) *Buckets { return &e.TimeToFirstToken }, TimeToFirstTokenBounds
	if of == InterTokenLatency {
		buckets, bounds = func(e *Engine) *Buckets { return &e.InterTokenLatency }, InterTokenLatencyBounds
	}
	var sum Buckets
	before, after := p.of(oldest), p.of(newest)
	for i := range after {
		if !after[i].Up {
			continue
		}
		sum = sum.Plus(buckets(&after[i]))
		if before[i].Up && before[i].Started == after[i].Started {
			sum = sum.Minus(buckets(&before[i]))
		}
	}
	return sum.Quantile(bounds, q)
}
