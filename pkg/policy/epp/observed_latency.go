// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// An observation is an answer whose first token has come.
type observation struct {
	at simtime.Time
	// ttft is in seconds.
	ttft float64
	// inFlight is how many requests the endpoint had before this one.
	inFlight int64
}

// observedLatency is what a latency-observer-producer-hub publishes of an endpoint. Times are in
// seconds.
type observedLatency struct {
	// floor is the time without load; 0 if it is not known yet.
	floor float64
	// Percentiles of the recent observations, and the mean of what was in flight around them.
	low, typical                 float64
	inFlightAtLow, inFlightAtTyp float64
	// calibrated is whether there are recent observations enough.
	calibrated bool
}

// observedEndpoint is what is known of an endpoint.
type observedEndpoint struct {
	// observations are the newest ones, the oldest first; total counts all.
	observations []observation
	total        int
	// ticks counts the intervals until the last recomputation.
	ticks int64
	// bucketStart is when the bucket began that is open; 0 before the first interval. floors are the
	// 10th percentiles of closed buckets, in their order, and floor the 10th percentile of these.
	bucketStart simtime.Time
	floors      []float64
	floor       float64
	published   observedLatency
}

// observe adds an observation.
func (e *observedEndpoint) observe(o observation, most int) {
	e.total++
	e.observations = append(e.observations, o)
	if len(e.observations) > most {
		e.observations = e.observations[1:]
	}
}

// advance recomputes at the multiples of the interval that have passed since the last call: buckets at each,
// and at the last one what is published.
func (e *observedEndpoint) advance(p *latencyObserverParameters, now simtime.Time) {
	interval := simtime.Time(p.interval)
	ticks := int64(now / interval)
	if ticks <= e.ticks {
		return
	}
	e.ticks = ticks
	if e.bucketStart == 0 {
		e.bucketStart = interval
	}
	last := simtime.Time(ticks) * interval
	for {
		closes := (e.bucketStart.Add(p.bucket) + interval - 1) / interval * interval
		if closes > last {
			break
		}
		e.closeBucket(p, closes)
	}
	e.publish(p, last)
}

// closeBucket adds the floor of a bucket to those before. Of too many, the highest is left out.
func (e *observedEndpoint) closeBucket(p *latencyObserverParameters, at simtime.Time) {
	e.bucketStart = at
	bucket := e.window(at, p.bucket, len(e.observations))
	if len(bucket) == 0 {
		return
	}
	floor := ttftAt(bucket, 0.1)
	i, _ := slices.BinarySearch(e.floors, floor)
	e.floors = slices.Insert(e.floors, i, floor)
	e.floors = e.floors[:min(len(e.floors), p.BucketHistorySize)]
	e.floor = percentileOf(len(e.floors), 0.1, func(i int) float64 { return e.floors[i] })
}

// publish recomputes what readers see. An endpoint with too few observations has no floor; before a bucket
// has closed, that is the 10th percentile of the recent ones.
func (e *observedEndpoint) publish(p *latencyObserverParameters, at simtime.Time) {
	recent := e.window(at, p.maxAge, p.MaxRequests)
	e.published = observedLatency{calibrated: len(recent) >= p.MinRequests}
	low, typical := float64(p.LowPercentile)/100, float64(p.TypicalPercentile)/100
	e.published.low, e.published.inFlightAtLow = ttftAt(recent, low), inFlightAround(recent, low)
	e.published.typical, e.published.inFlightAtTyp = ttftAt(recent, typical), inFlightAround(recent, typical)
	switch {
	case e.total < p.MinRequests:
	case e.floor > 0:
		e.published.floor = e.floor
	default:
		e.published.floor = ttftAt(recent, 0.1)
	}
}

// window returns the newest observations of an age, at most so many, by TTFT.
func (e *observedEndpoint) window(now simtime.Time, age time.Duration, most int) []observation {
	first := max(0, len(e.observations)-most)
	for first < len(e.observations) && e.observations[first].at < now.Add(-age) {
		first++
	}
	recent := slices.Clone(e.observations[first:])
	slices.SortStableFunc(recent, func(a, b observation) int { return cmp.Compare(a.ttft, b.ttft) })
	return recent
}

// ttftAt is a percentile, as a share, of observations by TTFT; 0 if there are none.
func ttftAt(sorted []observation, share float64) float64 {
	return percentileOf(len(sorted), share, func(i int) float64 { return sorted[i].ttft })
}

// percentileOf interpolates between the n values in order; 0 if there are none.
func percentileOf(n int, share float64, value func(int) float64) float64 {
	if n == 0 {
		return 0
	}
	at := float64(share * float64(n-1))
	i := int(at)
	if i+1 >= n {
		return value(i)
	}
	return value(i) + float64((at-float64(i))*(value(i+1)-value(i)))
}

// inFlightAround is the mean of what was in flight from 10 percentiles below a percentile to 10 above.
func inFlightAround(sorted []observation, share float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	first, last := max(int((share-0.1)*float64(n-1)), 0), min(int((share+0.1)*float64(n-1)), n-1)
	sum := 0.0
	for _, o := range sorted[first : last+1] {
		sum += float64(o.inFlight)
	}
	return sum / float64(last-first+1)
}
